import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import calculateSlot from 'cluster-key-slot'
import {
  handleOf,
  markerKey,
  newSessionId,
  PARTITIONS,
  partitionOf,
  permissionsOf,
  type Session,
  type SessionForm,
  type StoreChanges,
  secondsAfter,
  sessionKey,
  type UserSessions,
} from '../sources.js'
import { redisCli } from '../support/redis/redis-cli.js'
import { type RedisServer, startRedis } from '../support/redis/redis-server.js'
import { onServers, slow } from '../support/tiers.js'
import { aSession, aStamp, wholeSecondNow } from './a-session.js'
import { startDistantAddress } from './distant-address.js'
import { type OpenRedisStore, openRedisStore } from './open-redis-store.js'

const NONE = permissionsOf([])
/** Far longer than the work, and a round trip still within the time that a command has. */
const ONE_WAY_MS = 30

/** Nothing here asks the database whose sessions they are. */
const NOBODYS = {} as UserSessions

/** No permissions any more. */
function cut(version: number, ...sessions: Session[]): StoreChanges {
  return { ended: [], grants: [{ version, granted: NONE, sids: sessions.map(({ sid }) => sid) }] }
}

describe('how sessions lie in Redis', () => {
  let server: RedisServer
  let opened: OpenRedisStore

  beforeAll(async () => {
    server = await startRedis()
    opened = await openRedisStore(server.url, NOBODYS)
  })
  afterAll(async () => {
    opened?.close()
    await server?.stop()
  })

  const redis = (...command: string[]) => redisCli(server.port, ...command)
  const keys = async () => (await redis('KEYS', '*')).split('\n').filter(Boolean).sort()

  onServers('one key, by handle, and nothing else', async () => {
    await redis('FLUSHALL')
    const session = aSession()
    await opened.store.create(session)
    expect(await keys()).toEqual([sessionKey(session.sid)])
    await opened.store.remove(session.sid)
    expect(await keys()).toEqual([])
  })

  onServers(
    'a session lies beside the marker of its partition, in the slot of its first two letters',
    async () => {
      const { sid } = aSession()
      expect(sessionKey(sid)).toBe(`session:{${sid.slice(0, 2)}}:${sid}`)
      expect(calculateSlot(sessionKey(sid))).toBe(calculateSlot(markerKey(partitionOf(sid))))
      expect(new Set(PARTITIONS).size).toBe(4_096)
    },
  )

  onServers('every key goes by itself, whatever was done to the sessions', async () => {
    await redis('FLUSHALL')
    const soon = aSession({ expiresAt: secondsAfter(wholeSecondNow(), 100) })
    const late = aSession({ expiresAt: secondsAfter(wholeSecondNow(), 1_000) })
    const removed = aSession()
    for (const session of [late, removed, soon]) await opened.store.create(session)
    const touches = () => Array.from({ length: 50 }, () => opened.store.touch(removed.sid, wholeSecondNow()))
    await Promise.all([...touches(), opened.store.remove(removed.sid), ...touches()])
    await opened.store.touch(late.sid, wholeSecondNow())
    await opened.store.apply(cut(1, soon, late, removed))
    expect(await keys()).toHaveLength(2)
    const expiry = async ({ sid }: Session) => Number(await redis('EXPIRETIME', sessionKey(sid)))
    for (const session of [soon, late]) expect(await expiry(session)).toBe(session.expiresAt.getTime() / 1000)
  })

  onServers('of two grants the later one stays, in whatever order they arrive', async () => {
    const session = aSession()
    await opened.store.create(session)
    await opened.store.apply(cut(2_000_000, session))
    await opened.store.apply({
      ended: [],
      grants: [{ version: 1_999_999, granted: session.permissions, sids: [session.sid] }],
    })
    expect(await opened.store.find(session.sid, new Date())).toMatchObject({ permissions: NONE })
  })

  onServers('an ordinary session is one compact listpack', async () => {
    const session = aSession({ userAgent: 'x'.repeat(64), ip: '2001:db8:85a3:8d3:1319:8a2e:370:7348' })
    await opened.store.create(session)
    const key = sessionKey(session.sid)
    expect(await redis('OBJECT', 'ENCODING', key)).toBe('listpack')
    await opened.store.touch(session.sid, wholeSecondNow())
    await opened.store.apply(cut(4_000_000_000, session))
    expect(await redis('OBJECT', 'ENCODING', key)).toBe('listpack')
  })

  onServers.each<[SessionForm, SessionForm]>([
    ['long', 'compact'],
    ['compact', 'long'],
  ])(
    'a %s session is read, moved, changed and ended by a replica that writes the %s form',
    async (one, other) => {
      const userAgent = 'X11; Linux x86_64) Chrome/131.0.0.0 Safari/537.36'
      const there = { ip: '198.51.100.9', userAgent: '(Linux; Android 10; K) Chrome/131.0.0.0 Mobile' }
      const writer = await openRedisStore(server.url, NOBODYS, one)
      const reader = await openRedisStore(server.url, NOBODYS, other)
      try {
        const session = aSession({ userAgent, lastUsed: wholeSecondNow() })
        await writer.store.create(session)
        const now = wholeSecondNow()
        expect(await reader.store.touch(session.sid, now)).toEqual(session)
        expect(await reader.store.updateClient(session.sid, session, there, now)).toBe(true)
        expect(await writer.store.updateClient(session.sid, there, session, now)).toBe(true)
        const stamp = aStamp(secondsAfter(now, 1))
        expect(await reader.store.stampReauthentication(session.sid, stamp, now)).toBe(true)
        await reader.store.apply(cut(1, session))
        const changed = {
          ...session,
          lastUsed: now,
          permissions: NONE,
          reauthenticatedAt: stamp.at,
          authTime: stamp.at,
        }
        for (const { store } of [writer, reader]) expect(await store.find(session.sid, now)).toEqual(changed)
        await reader.store.apply({ ended: [session.sid], grants: [] })
        expect(await writer.store.find(session.sid, now)).toBeNull()
      } finally {
        writer.close()
        reader.close()
      }
    },
  )

  onServers('50 sessions are read in about one round trip, not in 50', async () => {
    const sessions = Array.from({ length: 50 }, () => aSession())
    await Promise.all(sessions.map(session => opened.store.create(session)))
    const distant = await startDistantAddress(server.port, ONE_WAY_MS)
    const far = await openRedisStore(`redis://127.0.0.1:${distant.port}`, NOBODYS)
    try {
      const before = distant.roundTrips
      const sids = sessions.map(({ sid }) => sid)
      expect(await far.store.findAll(sids, new Date())).toEqual(sessions)
      const roundTrips = distant.roundTrips - before
      expect(roundTrips).toBeGreaterThanOrEqual(1)
      expect(roundTrips).toBeLessThan(10)
    } finally {
      far.close()
      distant.close()
    }
  })

  slow('no sessionId is anywhere in it', async () => {
    const sessionId = newSessionId()
    const session = aSession({ sid: handleOf(sessionId) })
    await opened.store.create(session)
    await opened.store.touch(session.sid, wholeSecondNow())
    const dump: string[] = []
    for (const key of await keys()) dump.push(key, await redis('HGETALL', key))
    const text = dump.join('\n')
    expect(text).toContain(session.sid)
    expect(text).not.toContain(sessionId)
    expect(text).not.toContain(sessionId.replaceAll('-', ''))
    expect(text).not.toContain(Buffer.from(sessionId.replaceAll('-', ''), 'hex').toString('base64url'))
  })
})

onServers('every method says that it cannot tell when Redis is gone', async () => {
  const server = await startRedis()
  const { store, close } = await openRedisStore(server.url, NOBODYS)
  try {
    const { sid } = aSession()
    const now = new Date()
    await server.stop()
    const answers = await Promise.allSettled([
      store.create(aSession()),
      store.find(sid, now),
      store.touch(sid, now),
      store.updateClient(sid, aSession(), aSession(), now),
      store.stampReauthentication(sid, aStamp(), now),
      store.voidAuthentication(sid, now),
      store.findAll([sid], now),
      store.apply({ ended: [sid], grants: [] }),
      store.apply(cut(1, aSession())),
      store.remove(sid),
      store.ping(),
    ])
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'SESSION_STORE_UNAVAILABLE' } })
  } finally {
    close()
  }
})
