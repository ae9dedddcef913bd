import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eq, sql } from 'drizzle-orm'
import {
  accounts,
  authMethods,
  CHANGES_KEPT_SECONDS,
  type Database,
  handleOf,
  newSessionId,
  type Permissions,
  permissionsOf,
  type ReauthenticationStamp,
  type Session,
  type SessionHandle,
  type SessionStore,
  secondsAfter,
  sessionChanges,
  sessions,
  users,
} from '../sources.js'
import { aSession, aStamp, wholeSecondNow } from './a-session.js'
import { addUser, changesOn, endSessions, keptSession, OWNER, stampSession } from './kept-session.js'

/** A store on servers of its own, already serving. */
export interface OpenStore {
  readonly store: SessionStore
  readonly database: Database
  /** Resolves once a touch of the session finds a copy; at once where there are none. */
  copied(sid: SessionHandle): Promise<void>
  close(): Promise<void>
}

const REPORTS = permissionsOf(['viewReports'])
const NOTHING = permissionsOf([])
const A_DAY_IN_SECONDS = 24 * 3600

/** What every SessionStore must do. `open` is called once; each test makes its own users. */
export function sessionStoreContract(
  name: string,
  open: () => Promise<OpenStore>,
  declare: (name: string, tests: () => void) => void = describe,
): void {
  declare(`SessionStore on ${name}`, () => {
    let opened: OpenStore
    let store: SessionStore
    let database: Database

    beforeAll(async () => {
      opened = await open()
      ;({ store, database } = opened)
    }, 60_000)
    afterAll(() => opened?.close())

    function kept(overrides: Partial<Session> = {}): Promise<Session> {
      return keptSession(database, store, overrides)
    }

    /** With a copy, where there are any. */
    async function copied(overrides: Partial<Session> = {}): Promise<Session> {
      const session = await kept(overrides)
      await opened.copied(session.sid)
      return session
    }

    const end = (...sids: SessionHandle[]) => endSessions(database, store, ...sids)
    const stamp = (...of: [SessionHandle, ReauthenticationStamp, Date]) =>
      stampSession(database, store, ...of)

    async function grant(userId: string, granted: Permissions): Promise<void> {
      const changes = changesOn(database, store)
      await changes.commit(async transaction => {
        await transaction.update(users).set({ granted }).where(eq(users.id, userId))
        return changes.record(transaction, [{ kind: 'permissions', userId }], null)
      })
    }

    async function entitle(accountId: string, entitled: Permissions | null): Promise<void> {
      const changes = changesOn(database, store)
      await changes.commit(async transaction => {
        await transaction.update(accounts).set({ entitled }).where(eq(accounts.id, accountId))
        return changes.record(transaction, [{ kind: 'permissions', accountId }], null)
      })
    }

    async function limit(accountId: string, idleSeconds: number | null): Promise<void> {
      const changes = changesOn(database, store)
      await changes.commit(async transaction => {
        await transaction.update(accounts).set({ idleSeconds }).where(eq(accounts.id, accountId))
        return changes.record(transaction, [{ kind: 'permissions', accountId }], null)
      })
    }

    /** By the two ways to read a session. */
    async function both(sid: SessionHandle, now = wholeSecondNow()) {
      return [await store.find(sid, now), await store.touch(sid, now)]
    }

    async function permissionsOfBoth(sid: SessionHandle) {
      return (await both(sid)).map(session => session?.permissions)
    }

    const isOpen = (sid: SessionHandle) => database.run(db => store.isOpen(db, sid))

    // First, for a client may have to connect or to fetch a connection from a pool for what comes together.
    test('answers many at once from the start', async () => {
      const unknown = Array.from({ length: 100 }, () => handleOf(newSessionId()))
      const answers = await Promise.all(unknown.map(sid => store.find(sid, new Date())))
      expect(new Set(answers)).toEqual(new Set([null]))
    })

    describe('add and find', () => {
      test.each<[string, Partial<Session>]>([
        ['of the main site', {}],
        ['of a satellite', { source: 'satellite', permissions: REPORTS, origin: 'https://shop-one.test' }],
        ['with every permission', { permissions: OWNER }],
        ['with no permission', { permissions: NOTHING }],
        ['outside browsers', { source: 'satellite', permissions: REPORTS, origin: null }],
        ['without a user agent', { userAgent: null }],
        ['without origin and user agent', { origin: null, userAgent: null }],
        ['over IPv6', { ip: '2001:db8:85a3:8d3:1319:8a2e:370:7348' }],
        ['over a link-local address', { ip: 'fe80::1%eth0' }],
        ['of a long origin', { origin: `https://${'shop.'.repeat(30)}example.net:8443` }],
        ['of a long user agent', { userAgent: 'x'.repeat(64) }],
        ['used since', { lastUsed: secondsAfter(wholeSecondNow(), 5) }],
        [
          'of the first and the last id',
          {
            userId: '00000000-0000-4000-8000-000000000000',
            accountId: 'ffffffff-ffff-4fff-bfff-ffffffffffff',
          },
        ],
      ])('gives back every field of a session %s', async (_, overrides) => {
        const session = await kept(overrides)
        expect(await store.find(session.sid, wholeSecondNow())).toEqual(session)
        await opened.copied(session.sid)
        const lastUsed = expect.any(Date)
        expect(await store.touch(session.sid, wholeSecondNow())).toEqual({ ...session, lastUsed })
      })

      test('says null to a handle that it does not know', async () => {
        const unknown = handleOf(newSessionId())
        expect(await store.find(unknown, new Date())).toBeNull()
        expect(await store.touch(unknown, new Date())).toBeNull()
        expect(await store.findAll([unknown], new Date())).toEqual([])
      })

      test('adds nothing when the login is rolled back', async () => {
        const session = aSession()
        await addUser(database, session, OWNER)
        await expect(
          database.transaction(async transaction => {
            await store.add(transaction, session)
            throw new Error('not after all')
          }),
        ).rejects.toThrow('not after all')
        expect(await both(session.sid)).toEqual([null, null])
      })

      test('finds many in the given order, without those that are not live', async () => {
        const [one, two, ended] = [await kept(), await kept(), await kept()]
        const expired = await kept({ expiresAt: secondsAfter(wholeSecondNow(), -1) })
        await end(ended.sid)
        const asked = [two.sid, ended.sid, handleOf(newSessionId()), one.sid, expired.sid]
        expect(await store.findAll(asked, wholeSecondNow())).toEqual([two, one])
        expect(await store.findAll([], wholeSecondNow())).toEqual([])
      })
    })

    describe('what a session may do', () => {
      test.each<[string, Partial<typeof accounts.$inferInsert>, string[] | null, string[]]>([
        ['granted', {}, null, ['payments', 'accountSettings', 'teamManagement', 'dataEntry', 'viewReports']],
        ['within the plan', { entitled: permissionsOf(['payments']) }, null, ['payments']],
        ['nothing before they enrol', { secondFactor: 'everyone', secondFactorEnforced: true }, null, []],
        ['as on a satellite for whom is kept to some', {}, [], ['dataEntry', 'viewReports']],
      ])('is what its user may now: %s', async (_, ofAccount, satellites, names) => {
        const session = await copied({ permissions: OWNER })
        await database.run(db =>
          db
            .update(accounts)
            .set({ name: 'Changed', ...ofAccount })
            .where(eq(accounts.id, session.accountId)),
        )
        // A trigger follows who has a second factor.
        const ofUser = { satellites, hasSecondFactor: false }
        await database.run(db => db.update(users).set(ofUser).where(eq(users.id, session.userId)))
        await store.forget({ sids: [], userIds: [session.userId], accountIds: [] })
        const permissions = permissionsOf(names as never)
        expect(await permissionsOfBoth(session.sid)).toEqual([permissions, permissions])
        const listed = await store.listByUser(session.userId, wholeSecondNow())
        expect(listed.map(each => each.permissions)).toEqual([permissions])
      })

      test('of a satellite is never more than satellites may', async () => {
        const { sid } = await copied({ source: 'satellite', permissions: OWNER })
        const permissions = permissionsOf(['dataEntry', 'viewReports'])
        expect(await permissionsOfBoth(sid)).toEqual([permissions, permissions])
      })

      test('changes for all sessions of the user, and for nobody else', async () => {
        const main = await copied({ permissions: OWNER })
        const { userId, accountId } = main
        const satellite = await copied({ userId, accountId, source: 'satellite' })
        const colleague = await copied({ accountId, permissions: OWNER })
        const granted = permissionsOf(['payments', 'dataEntry'])
        await grant(userId, granted)
        expect(await permissionsOfBoth(main.sid)).toEqual([granted, granted])
        const onSatellite = permissionsOf(['dataEntry'])
        expect(await permissionsOfBoth(satellite.sid)).toEqual([onSatellite, onSatellite])
        expect(await permissionsOfBoth(colleague.sid)).toEqual([OWNER, OWNER])
      })

      test('changes for all sessions of the account, and for no other', async () => {
        const one = await copied({ permissions: OWNER })
        const colleague = await copied({ accountId: one.accountId, permissions: OWNER })
        const stranger = await copied({ permissions: OWNER })
        for (const entitled of [REPORTS, null, NOTHING]) {
          await entitle(one.accountId, entitled)
          const permissions = entitled ?? OWNER
          for (const { sid } of [one, colleague]) {
            expect(await permissionsOfBoth(sid)).toEqual([permissions, permissions])
            await opened.copied(sid)
          }
        }
        expect(await permissionsOfBoth(stranger.sid)).toEqual([OWNER, OWNER])
      })
    })

    describe('expiry', () => {
      test('counts from expiresAt on, although the session is still kept', async () => {
        const { sid, expiresAt } = await copied()
        const before = secondsAfter(expiresAt, -1)
        for (const now of [expiresAt, secondsAfter(expiresAt, 1)]) {
          expect(await store.find(sid, now)).toBeNull()
          expect(await store.touch(sid, now)).toBeNull()
        }
        expect(await isOpen(sid)).toBe(true)
        expect(await store.find(sid, before)).toMatchObject({ sid })
        expect(await store.touch(sid, before)).toMatchObject({ sid })
      })

      test('leaves the session out of the list of its user', async () => {
        const { userId, expiresAt } = await kept()
        expect(await store.listByUser(userId, secondsAfter(expiresAt, -1))).toHaveLength(1)
        expect(await store.listByUser(userId, expiresAt)).toEqual([])
      })

      test('is not moved by use', async () => {
        const { sid, expiresAt } = await kept()
        const usedAt = secondsAfter(expiresAt, -1)
        expect(await store.touch(sid, usedAt)).toMatchObject({ expiresAt })
        expect(await store.find(sid, usedAt)).toMatchObject({ lastUsed: usedAt, expiresAt })
        expect(await store.find(sid, expiresAt)).toBeNull()
      })
    })

    describe('touch', () => {
      test('stamps lastUsed and changes nothing else, and says how the session was before', async () => {
        const session = await kept()
        const lastUsed = secondsAfter(session.createdAt, 600)
        expect(await store.touch(session.sid, lastUsed)).toEqual(session)
        expect(await store.find(session.sid, lastUsed)).toEqual({ ...session, lastUsed })
      })

      test('says each time when it was used before, and so does the list', async () => {
        const session = await copied()
        const times = [600, 1_200, 1_800].map(seconds => secondsAfter(session.createdAt, seconds))
        for (const [index, usedAt] of times.entries()) {
          const lastUsed = times[index - 1] ?? expect.any(Date)
          expect(await store.touch(session.sid, usedAt)).toEqual({ ...session, lastUsed })
          expect(await store.listByUser(session.userId, usedAt)).toEqual([{ ...session, lastUsed: usedAt }])
        }
      })

      test('brings nothing back when the session ends among many touches', async () => {
        const many = await Promise.all(Array.from({ length: 5 }, () => copied()))
        const touches = (sid: SessionHandle) =>
          Array.from({ length: 10 }, () => store.touch(sid, wholeSecondNow()))
        // One after the other, because a touch that has to wait for half a second is refused.
        for (const { sid } of many) await Promise.all<unknown>([...touches(sid), end(sid), ...touches(sid)])
        for (const { sid, userId } of many) {
          expect(await store.touch(sid, wholeSecondNow())).toBeNull()
          expect(await store.find(sid, wholeSecondNow())).toBeNull()
          expect(await store.listByUser(userId, wholeSecondNow())).toEqual([])
        }
      })

      test('does not overwrite a change of permissions made meanwhile', async () => {
        for (let round = 0; round < 10; round++) {
          const { sid, userId } = await copied({ permissions: OWNER })
          const touches = () => Array.from({ length: 10 }, () => store.touch(sid, wholeSecondNow()))
          await Promise.all([...touches(), grant(userId, REPORTS), ...touches()])
          expect(await store.touch(sid, wholeSecondNow())).toMatchObject({ permissions: REPORTS })
        }
      })
    })

    describe('updateClient', () => {
      const here = { ip: '203.0.113.7', userAgent: 'curl/8.5.0' }
      const there = { ip: '2001:db8::7', userAgent: 'curl/8.6.0' }

      test.each([
        ['another', here, there],
        ['one that sends no user agent', here, { ...there, userAgent: null }],
        ['one that sends a user agent now', { ...here, userAgent: null }, there],
        ['the same at another address', here, { ...here, ip: there.ip }],
      ])('notes that the client is %s', async (_, from, to) => {
        const { lastUsed: _used, ...session } = await copied(from)
        expect(await store.updateClient(session.sid, from, to, new Date())).toBe(true)
        for (const found of await both(session.sid)) expect(found).toMatchObject({ ...session, ...to })
      })

      test('tells one of many who see the same change', async () => {
        const { sid } = await kept(here)
        const moves = await Promise.all(
          Array.from({ length: 10 }, () => store.updateClient(sid, here, there, new Date())),
        )
        expect(moves.filter(Boolean)).toHaveLength(1)
      })

      test('changes nothing of a session that is elsewhere, ended, expired or unknown', async () => {
        const session = await kept(here)
        const elsewhere = { ...here, ip: '203.0.113.8' }
        expect(await store.updateClient(session.sid, elsewhere, there, new Date())).toBe(false)
        expect(await store.updateClient(session.sid, { ...here, userAgent: null }, there, new Date())).toBe(
          false,
        )
        expect(await store.updateClient(session.sid, here, there, session.expiresAt)).toBe(false)
        expect(await store.find(session.sid, new Date())).toEqual(session)
        await end(session.sid)
        expect(await store.updateClient(session.sid, here, there, new Date())).toBe(false)
        expect(await store.updateClient(handleOf(newSessionId()), here, there, new Date())).toBe(false)
        expect(await both(session.sid)).toEqual([null, null])
      })
    })

    describe('stampReauthentication', () => {
      test('stamps a live session and changes nothing else', async () => {
        const session = await kept()
        const at = secondsAfter(session.createdAt, 60)
        expect(await stamp(session.sid, aStamp(at), at)).toBe(true)
        const byPassword = { ...session, reauthenticatedAt: at, authTime: at }
        expect(await store.find(session.sid, at)).toEqual(byPassword)
        const later = secondsAfter(at, 60)
        const byCode = { ...aStamp(later), methods: authMethods('otp'), movesAuthTime: false }
        expect(await stamp(session.sid, byCode, later)).toBe(true)
        const byBoth = { ...byPassword, reauthenticatedAt: later, amr: authMethods('pwd', 'otp') }
        expect(await store.find(session.sid, later)).toEqual(byBoth)
        expect(await store.touch(session.sid, later)).toEqual(byBoth)
      })

      test('is in what the next touch returns', async () => {
        const { sid, createdAt } = await copied()
        const at = secondsAfter(createdAt, 60)
        await stamp(sid, aStamp(at), at)
        expect(await store.touch(sid, at)).toMatchObject({ reauthenticatedAt: at, authTime: at })
        await opened.copied(sid)
        await store.voidAuthentication(sid, at)
        expect(await store.touch(sid, at)).toMatchObject({ reauthenticatedAt: null, authTime: new Date(0) })
      })

      test('keeps what others have stamped meanwhile', async () => {
        const { sid } = await kept()
        const methods = (['otp', 'swk', 'hwk', 'user'] as const).map(method => authMethods(method))
        await Promise.all(
          methods.map(one => stamp(sid, { ...aStamp(), methods: one, movesAuthTime: false }, new Date())),
        )
        expect((await store.find(sid, new Date()))?.amr).toBe(authMethods('pwd', 'otp', 'hwk', 'swk', 'user'))
        const isVoid = { authTime: new Date(0) }
        await store.voidAuthentication(sid, new Date())
        await stamp(sid, { ...aStamp(), movesAuthTime: false }, new Date())
        expect(await store.find(sid, new Date())).toMatchObject(isVoid)
      })

      test('keeps a stamp given at the start, and through use', async () => {
        const reauthenticatedAt = secondsAfter(wholeSecondNow(), 5)
        const { sid } = await kept({ reauthenticatedAt })
        expect(await store.find(sid, new Date())).toMatchObject({ reauthenticatedAt })
        expect(await store.touch(sid, new Date())).toMatchObject({ reauthenticatedAt })
        expect(await store.find(sid, new Date())).toMatchObject({ reauthenticatedAt })
      })

      test('voids what there was, also where there is no stamp', async () => {
        const session = await kept({ amr: authMethods('hwk', 'user') })
        const at = session.createdAt
        expect(await store.voidAuthentication(session.sid, at)).toBe(true)
        const voided = { reauthenticatedAt: null, authTime: new Date(0) }
        expect(await store.find(session.sid, at)).toEqual({ ...session, ...voided })
        expect(await stamp(session.sid, aStamp(at), at)).toBe(true)
        const stamped = { reauthenticatedAt: at, amr: authMethods('pwd', 'hwk', 'user'), authTime: at }
        expect(await store.find(session.sid, at)).toEqual({ ...session, ...stamped })
        expect(await store.voidAuthentication(session.sid, at)).toBe(true)
        expect(await store.find(session.sid, at)).toEqual({ ...session, ...stamped, ...voided })
      })

      test('keeps what was proved at login, and when', async () => {
        const createdAt = wholeSecondNow()
        for (const proved of [
          { amr: authMethods('swk', 'user'), authTime: createdAt },
          { amr: authMethods('pwd'), authTime: secondsAfter(createdAt, -3600) },
        ]) {
          const session = await kept({ createdAt, ...proved })
          expect(await store.find(session.sid, new Date())).toEqual(session)
        }
      })

      test('leaves a session alone that has expired', async () => {
        const session = await kept()
        expect(await stamp(session.sid, aStamp(), session.expiresAt)).toBe(false)
        expect(await store.voidAuthentication(session.sid, session.expiresAt)).toBe(false)
        expect(await store.find(session.sid, new Date())).toEqual(session)
      })

      test('brings nothing back that has ended', async () => {
        const { sid, userId } = await copied()
        const stamps = () => Array.from({ length: 10 }, () => stamp(sid, aStamp(), new Date()))
        await Promise.all([...stamps(), end(sid), ...stamps()])
        for (const ended of [sid, handleOf(newSessionId())]) {
          expect(await stamp(ended, aStamp(), new Date())).toBe(false)
          expect(await store.voidAuthentication(ended, new Date())).toBe(false)
        }
        expect(await both(sid)).toEqual([null, null])
        expect(await store.listByUser(userId, new Date())).toEqual([])
      })
    })

    describe('an idle timeout', () => {
      const TIMEOUT = 3_600
      const limited = async (): Promise<Session> => {
        const session = await kept()
        await limit(session.accountId, TIMEOUT)
        await opened.copied(session.sid)
        return session
      }
      const touch = ({ sid, createdAt }: Session, seconds: number) =>
        store.touch(sid, secondsAfter(createdAt, seconds))

      test('is over for a session that was not used, however often it is tried', async () => {
        const session = await limited()
        expect(await touch(session, TIMEOUT + 10)).toBeNull()
        expect(await touch(session, TIMEOUT + 10)).toBeNull()
        expect(await touch(session, TIMEOUT + 11)).toBeNull()
        const now = secondsAfter(session.createdAt, TIMEOUT + 11)
        expect(await store.find(session.sid, now)).toBeNull()
        expect(await store.findAll([session.sid], now)).toEqual([])
      })

      test('begins anew with each use', async () => {
        const session = await limited()
        for (let seconds = 1_000; seconds < 5 * TIMEOUT; seconds += 1_000)
          expect(await touch(session, seconds)).toMatchObject({ sid: session.sid, idleSeconds: TIMEOUT })
        expect(await touch(session, 17_000 + TIMEOUT + 10)).toBeNull()
      })

      test('that is new applies to sessions there are, and one that is lifted to none', async () => {
        const session = await copied()
        expect(await touch(session, 10)).toMatchObject({ idleSeconds: null })
        await limit(session.accountId, TIMEOUT)
        for (let tries = 0; tries < 3; tries++) expect(await touch(session, 10 + TIMEOUT)).toBeNull()
        await limit(session.accountId, null)
        expect(await touch(session, 10 + TIMEOUT)).toMatchObject({ sid: session.sid })
      })

      test('that is over hides a session from the list of its user', async () => {
        const { userId, sid, createdAt } = await limited()
        const listed = async (seconds: number) =>
          (await store.listByUser(userId, secondsAfter(createdAt, seconds))).map(session => session.sid)
        expect(await listed(TIMEOUT - 10)).toEqual([sid])
        expect(await listed(TIMEOUT + 10)).toEqual([])
      })
    })

    describe('a session that has ended', () => {
      test('is gone at once, and nobody else is', async () => {
        const { sid, userId } = await copied()
        const alsoEnded = await copied({ userId })
        const other = await kept({ userId })
        expect(await end(sid, alsoEnded.sid, handleOf(newSessionId()))).toBe(2)
        for (const _ of ['once', 'again']) {
          for (const ended of [sid, alsoEnded.sid]) {
            expect(await both(ended)).toEqual([null, null])
            expect(await isOpen(ended)).toBe(false)
          }
          expect(await store.listByUser(userId, new Date())).toEqual([other])
          expect(await end(sid, alsoEnded.sid)).toBe(0)
        }
      })

      test('stays gone when what its user may do changes', async () => {
        const { sid, userId } = await copied()
        await end(sid)
        await grant(userId, OWNER)
        expect(await both(sid)).toEqual([null, null])
        expect(await store.listByUser(userId, new Date())).toEqual([])
      })

      test('can be one of very many', async () => {
        const userId = randomUUID()
        const sids: SessionHandle[] = []
        while (sids.length < 200) sids.push((await kept({ userId })).sid)
        expect(await end(...sids)).toBe(200)
        expect(await store.listByUser(userId, new Date())).toEqual([])
      })
    })

    describe('countLive', () => {
      test('counts neither what has ended nor what has expired, nor what is of somebody else', async () => {
        const { sid, userId } = await kept()
        const inAMinute = secondsAfter(wholeSecondNow(), 60)
        await kept({ userId, expiresAt: inAMinute })
        await kept({ userId })
        await kept()
        const count = (now: Date) => database.run(db => store.countLive(db, userId, now))
        expect(await count(new Date())).toBe(3)
        expect(await count(inAMinute)).toBe(2)
        await end(sid)
        expect(await count(inAMinute)).toBe(1)
      })
    })

    describe('isOpen', () => {
      test('is so until the session is ended, whether or not it has expired', async () => {
        const { sid } = await kept({ expiresAt: secondsAfter(wholeSecondNow(), 60) })
        expect(await isOpen(sid)).toBe(true)
        expect(await isOpen(handleOf(newSessionId()))).toBe(false)
        await end(sid)
        expect(await isOpen(sid)).toBe(false)
      })

      test('with a lock keeps the session from being ended until the transaction ends', async () => {
        const { sid } = await kept()
        const order: string[] = []
        const ending = await database.transaction(async transaction => {
          expect(await store.isOpen(transaction, sid, { lock: true })).toBe(true)
          const ended = end(sid).then(() => order.push('ended'))
          // Several times what it takes to end a session.
          for (let each = 0; each < 100; each++) await transaction.execute(sql`select 1`)
          order.push('unlocked')
          return { ended }
        })
        await ending.ended
        expect(order).toEqual(['unlocked', 'ended'])
      })
    })

    describe('ownersOf', () => {
      test('names those that have not been ended, in the order of login', async () => {
        const [one, two, ended] = [await kept(), await kept(), await kept()]
        await end(ended.sid)
        const asked = [two.sid, handleOf(newSessionId()), ended.sid, one.sid]
        expect(await database.run(db => store.ownersOf(db, asked))).toEqual(
          [one, two].map(({ sid, userId, accountId }) => ({ sid, userId, accountId })),
        )
        expect(await database.run(db => store.ownersOf(db, []))).toEqual([])
      })
    })

    describe('forget', () => {
      test.each([
        ['session', ({ sid }: Session) => ({ sids: [sid], userIds: [], accountIds: [] })],
        ['user', ({ userId }: Session) => ({ sids: [], userIds: [userId], accountIds: [] })],
        ['account', ({ accountId }: Session) => ({ sids: [], userIds: [], accountIds: [accountId] })],
      ])('lets a touch return what the database says, by its %s', async (_, changedOf) => {
        const session = await copied({ permissions: OWNER })
        await database.run(db =>
          db.update(users).set({ granted: NOTHING }).where(eq(users.id, session.userId)),
        )
        await store.forget(changedOf(session))
        expect(await store.touch(session.sid, wholeSecondNow())).toMatchObject({ permissions: NOTHING })
      })

      test('is fine with what is unknown, and with nothing', async () => {
        await store.forget({ sids: [], userIds: [], accountIds: [] })
        await store.forget({
          sids: [handleOf(newSessionId())],
          userIds: [randomUUID()],
          accountIds: [randomUUID()],
        })
      })
    })

    describe('listByUser', () => {
      test('lists the live sessions of the user and nobody else', async () => {
        const userId = randomUUID()
        const made = [await kept({ userId, permissions: REPORTS })]
        made.push(await kept({ userId, permissions: REPORTS, source: 'satellite' }))
        await kept()
        const listed = await store.listByUser(userId, new Date())
        expect(listed).toHaveLength(2)
        expect(listed).toEqual(expect.arrayContaining(made))
        expect(await store.listByUser(randomUUID(), new Date())).toEqual([])
      })

      test('begins with those used least lately, and of the same second with those opened first', async () => {
        const userId = randomUUID()
        const second = wholeSecondNow()
        const made: SessionHandle[] = []
        for (let ms = 0; ms < 20; ms++)
          made.push((await kept({ userId, lastUsed: new Date(second.getTime() + ms) })).sid)
        const unusedLonger = await kept({ userId, lastUsed: secondsAfter(second, -60) })
        await store.touch(made[3]!, secondsAfter(second, 60))
        const listed = await store.listByUser(userId, new Date())
        expect(listed.map(({ sid }) => sid)).toEqual([
          unusedLonger.sid,
          ...made.filter((_, index) => index !== 3),
          made[3],
        ])
      })
    })

    describe('removeExpired', () => {
      test('takes away what expired a day ago, and keeps what is live', async () => {
        const userId = randomUUID()
        const inAMinute = secondsAfter(wholeSecondNow(), 60)
        const dayAfter = secondsAfter(inAMinute, A_DAY_IN_SECONDS)
        await store.removeExpired(dayAfter)
        for (const expiresAt of [inAMinute, inAMinute]) await kept({ userId, expiresAt })
        const later = await kept({ userId, expiresAt: secondsAfter(inAMinute, 1) })
        expect(await store.removeExpired(secondsAfter(dayAfter, -1))).toBe(0)
        expect(await store.removeExpired(dayAfter)).toBe(2)
        expect(await store.removeExpired(dayAfter)).toBe(0)
        expect(await store.listByUser(userId, inAMinute)).toEqual([later])
        const rows = await database.run(db => db.select().from(sessions).where(eq(sessions.userId, userId)))
        expect(rows.map(({ sid }) => sid)).toEqual([later.sid])
      })

      test('takes away changes that no copy can be older than, by the clock of the database', async () => {
        await store.removeExpired(new Date())
        const { sid } = aSession()
        const ago = (seconds: number) => sql`clock_timestamp() - make_interval(secs => ${seconds})`
        const changes = [CHANGES_KEPT_SECONDS + 1, CHANGES_KEPT_SECONDS - 60].map(seconds => {
          return { sid, recordedAt: ago(seconds) }
        })
        await database.run(db => db.insert(sessionChanges).values(changes))
        expect(await store.removeExpired(new Date())).toBe(1)
        const left = await database.run(db =>
          db.select().from(sessionChanges).where(eq(sessionChanges.sid, sid)),
        )
        expect(left).toHaveLength(1)
      })
    })

    test('answers a ping', async () => {
      await expect(store.ping()).resolves.toBeUndefined()
    })
  })
}
