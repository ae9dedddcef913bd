import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import { eq, sql } from 'drizzle-orm'
import pg from 'pg'
import {
  accounts,
  authMethods,
  type ChangeFeed,
  COPY_LIFETIME_SECONDS,
  type Database,
  type Db,
  handleOf,
  KNOWN_EVERYWHERE_AFTER_MS,
  newSessionId,
  openDatabase,
  permissionsOf,
  readSettings,
  type Session,
  type SessionHandle,
  type SessionStore,
  secondsAfter,
  sessionCopies,
  sessions,
  shortUserAgent,
  unavailable,
  users,
} from '../sources.js'
import { eventually } from '../support/eventually.js'
import { aGate } from '../support/gate.js'
import { createDatabase, type TestDatabase } from '../support/postgres/postgres-server.js'
import { infoField, redisCli } from '../support/redis/redis-cli.js'
import { type RedisServer, startRedis } from '../support/redis/redis-server.js'
import { onServers, slowOnServers } from '../support/tiers.js'
import { aStamp, wholeSecondNow } from './a-session.js'
import { startDistantAddress } from './distant-address.js'
import {
  changesOn,
  endSessions,
  keptSession,
  OWNER,
  stampSession,
  TIMEOUTS_OF_ACCOUNTS,
} from './kept-session.js'
import { type OpenRedisStore, openRedisStore } from './open-redis-store.js'

const REPORTS = permissionsOf(['viewReports'])
const HOUR = 3_600
/** Of redis.session-store.ts. */
const LEASE = /^lease {5}\S{8}$/
const LEASE_MS = 5_000
const DELETED_AT_ONCE = 500
/** Far longer than the work, and a round trip still within the time that a command has. */
const ONE_WAY_MS = 30

