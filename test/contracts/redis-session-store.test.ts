import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createClient } from 'redis'
import { secondsAfter } from '../../src/clock/clock.js'
import { permissionsOf } from '../../src/permissions/permissions.js'
import { handleOf, newSessionId } from '../../src/sessions/session-id.js'
import { eventually } from '../support/eventually.js'
import { redisCli } from '../support/redis-cli.js'
import { type RedisServer, startRedis } from '../support/redis-server.js'
import { aSession, wholeSecondNow } from './a-session.js'
import { startDistantAddress } from './distant-address.js'
import { type OpenRedisStore, openRedisStore } from './open-redis-store.js'

const NONE = permissionsOf([])
/** Far longer than the work, and a round trip still within the time that a command has. */
const ONE_WAY_MS = 30

describe('how sessions lie in Redis', () => {
  let server: RedisServer
  let opened: OpenRedisStore

  beforeAll(async () => {
    server = await startRedis()
    opened = await openRedisStore(server.url)
  })
  afterAll(async () => {
    opened?.close()
    await server?.stop()
  })

  const redis = (...command: string[]) => redisCli(server.port, ...command)
  const keys = async () => (await redis('KEYS', '*')).split('\n').filter(Boolean).sort()

  test('two keys, by handle and by user, and nothing else', async () => {
    await redis('FLUSHALL')
    const session = aSession()
    await opened.store.create(session)
    expect(await keys()).toEqual([`session:${session.sid}`, `user-sessions:${session.userId}`])
    await opened.store.remove(session.sid)
    expect(await keys()).toEqual([])
  })

  test('every key goes by itself, whatever was done to the sessions', async () => {
    await redis('FLUSHALL')
    const userId = randomUUID()
    const soon = aSession({ userId, expiresAt: secondsAfter(wholeSecondNow(), 100) })
    const late = aSession({ userId, expiresAt: secondsAfter(wholeSecondNow(), 1_000) })
    const removed = aSession({ userId })
    // The one that expires first comes last: the index must outlive all of them.
    for (const session of [late, removed, soon]) await opened.store.create(session)
    const touches = () => Array.from({ length: 50 }, () => opened.store.touch(removed.sid, wholeSecondNow()))
    await Promise.all([...touches(), opened.store.remove(removed.sid), ...touches()])
    await opened.store.touch(late.sid, wholeSecondNow())
    await opened.store.setPermissions(userId, { main: NONE, satellite: NONE })
    expect(await keys()).toHaveLength(3)
    for (const key of await keys()) expect(Number(await redis('TTL', key))).toBeGreaterThan(0)
    const expiry = async (key: string) => Number(await redis('EXPIRETIME', key))
    expect(await expiry(`session:${soon.sid}`)).toBe(soon.expiresAt.getTime() / 1000)
    expect(await expiry(`session:${late.sid}`)).toBe(late.expiresAt.getTime() / 1000)
    expect(await expiry(`user-sessions:${userId}`)).toBeGreaterThanOrEqual(late.expiresAt.getTime() / 1000)
  })

  test('every entry of an index leads to a session', async () => {
    await redis('FLUSHALL')
    const userId = randomUUID()
    const sessions = Array.from({ length: 20 }, () => aSession({ userId }))
    await Promise.all(sessions.map(session => opened.store.create(session)))
    await Promise.all(sessions.slice(0, 7).map(({ sid }) => opened.store.remove(sid)))
    const sids = (await redis('ZRANGE', `user-sessions:${userId}`, '0', '-1')).split('\n')
    expect(sids.sort()).toEqual(
      sessions
        .slice(7)
        .map(({ sid }) => sid)
        .sort(),
    )
    for (const sid of sids) expect(await redis('EXISTS', `session:${sid}`)).toBe('1')
  })

  test('the index is written first and the session second', async () => {
    const { index, session } = await written(() => opened.store.create(aSession()))
    expect(index).toBeLessThan(session)
  })

  test('an ordinary session is one compact listpack', async () => {
    const session = aSession({ userAgent: 'x'.repeat(64), ip: '2001:db8:85a3:8d3:1319:8a2e:370:7348' })
    await opened.store.create(session)
    const key = `session:${session.sid}`
    expect(await redis('OBJECT', 'ENCODING', key)).toBe('listpack')
    await opened.store.touch(session.sid, wholeSecondNow())
    await opened.store.setPermissions(session.userId, { main: NONE, satellite: NONE })
    expect(await redis('OBJECT', 'ENCODING', key)).toBe('listpack')
  })

  test('50 sessions are listed in about two round trips (the index, then all at once), not in 51', async () => {
    const { userId } = aSession()
    await Promise.all(Array.from({ length: 50 }, () => opened.store.create(aSession({ userId }))))
    const distant = await startDistantAddress(server.port, ONE_WAY_MS)
    const far = await openRedisStore(`redis://127.0.0.1:${distant.port}`)
    try {
      const start = performance.now()
      expect(await far.store.listByUser(userId, new Date())).toHaveLength(50)
      const roundTrips = (performance.now() - start) / (2 * ONE_WAY_MS)
      expect(roundTrips).toBeGreaterThanOrEqual(1.9)
      expect(roundTrips).toBeLessThan(10)
    } finally {
      far.close()
      distant.close()
    }
  })

  test('no sessionId is anywhere in it', async () => {
    const sessionId = newSessionId()
    const session = aSession({ sid: handleOf(sessionId) })
    await opened.store.create(session)
    await opened.store.touch(session.sid, wholeSecondNow())
    const dump: string[] = []
    for (const key of await keys()) {
      const read = key.startsWith('session:') ? ['HGETALL'] : ['ZRANGE', '0', '-1', 'WITHSCORES']
      dump.push(key, await redis(read[0]!, key, ...read.slice(1)))
    }
    const text = dump.join('\n')
    expect(text).toContain(session.sid)
    expect(text).not.toContain(sessionId)
    expect(text).not.toContain(sessionId.replaceAll('-', ''))
    expect(text).not.toContain(Buffer.from(sessionId.replaceAll('-', ''), 'hex').toString('base64url'))
  })

  test('removeExpired leaves no empty index behind', async () => {
    await redis('FLUSHALL')
    const expiresAt = secondsAfter(wholeSecondNow(), 100)
    const { userId } = aSession()
    await opened.store.create(aSession({ userId, expiresAt }))
    expect(await opened.store.removeExpired(expiresAt)).toBe(1)
    expect(await redis('EXISTS', `user-sessions:${userId}`)).toBe('0')
  })

  /** Where in the order of what was written the two keys of a session came. */
  async function written(write: () => Promise<unknown>): Promise<{ session: number; index: number }> {
    const client = createClient({ url: server.url })
    await client.connect()
    const lines: string[] = []
    await client.monitor(line => lines.push(String(line)))
    await write()
    const place = (prefix: string) =>
      eventually(() => 1 + lines.findIndex(line => line.includes('lua]') && line.includes(`"${prefix}`)), {
        what: `a write to ${prefix}`,
      })
    const places = { session: await place('session:'), index: await place('user-sessions:') }
    client.destroy()
    return places
  }
})

test('every method says that it cannot tell when Redis is gone', async () => {
  const server = await startRedis()
  const { store, close } = await openRedisStore(server.url)
  try {
    const { sid, userId } = aSession()
    const now = new Date()
    await server.stop()
    const answers = await Promise.allSettled([
      store.create(aSession()),
      store.find(sid, now),
      store.touch(sid, now),
      store.move(sid, aSession(), aSession(), now),
      store.stampReauthentication(sid, now, now),
      store.listByUser(userId, now),
      store.setPermissions(userId, { main: NONE, satellite: NONE }),
      store.remove(sid),
      store.removeByUser(userId, now),
      store.removeExpired(now),
      store.ping(),
    ])
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'SESSION_STORE_UNAVAILABLE' } })
  } finally {
    close()
  }
})
