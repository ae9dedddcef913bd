import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import {
  authMethods,
  permissionsOf,
  type SessionForm,
  secondsAfter,
  shortUserAgent,
  type UserSessions,
} from '../sources.js'
import { infoField, redisCli } from '../support/redis/redis-cli.js'
import { startRedis } from '../support/redis/redis-server.js'
import { aSession, wholeSecondNow } from './a-session.js'
import { openRedisStore } from './open-redis-store.js'

const SESSIONS = 20_000
const BATCH = 20
/** Of a session on whatever jemalloc Debian has; ten million then fit into 4 GB, or 3.5. */
const MOST_BYTES_A_SESSION: [SessionForm, number][] = [
  ['long', 400],
  ['compact', 350],
]
const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36'

test.each(MOST_BYTES_A_SESSION)('a %s session takes at most %i bytes of Redis memory', async (form, most) => {
  const server = await startRedis()
  const { store, close } = await openRedisStore(server.url, {} as UserSessions, form)
  const memoryNow = async () =>
    Number(infoField(await redisCli(server.port, 'INFO', 'memory'), 'used_memory'))
  /** Redis grows its tables bit by bit and has two of each meanwhile; buffers of connections shrink. */
  const usedMemory = async () => {
    let used = await memoryNow()
    for (let before = Number.POSITIVE_INFINITY; used < before; used = Math.min(before, await memoryNow())) {
      before = used
      await sleep(500)
    }
    return used
  }
  try {
    const userIds = Array.from({ length: 20 }, () => randomUUID())
    // Its scripts and the first growth of its tables are there before we look.
    const first = aSession()
    await store.create(first)
    await store.remove(first.sid)
    const before = await usedMemory()
    for (let made = 0; made < SESSIONS; made += BATCH)
      await Promise.all(
        Array.from({ length: BATCH }, () => store.create(aSatelliteSession(userIds[randomInt(20)]!))),
      )
    expect(await redisCli(server.port, 'DBSIZE')).toBe(String(SESSIONS))
    const bytesASession = ((await usedMemory()) - before) / SESSIONS
    process.stdout.write(`A ${form} session takes ${Math.round(bytesASession)} bytes of Redis memory\n`)
    expect(bytesASession).toBeLessThanOrEqual(most)
  } finally {
    close()
    await server.stop()
  }
})

function aSatelliteSession(userId: string) {
  const createdAt = wholeSecondNow()
  return aSession({
    userId,
    source: 'satellite',
    permissions: permissionsOf(['dataEntry', 'viewReports']),
    origin: 'https://shop-one.example.net',
    ip: `203.0.113.${randomInt(100, 256)}`,
    userAgent: shortUserAgent(CHROME),
    createdAt,
    lastUsed: secondsAfter(createdAt, 900),
    // Handed on by somebody who had logged in with a code.
    amr: authMethods('pwd', 'otp'),
    authTime: secondsAfter(createdAt, -3600),
  })
}