onServers.describe('RedisSessionStore', () => {
  let server: RedisServer
  let testDatabase: TestDatabase
  let database: Database
  let opened: OpenRedisStore
  let store: SessionStore
  let feed: ChangeFeed

  beforeAll(async () => {
    ;[server, testDatabase] = await Promise.all([startRedis(), createDatabase()])
    database = await openDatabase(readSettings({ NODE_ENV: 'test', DATABASE_URL: testDatabase.url }))
    opened = await openRedisStore(server.url, database)
    ;({ store, feed } = opened)
  })
  afterAll(async () => {
    opened?.close()
    await database?.onApplicationShutdown()
    await Promise.all([server?.stop(), testDatabase?.drop()])
  })

  const redis = (...command: string[]) => redisCli(server.port, ...command)
  const keyOf = (sid: SessionHandle) => `copy:${sid}`
  const textOf = (sid: SessionHandle, { redis } = opened) =>
    redis.run(commands => commands.get(keyOf(sid)) as Promise<string | null>)
  const kept = (overrides?: Partial<Session>) => keptSession(database, store, overrides)

  /** Touches the session; resolves with its copy once there is one. */
  async function copyOf({ sid }: Session, from = opened): Promise<string> {
    await from.store.touch(sid, new Date())
    return eventually(
      async () => {
        const text = await textOf(sid)
        return text && !LEASE.test(text) ? text : null
      },
      { what: 'the copy', everyMs: 2 },
    ) as Promise<string>
  }

  async function copied(overrides?: Partial<Session>): Promise<Session> {
    const session = await kept(overrides)
    await copyOf(session)
    return session
  }

  /** What became of the refreshes of `from` while `work` ran. */
  async function outcomesOf(work: () => Promise<unknown>, from = opened) {
    const counter = from.metrics.counters.find(({ name }) => name === 'session_copies_total')
    const read = () => ({ ...(counter?.read() as Record<string, number>) })
    const before = read()
    await work()
    return Object.fromEntries(
      Object.entries(read()).flatMap(([outcome, count]) => {
        const more = count - (before[outcome] as number)
        return more > 0 ? [[outcome, more]] : []
      }),
    )
  }

  /** Changes a session behind everybody's back. */
  function set(sid: SessionHandle, values: Partial<typeof sessions.$inferInsert>): Promise<unknown> {
    return database.run(db => db.update(sessions).set(values).where(eq(sessions.sid, sid)))
  }

  /** The same with a Redis that does not matter to the others, and nothing in it. */
  async function withOwnRedis(
    work: (own: OpenRedisStore, server: RedisServer) => Promise<void>,
    { args = [], timeoutMs }: { args?: string[]; timeoutMs?: number } = {},
  ): Promise<void> {
    const ownServer = await startRedis({ args })
    const own = await openRedisStore(ownServer.url, database, { feed, ...(timeoutMs && { timeoutMs }) })
    try {
      await work(own, ownServer)
    } finally {
      own.close()
      await ownServer.stop()
    }
  }

  describe('a copy', () => {
    onServers('is one key, by handle, and goes by itself', async () => {
      await redis('FLUSHALL')
      const session = await copied()
      expect(await redis('KEYS', '*')).toBe(keyOf(session.sid))
      expect(await redis('TYPE', keyOf(session.sid))).toBe('string')
      const left = Number(await redis('TTL', keyOf(session.sid)))
      expect(left).toBeGreaterThan(COPY_LIFETIME_SECONDS - 60)
      expect(left).toBeLessThanOrEqual(COPY_LIFETIME_SECONDS)
    })

    onServers('does not outlive its session, however often that is used', async () => {
      const session = await copied({ expiresAt: secondsAfter(wholeSecondNow(), 100) })
      await store.touch(session.sid, new Date())
      const left = Number(await redis('TTL', keyOf(session.sid)))
      expect(left).toBeGreaterThan(0)
      expect(left).toBeLessThanOrEqual(100)
    })

    onServers('holds no sessionId', async () => {
      const sessionId = newSessionId()
      const text = await copyOf(await kept({ sid: handleOf(sessionId) }))
      const hex = sessionId.replaceAll('-', '')
      for (const secret of [sessionId, hex, Buffer.from(hex, 'hex').toString('base64url')])
        expect(text).not.toContain(secret)
    })

    onServers.each<[string, Partial<Session>]>([
      ['from http://localhost:3000', { origin: 'http://localhost:3000' }],
      ['from the opaque origin', { origin: 'null' }],
      ['from an app', { origin: 'capacitor://localhost' }],
      ['from a port', { origin: 'https://a.test:8443' }],
      ['from nowhere', { origin: null, userAgent: null }],
      ['of a satellite', { source: 'satellite', permissions: REPORTS }],
      ['re-authenticated', { reauthenticatedAt: wholeSecondNow() }],
      ['proved earlier', { authTime: secondsAfter(wholeSecondNow(), -HOUR) }],
      ['voided', { authTime: new Date(0) }],
      ['with two factors', { amr: authMethods('pwd', 'otp') }],
      ['with what proves nothing', { amr: authMethods() }],
      ['with an empty user agent', { userAgent: '' }],
    ])('of a session %s says all of it', async (_, overrides) => {
      const session = await copied(overrides)
      const found: unknown[] = []
      const touch = async () => found.push(await store.touch(session.sid, new Date()))
      expect(await outcomesOf(touch)).toEqual({ hit: 1 })
      expect(found).toEqual([{ ...session, lastUsed: expect.any(Date) }])
    })

    const MOZILLA = 'Mozilla/5.0'
    const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0'
    onServers.each([
      [`${MOZILLA} (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36`, 6],
      [`${MOZILLA} (X11; Linux x86_64) ${CHROME} Safari/537.36`, 6],
      [`${MOZILLA} (Linux; Android 10; K) ${CHROME} Mobile Safari/537.36`, 7],
      [`${MOZILLA} (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36 Edg/131.0.0.0`, 11],
      [`${MOZILLA} (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0`, 12],
      [`${MOZILLA} (Macintosh; Intel Mac OS X 10.15; rv:133.0) Gecko/20100101 Firefox/133.0`, 12],
      [
        `${MOZILLA} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15`,
        7,
      ],
      [
        `${MOZILLA} (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1`,
        12,
      ],
      ['MainstayApp/2.1 (iOS 18.1)', 26],
      ['curl/8.5.0', 10],
      // Codes before, after and between other text, and again.
      ['a Chrome/1 Chrome/.0.0.0Chrome/Chrome/Chrome/z', 11],
    ])('has the user agent %s in %i bytes, and says it as it was', async (sent, bytes) => {
      const userAgent = shortUserAgent(sent) as string
      const session = await kept({ userAgent })
      // One of the codes is a line feed.
      const [, coded] = /^(?:.*\n){13}([\s\S]*)$/.exec(await copyOf(session)) as RegExpExecArray
      expect(coded).toHaveLength(bytes)
      expect(await store.touch(session.sid, new Date())).toMatchObject({ userAgent })
    })
  })

  describe('a refresh', () => {
    onServers('with a copy needs no database', async () => {
      const session = await copied()
      const own = await openRedisStore(server.url, {} as Database, { feed })
      try {
        const found: (Session | null)[] = []
        const touch = async () => found.push(await own.store.touch(session.sid, new Date()))
        expect(await outcomesOf(touch, own)).toEqual({ hit: 1 })
        expect(found).toEqual([{ ...session, lastUsed: expect.any(Date) }])
      } finally {
        own.close()
      }
    })

    onServers('without a copy leaves a lease of five seconds, also for what is no session', async () => {
      const unknown = handleOf(newSessionId())
      const touch = async () => expect(await store.touch(unknown, new Date())).toBeNull()
      expect(await outcomesOf(touch)).toEqual({ miss: 1 })
      expect(await textOf(unknown)).toMatch(LEASE)
      const left = Number(await redis('PTTL', keyOf(unknown)))
      expect(left).toBeGreaterThan(0)
      expect(left).toBeLessThanOrEqual(LEASE_MS)
    })

    onServers('after Redis was emptied is as good as before, and there is a copy again', async () => {
      const session = await copied()
      await redis('FLUSHALL')
      const touch = async () =>
        expect(await store.touch(session.sid, new Date())).toMatchObject({ sid: session.sid })
      expect(await outcomesOf(touch)).toEqual({ miss: 1 })
      await copyOf(session)
      expect(await outcomesOf(touch)).toEqual({ hit: 1 })
    })

    onServers.each([
      ['some text', 'rubbish'],
      ['too few fields', '1800000000generation\n1\n2\n3\n4'],
      ['nothing', ''],
    ])('that finds %s there replaces it', async (_, text) => {
      const session = await kept()
      await redis('SET', keyOf(session.sid), text)
      const touch = async () => expect(await store.touch(session.sid, new Date())).toEqual(session)
      expect(await outcomesOf(touch)).toEqual({ miss: 1 })
      const again = async () => expect(await store.touch(session.sid, new Date())).not.toBeNull()
      await eventually(async () => (await outcomesOf(again)).hit, { what: 'a copy' })
    })

    onServers('after two hours needs the database', async () => {
      const session = await copied()
      const touch = (seconds: number) => () => store.touch(session.sid, secondsAfter(new Date(), seconds))
      expect(await outcomesOf(touch(COPY_LIFETIME_SECONDS))).toEqual({ outdated: 1 })
    })

    onServers('after an hour has its answer from the copy, and a new copy follows', async () => {
      const session = await copied()
      await set(session.sid, { ip: '198.51.100.1' })
      const now = wholeSecondNow()
      const touch = (seconds: number) => store.touch(session.sid, secondsAfter(now, seconds))
      const before = await textOf(session.sid)
      expect(await outcomesOf(() => touch(HOUR - 10))).toEqual({ hit: 1 })
      // Only its stamp is new.
      expect((await textOf(session.sid))?.slice(10)).toBe(before?.slice(10))
      expect(await touch(HOUR + 10)).toMatchObject({ ip: session.ip })
      const isNew = async () => (await textOf(session.sid))?.slice(10) !== before?.slice(10)
      await eventually(isNew, { what: 'a new copy' })
      expect(await touch(HOUR + 20)).toMatchObject({ ip: '198.51.100.1' })
      // Which is also how the last use comes to the database.
      expect(await store.find(session.sid, now)).toMatchObject({ lastUsed: secondsAfter(now, HOUR + 10) })
    })

    onServers('leaves neither a copy nor a lease while the feed is not far enough', async () => {
      const session = await kept()
      const own = await openRedisStore(server.url, database, { feed: { origin: null } as ChangeFeed })
      try {
        expect(await own.store.touch(session.sid, new Date())).toEqual(session)
        expect(await textOf(session.sid, own)).toBeNull()
      } finally {
        own.close()
      }
    })

    onServers('reads the database while it cannot be told what has changed', async () => {
      const session = await copied()
      await set(session.sid, { ip: '198.51.100.2' })
      const unsure = { origin: null, judge: () => 'unknown' } as unknown as ChangeFeed
      const own = await openRedisStore(server.url, database, { feed: unsure })
      try {
        const touch = async () =>
          expect(await own.store.touch(session.sid, new Date())).toMatchObject({ ip: '198.51.100.2' })
        expect(await outcomesOf(touch, own)).toEqual({ unknown: 1 })
      } finally {
        own.close()
      }
    })
  })

  describe('an idle timeout', () => {
    async function limited(idleSeconds: number): Promise<Session> {
      const session = await kept()
      await database.run(db =>
        db.update(accounts).set({ idleSeconds }).where(eq(accounts.id, session.accountId)),
      )
      await copyOf(session)
      return session
    }
    const later = (seconds: number) => secondsAfter(wholeSecondNow(), seconds)

    onServers('that is over leaves no copy', async () => {
      const session = await limited(HOUR)
      expect(await store.touch(session.sid, later(HOUR + 10))).toBeNull()
      expect(await textOf(session.sid)).toBeNull()
    })

    onServers('is not over only because Redis has lost the newest uses', async () => {
      const session = await limited(HOUR)
      await set(session.sid, { lastUsed: later(3_000) })
      const touch = async () =>
        expect(await store.touch(session.sid, later(HOUR + 10))).toMatchObject({ sid: session.sid })
      expect(await outcomesOf(touch)).toEqual({ outdated: 1 })
    })

    onServers('counts from the last use, also when the copy is too old to be served', async () => {
      const session = await limited(8 * HOUR)
      expect(Number(await redis('TTL', keyOf(session.sid)))).toBeGreaterThan(8 * HOUR)
      await store.touch(session.sid, later(3_000))
      const touch = (seconds: number) => () => store.touch(session.sid, later(seconds))
      // The database knows of the first use only.
      expect(await touch(3_000 + 8 * HOUR - 60)()).toMatchObject({ sid: session.sid })
      expect(await outcomesOf(touch(3_000 + 16 * HOUR))).toEqual({ outdated: 1 })
    })

    onServers('brings the last use to the database after a quarter of it', async () => {
      const session = await limited(HOUR)
      const { sid } = session
      const usedAt = later(HOUR / 4)
      expect(await store.touch(sid, usedAt)).not.toBeNull()
      const lastUsed = async () => (await store.find(sid, usedAt))?.lastUsed
      await eventually(async () => (await lastUsed())?.getTime() === usedAt.getTime(), { what: 'the use' })
    })

    onServers('that a copy knows nothing of is over, however often it is tried', async () => {
      const session = await copied()
      const timeouts = { ...TIMEOUTS_OF_ACCOUNTS, haveIdleTimeouts: true, idleSeconds: () => HOUR }
      const own = await openRedisStore(server.url, database, { feed, timeouts })
      try {
        for (let tries = 0; tries < 3; tries++)
          expect(await own.store.touch(session.sid, later(HOUR + 10 + tries))).toBeNull()
      } finally {
        own.close()
      }
    })

    onServers('is not over while the database cannot say so', async () => {
      const session = await limited(HOUR)
      const down = { run: () => Promise.reject(unavailable('DATABASE_UNAVAILABLE')) } as unknown as Database
      const own = await openRedisStore(server.url, down, { feed })
      try {
        const touch = (seconds: number) => own.store.touch(session.sid, later(seconds))
        expect(await touch(1_000)).toMatchObject({ sid: session.sid })
        const before = await textOf(session.sid)
        for (let tries = 0; tries < 2; tries++)
          await expect(touch(HOUR + 1_010)).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
        expect(await textOf(session.sid)).toBe(before)
      } finally {
        own.close()
      }
    })
  })

  describe('a copy that was not deleted', () => {
    /** A process that cannot reach Redis to delete anything, and does not wait. */
    const careless = () => changesOn(database, { forget: async () => {} } as unknown as SessionStore)

    function outdated(sid: SessionHandle): Promise<unknown> {
      const touch = () => store.touch(sid, new Date())
      return eventually(async () => (await outcomesOf(touch)).outdated, { what: 'the copy to be outdated' })
    }

    slowOnServers('is outdated when its session has ended', async () => {
      const { sid } = await copied()
      const changes = careless()
      await changes.commit(transaction => changes.record(transaction, [{ kind: 'end', sid }], null))
      await outdated(sid)
      expect(await store.touch(sid, new Date())).toBeNull()
    })

    slowOnServers.each(['userId', 'accountId'] as const)(
      'is outdated when what its %s decides has changed, and a new one is not',
      async key => {
        const session = await copied({ permissions: OWNER })
        const { sid, userId } = session
        const changes = careless()
        await changes.commit(async transaction => {
          await transaction.update(users).set({ granted: REPORTS }).where(eq(users.id, userId))
          const change = { kind: 'permissions', [key]: session[key] } as never
          return changes.record(transaction, [change], null)
        })
        await outdated(sid)
        expect(await store.touch(sid, new Date())).toMatchObject({ permissions: REPORTS })
        // At first one that is as old as the mark of two seconds ago.
        const again = () => store.touch(sid, new Date())
        await eventually(async () => (await outcomesOf(again)).hit, { what: 'a copy that is current' })
      },
    )

    slowOnServers('is outdated when the database is another one', async () => {
      const session = await copied()
      const before = await textOf(session.sid)
      await database.run(db =>
        db
          .update(sessionCopies)
          .set({ generation: 'another', writtenBy: sql`pg_current_xact_id()` as never }),
      )
      await outdated(session.sid)
      const text = await eventually(
        async () => {
          await store.touch(session.sid, new Date())
          const now = await textOf(session.sid)
          return now?.slice(10) !== before?.slice(10) && now
        },
        { what: 'a new copy' },
      )
      expect(String(text).slice(10).split('\n')[1]).toBe('another')
    })
  })

  describe('a new copy', () => {
    /** A store whose reads of the database are answered when `open` was called. */
    async function slowStore() {
      const gate = aGate()
      const read = aGate()
      const slow = Object.create(database) as Database
      slow.run = async <T>(work: (db: Db) => Promise<T>) => {
        const found = await database.run(work)
        read.open()
        await gate.opened
        return found
      }
      const own = await openRedisStore(server.url, slow, { feed })
      return { own, read: read.opened, open: gate.open }
    }

    onServers('is not written when the session was changed since it was read', async () => {
      const session = await kept()
      // So that its script is known to the server.
      await copied()
      const { own, read, open } = await slowStore()
      try {
        const touching = own.store.touch(session.sid, new Date())
        await read
        await endSessions(database, store, session.sid)
        open()
        expect(await touching).toEqual(session)
        // The copy was sent before, on the same connection.
        expect(await textOf(session.sid, own)).toBeNull()
        expect(await store.touch(session.sid, new Date())).toBeNull()
      } finally {
        own.close()
      }
    })

    onServers('is written by who missed first, whoever comes meanwhile', async () => {
      const session = await kept()
      await copied()
      const { own, read, open } = await slowStore()
      try {
        const touching = own.store.touch(session.sid, new Date())
        await read
        const lease = await textOf(session.sid)
        expect(lease).toMatch(LEASE)
        expect(await store.touch(session.sid, new Date())).toMatchObject({ sid: session.sid })
        expect(await textOf(session.sid)).toBe(lease)
        open()
        expect(await touching).toEqual(session)
        await eventually(async () => !LEASE.test((await textOf(session.sid)) ?? 'lease '))
        expect(await outcomesOf(() => store.touch(session.sid, new Date()))).toEqual({ hit: 1 })
      } finally {
        own.close()
      }
    })

    onServers('is not written over one that was deleted while it was being renewed', async () => {
      const session = await copied()
      const { own, read, open } = await slowStore()
      try {
        const at = secondsAfter(new Date(), HOUR + 10)
        expect(await own.store.touch(session.sid, at)).toMatchObject({ sid: session.sid })
        await read
        await endSessions(database, store, session.sid)
        open()
        await eventually(async () => (await own.store.touch(session.sid, at)) === null)
        expect(await textOf(session.sid, own)).toMatch(LEASE)
      } finally {
        own.close()
      }
    })
  })

  describe('where Redis does not answer', () => {
    onServers(
      'a refresh has its answer from the database, and leaves the shard alone for a second',
      async () => {
        await withOwnRedis(async (own, ownServer) => {
          const session = await kept()
          await ownServer.stop()
          const asked: number[] = []
          const { runScript } = own.redis
          own.redis.runScript = (...args) => {
            asked.push(performance.now())
            return runScript.apply(own.redis, args)
          }
          const touch = () => own.store.touch(session.sid, new Date())
          expect(await outcomesOf(touch, own)).toEqual({ unavailable: 1 })
          expect(await touch()).toMatchObject({ sid: session.sid })
          expect(asked).toHaveLength(1)
          await eventually(async () => {
            expect(await touch()).toMatchObject({ sid: session.sid })
            return asked.length === 2
          })
          expect((asked[1] as number) - (asked[0] as number)).toBeGreaterThanOrEqual(1_000)
        })
      },
    )

    onServers('a refresh waits for it once, and no longer than it may', async () => {
      const timeoutMs = 200
      await withOwnRedis(
        async (own, ownServer) => {
          const session = await kept()
          await ownServer.kill('SIGSTOP')
          try {
            const startedAt = performance.now()
            expect(await own.store.touch(session.sid, new Date())).toEqual(session)
            expect(performance.now() - startedAt).toBeGreaterThanOrEqual(timeoutMs - 1)
            const touch = () => own.store.touch(session.sid, new Date())
            expect(await outcomesOf(touch, own)).toEqual({ unavailable: 1 })
            expect(await own.store.listByUser(session.userId, new Date())).toHaveLength(1)
          } finally {
            await ownServer.kill('SIGCONT')
          }
        },
        { timeoutMs },
      )
    })

    slowOnServers('all else goes on, and only the ping says so', async () => {
      await withOwnRedis(async (own, ownServer) => {
        await ownServer.stop()
        const session = await keptSession(database, own.store)
        const { sid, userId } = session
        const now = wholeSecondNow()
        expect(await own.store.find(sid, now)).toEqual(session)
        expect(await own.store.findAll([sid], now)).toEqual([session])
        expect(await own.store.listByUser(userId, now)).toEqual([session])
        const there = { ...session, ip: '198.51.100.4' }
        expect(await own.store.updateClient(sid, session, there, now)).toBe(true)
        expect(await stampSession(database, own.store, sid, aStamp(now), now)).toBe(true)
        expect(await own.store.voidAuthentication(sid, now)).toBe(true)
        expect(await endSessions(database, own.store, sid)).toBe(1)
        expect(await own.store.touch(sid, now)).toBeNull()
        await expect(own.store.ping()).rejects.toMatchObject({ code: 'SESSION_STORE_UNAVAILABLE' })
      })
    })

    slowOnServers('a change is answered once no process serves what was before', async () => {
      const session = await copied()
      const cutOff = await openRedisStore(server.url, database, { feed })
      cutOff.redis.onApplicationShutdown()
      const startedAt = performance.now()
      await endSessions(database, cutOff.store, session.sid)
      // Timers may be a millisecond early.
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(KNOWN_EVERYWHERE_AFTER_MS - 2)
      expect(await textOf(session.sid)).not.toBeNull()
      expect(await store.touch(session.sid, new Date())).toBeNull()
      const failures = cutOff.metrics.counters.find(
        ({ name }) => name === 'session_copy_write_failures_total',
      )
      expect(failures?.read()).toBe(1)
    })
  })

  describe('a change of a user with very many sessions', () => {
    /** More than are deleted at once, with the one that has a copy. */
    async function withMany(endedAt: ReturnType<typeof sql>): Promise<Session> {
      const session = await copied({ permissions: OWNER })
      await database.run(db =>
        db.execute(sql`
          insert into sessions (sid, user_id, account_id, source, ip, created_at, last_used, expires_at, ended_at, amr, auth_time)
          select gen_random_uuid(), user_id, account_id, source, ip, created_at, last_used, expires_at, ${endedAt}, amr, auth_time
          from sessions, generate_series(1, ${DELETED_AT_ONCE}) where sid = ${session.sid}`),
      )
      return session
    }

    async function cut({ userId }: Session): Promise<void> {
      const changes = changesOn(database, store)
      await changes.commit(async transaction => {
        await transaction.update(users).set({ granted: REPORTS }).where(eq(users.id, userId))
        return changes.record(transaction, [{ kind: 'permissions', userId }], null)
      })
    }

    onServers('deletes the copies of all of them', async () => {
      const session = await withMany(sql`null::timestamptz`)
      await cut(session)
      expect(await textOf(session.sid)).toBeNull()
      expect(await store.touch(session.sid, new Date())).toMatchObject({ permissions: REPORTS })
    })

    onServers('does not count those that ended too long ago to have one', async () => {
      const session = await withMany(sql`clock_timestamp() - interval '1 day'`)
      await cut(session)
      expect(await textOf(session.sid)).toBeNull()
    })

    onServers('finds them by the index, among millions', async () => {
      const { userId, accountId } = await kept()
      const queries: { sql: string; params: unknown[] }[] = []
      const watched = Object.create(database) as Database
      watched.run = work =>
        database.run(db => {
          const query = work(db)
          queries.push((query as unknown as { toSQL(): (typeof queries)[number] }).toSQL())
          return query
        })
      const own = await openRedisStore(server.url, watched, { feed })
      const client = new pg.Client({ connectionString: testDatabase.url })
      await client.connect()
      try {
        await own.store.forget({ sids: [], userIds: [userId], accountIds: [accountId] })
        // As a small table is read as a whole otherwise.
        await client.query('set enable_seqscan = off')
        const [query] = queries
        const { rows } = await client.query(`explain ${query?.sql}`, query?.params)
        const plan = rows.map(row => row['QUERY PLAN']).join('\n')
        expect(plan).toMatch(/ on sessions_user[\s\S]*Index Cond: \(user_id = ANY/)
      } finally {
        await client.end()
        own.close()
      }
    })

    onServers('deletes copies of those that have ended lately, in case nobody has yet', async () => {
      const session = await copied()
      await set(session.sid, { endedAt: new Date() })
      await store.forget({ sids: [], userIds: [session.userId], accountIds: [] })
      expect(await textOf(session.sid)).toBeNull()
    })
  })

  describe('a change after which the database does not answer', () => {
    onServers('deletes the copies of those that it named, and waits', async () => {
      const session = await copied()
      const gone = Object.create(database) as Database
      gone.run = () => Promise.reject(unavailable('DATABASE_UNAVAILABLE'))
      const waits = aGate()
      const waiting = { origin: null, reachesAll: () => waits.opened } as unknown as ChangeFeed
      const own = await openRedisStore(server.url, gone, { feed: waiting })
      try {
        let isAnswered = false
        const answered = own.store
          .forget({ sids: [session.sid], userIds: [session.userId], accountIds: [] })
          .then(() => (isAnswered = true))
        await eventually(async () => (await textOf(session.sid)) === null, { what: 'the copy to go' })
        expect(isAnswered).toBe(false)
        waits.open()
        await answered
      } finally {
        own.close()
      }
    })
  })

  describe('where Redis is full', () => {
    onServers('a copy is served all the same, and what is refused is no reason to fail', async () => {
      await withOwnRedis(async (own, { port }) => {
        const session = await kept()
        await own.store.touch(session.sid, new Date())
        await eventually(async () => !LEASE.test((await textOf(session.sid, own)) ?? 'lease     12345678'))
        await redisCli(port, 'CONFIG', 'SET', 'maxmemory', '1')
        const touch = async () =>
          expect(await own.store.touch(session.sid, new Date())).toMatchObject({ sid: session.sid })
        expect(await outcomesOf(touch, own)).toEqual({ hit: 1 })
        const other = await kept()
        expect(await own.store.touch(other.sid, new Date())).toEqual(other)
        expect(await endSessions(database, own.store, session.sid)).toBe(1)
        expect(await own.store.touch(session.sid, new Date())).toBeNull()
      })
    })

    onServers('copies are evicted, and nobody is worse off', async () => {
      await withOwnRedis(
        async (own, { port }) => {
          const many: Session[] = []
          for (let each = 0; each < 20; each++) many.push(await kept())
          for (const { sid } of many) await own.store.touch(sid, new Date())
          const fill = "for i = 1, 20000 do redis.call('SET', 'other:' .. i, string.rep('x', 500)) end"
          await redisCli(port, 'EVAL', fill, '0')
          await redisCli(port, 'SET', 'one', 'more')
          // A server that is full evicts a few at a time, between commands.
          await eventually(
            async () => Number(infoField(await redisCli(port, 'INFO', 'stats'), 'evicted_keys')) > 1_000,
            { what: 'more than a thousand keys to be evicted' },
          )
          for (const { sid } of many) expect(await own.store.touch(sid, new Date())).toMatchObject({ sid })
        },
        { args: ['--maxmemory', '4mb', '--maxmemory-policy', 'allkeys-lru'] },
      )
    })
  })

  describe('the list of a user', () => {
    onServers('says what the copies know of later uses, in their order', async () => {
      const first = await copied()
      const { userId, accountId } = first
      const second = await copied({ userId, accountId })
      const usedAt = secondsAfter(wholeSecondNow(), 60)
      await store.touch(first.sid, usedAt)
      const listed = await store.listByUser(userId, new Date())
      expect(listed.map(({ sid }) => sid)).toEqual([second.sid, first.sid])
      expect(listed[1]).toMatchObject({ lastUsed: usedAt })
    })

    onServers('says what the database knows where that is later, or there is no copy', async () => {
      const session = await copied()
      const lastUsed = secondsAfter(wholeSecondNow(), 60)
      await set(session.sid, { lastUsed })
      const isListed = async () =>
        expect(await store.listByUser(session.userId, new Date())).toMatchObject([{ lastUsed }])
      await isListed()
      for (const text of ['lease     12345678', 'rubbish', '']) {
        await redis('SET', keyOf(session.sid), text)
        await isListed()
      }
      await redis('DEL', keyOf(session.sid))
      await isListed()
    })

    onServers('of 50 takes about one round trip, not 50', async () => {
      const one = await kept()
      const { userId, accountId } = one
      for (let each = 1; each < 50; each++) await kept({ userId, accountId })
      const distant = await startDistantAddress(server.port, ONE_WAY_MS)
      const far = await openRedisStore(`redis://127.0.0.1:${distant.port}`, database, { feed })
      try {
        const before = distant.roundTrips
        expect(await far.store.listByUser(userId, new Date())).toHaveLength(50)
        const roundTrips = distant.roundTrips - before
        expect(roundTrips).toBeGreaterThanOrEqual(1)
        expect(roundTrips).toBeLessThan(10)
      } finally {
        far.close()
        distant.close()
      }
    })
  })
})
