import { randomUUID } from 'node:crypto'
import { expect } from '@jest/globals'
import {
  authMethods,
  type Database,
  openDatabase,
  permissionsOf,
  readSettings,
  type Session,
  secondsAfter,
  shortUserAgent,
} from '../sources.js'
import { eventually } from '../support/eventually.js'
import { createDatabase } from '../support/postgres/postgres-server.js'
import { infoField, redisCli } from '../support/redis/redis-cli.js'
import { startRedis } from '../support/redis/redis-server.js'
import { slowOnServers } from '../support/tiers.js'
import { wholeSecondNow } from './a-session.js'
import { keptSession } from './kept-session.js'
import { openRedisStore } from './open-redis-store.js'

/** What the copy of an ordinary session may take, with its key; ten million then fit into 4 GB. */
const MOST_BYTES = 399
const COPIES = 100_000
const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36'

slowOnServers(`a copy of a session takes at most ${MOST_BYTES} bytes of Redis memory`, async () => {
  const [server, { url, drop }] = await Promise.all([startRedis(), createDatabase()])
  const database: Database = await openDatabase(readSettings({ NODE_ENV: 'test', DATABASE_URL: url }))
  const { store, redis, close } = await openRedisStore(server.url, database)
  const usedMemory = async () =>
    Number(infoField(await redisCli(server.port, 'INFO', 'memory'), 'used_memory'))
  /** Of this text, as one of many, which also have a place in the table of what expires. */
  const bytesAmongMany = async (text: string) => {
    const many =
      "for i = 1, ARGV[2] do redis.call('SET', string.format('copy:%043d', i), ARGV[1], 'EX', 7200) end"
    const before = await usedMemory()
    await redis.run(commands => commands.eval(many, { arguments: [text, String(COPIES)] }))
    return Math.ceil(((await usedMemory()) - before) / COPIES)
  }
  const bytesOf = async (overrides: Partial<Session>) => {
    const { sid } = await keptSession(database, store, overrides)
    await store.touch(sid, new Date())
    const key = `copy:${sid}`
    const isCopied = async () => !(await redis.run(commands => commands.get(key)))?.startsWith('lease')
    await eventually(isCopied, { what: 'the copy' })
    return Number(await redisCli(server.port, 'MEMORY', 'USAGE', key))
  }
  try {
    const bytes = {
      'main site': await bytesOf({ userAgent: shortUserAgent(CHROME) }),
      'satellite, by a code': await bytesOf({ ...ofSatellite(), ip: '203.0.113.255' }),
      'satellite, over IPv6': await bytesOf({ ...ofSatellite(), ip: '2001:db8:85a3:8d3:1319:8a2e:370:7348' }),
      'long user agent': await bytesOf({ ...ofSatellite(), userAgent: 'x'.repeat(64) }),
    }
    process.stdout.write(`A copy of a session takes these bytes of Redis memory: ${JSON.stringify(bytes)}\n`)
    const [key] = (await redisCli(server.port, 'KEYS', 'copy:*')).split('\n')
    const text = await redis.run(commands => commands.get(key as string))
    const amongMany = await bytesAmongMany(text as string)
    process.stdout.write(`Among ${COPIES}, one takes ${amongMany}\n`)
    for (const each of [...Object.values(bytes), amongMany]) expect(each).toBeLessThanOrEqual(MOST_BYTES)
  } finally {
    close()
    await database.onApplicationShutdown()
    await Promise.all([server.stop(), drop()])
  }
})

/** Handed on by somebody who had logged in with a code. */
function ofSatellite(): Partial<Session> {
  const createdAt = wholeSecondNow()
  return {
    userId: randomUUID(),
    source: 'satellite',
    permissions: permissionsOf(['dataEntry', 'viewReports']),
    origin: 'https://shop-one.example.net',
    userAgent: shortUserAgent(CHROME),
    createdAt,
    lastUsed: secondsAfter(createdAt, 900),
    amr: authMethods('pwd', 'otp'),
    authTime: secondsAfter(createdAt, -3600),
  }
}
