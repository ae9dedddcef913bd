import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  authMethods,
  type Database,
  handleOf,
  newSessionId,
  type Permissions,
  permissionsOf,
  type Session,
  type SessionHandle,
  type SessionStore,
  type StoreChanges,
  secondsAfter,
  type UserSessions,
} from '../sources.js'
import { aSession, aStamp, wholeSecondNow } from './a-session.js'

/** A store on a server of its own, already serving. */
export interface OpenStore {
  readonly store: SessionStore
  /** Where the database says whose session it is. */
  readonly userSessions: UserSessions
  readonly database: Database
  /** Whether anything at all is kept under the handle, live or not. */
  keeps(sid: SessionHandle): Promise<boolean>
  close(): Promise<void>
}

const OWNER = permissionsOf(['payments', 'accountSettings', 'teamManagement', 'dataEntry', 'viewReports'])
const REPORTS = permissionsOf(['viewReports'])
const NOTHING = permissionsOf([])

/** What every SessionStore must do. `open` is called once; each test makes its own users. */
export function sessionStoreContract(
  name: string,
  open: () => Promise<OpenStore>,
  declare: (name: string, tests: () => void) => void = describe,
): void {
  declare(`SessionStore on ${name}`, () => {
    let opened: OpenStore
    let store: SessionStore

    beforeAll(async () => {
      opened = await open()
      store = opened.store
    }, 60_000)
    afterAll(() => opened?.close())

    async function kept(overrides: Partial<Session> = {}): Promise<Session> {
      const session = aSession(overrides)
      await openSession(session)
      return session
    }

    /** As a login does: in the store, then among its user's. */
    async function openSession(session: Session): Promise<void> {
      await store.create(session)
      await opened.database.run(db => opened.userSessions.add(db, session))
    }

    /** As whoever ends them does: recorded, then in the store. */
    function end(...ended: SessionHandle[]): Promise<void> {
      return change({ ended, grants: [] })
    }

    function grant(version: number, granted: Permissions, ...sids: SessionHandle[]): Promise<void> {
      return change({ ended: [], grants: [{ version, granted, sids }] })
    }

    async function change(changes: StoreChanges): Promise<void> {
      await opened.database.transaction(transaction => store.applyIn(transaction, changes))
      await store.apply(changes)
    }

    // First, for a client may have to connect or to fetch a connection from a pool for what comes together.
    test('answers many at once from the start', async () => {
      const unknown = Array.from({ length: 100 }, () => handleOf(newSessionId()))
      const answers = await Promise.all(unknown.map(sid => store.find(sid, new Date())))
      expect(new Set(answers)).toEqual(new Set([null]))
    })

    describe('create and find', () => {
      test.each<[string, Partial<Session>]>([
        ['of the main site', {}],
        ['of a satellite', { source: 'satellite', permissions: REPORTS, origin: 'https://shop-one.test' }],
        ['with every permission', { permissions: OWNER }],
        ['with no permission', { permissions: NOTHING }],
        ['outside browsers', { source: 'satellite', origin: null }],
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
        await store.remove(session.sid)
      })

      test('says null to a handle that it does not know', async () => {
        const unknown = handleOf(newSessionId())
        expect(await store.find(unknown, new Date())).toBeNull()
        expect(await store.touch(unknown, new Date())).toBeNull()
        expect(await opened.keeps(unknown)).toBe(false)
      })
    })

    describe('expiry', () => {
      test('counts from expiresAt on, although the session is still kept', async () => {
        const { sid, expiresAt } = await kept()
        const before = secondsAfter(expiresAt, -1)
        for (const now of [expiresAt, secondsAfter(expiresAt, 1)]) {
          expect(await store.find(sid, now)).toBeNull()
          expect(await store.touch(sid, now)).toBeNull()
        }
        expect(await opened.keeps(sid)).toBe(true)
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

      test('brings nothing back when the session ends among many touches', async () => {
        const sessions = await Promise.all(Array.from({ length: 10 }, () => kept()))
        const touches = (sid: SessionHandle) =>
          Array.from({ length: 10 }, () => store.touch(sid, wholeSecondNow()))
        await Promise.all(
          sessions.flatMap<Promise<unknown>>(({ sid }) => [
            ...touches(sid),
            store.remove(sid),
            ...touches(sid),
          ]),
        )
        for (const { sid, userId } of sessions) {
          expect(await store.touch(sid, wholeSecondNow())).toBeNull()
          expect(await opened.keeps(sid)).toBe(false)
          expect(await store.listByUser(userId, wholeSecondNow())).toEqual([])
        }
      })

      test('does not overwrite a change of permissions made meanwhile', async () => {
        for (let round = 0; round < 10; round++) {
          const { sid } = await kept({ permissions: OWNER })
          const touches = () => Array.from({ length: 10 }, () => store.touch(sid, wholeSecondNow()))
          await Promise.all([...touches(), grant(round + 1, REPORTS, sid), ...touches()])
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
        const session = await kept(from)
        expect(await store.updateClient(session.sid, from, to, new Date())).toBe(true)
        expect(await store.find(session.sid, new Date())).toEqual({ ...session, ...to })
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
        await store.remove(session.sid)
        expect(await store.updateClient(session.sid, here, there, new Date())).toBe(false)
        expect(await store.updateClient(handleOf(newSessionId()), here, there, new Date())).toBe(false)
        expect(await opened.keeps(session.sid)).toBe(false)
      })
    })

    describe('stampReauthentication', () => {
      test('stamps a live session and changes nothing else', async () => {
        const session = await kept()
        const at = secondsAfter(session.createdAt, 60)
        expect(await store.stampReauthentication(session.sid, aStamp(at), at)).toBe(true)
        const byPassword = { ...session, reauthenticatedAt: at, authTime: at }
        expect(await store.find(session.sid, at)).toEqual(byPassword)
        const later = secondsAfter(at, 60)
        const byCode = { ...aStamp(later), methods: authMethods('otp'), movesAuthTime: false }
        expect(await store.stampReauthentication(session.sid, byCode, later)).toBe(true)
        const byBoth = { ...byPassword, reauthenticatedAt: later, amr: authMethods('pwd', 'otp') }
        expect(await store.find(session.sid, later)).toEqual(byBoth)
        expect(await store.touch(session.sid, later)).toEqual(byBoth)
      })

      test('keeps what others have stamped meanwhile', async () => {
        const { sid } = await kept()
        const methods = (['otp', 'swk', 'hwk', 'user'] as const).map(method => authMethods(method))
        await Promise.all(
          methods.map(one =>
            store.stampReauthentication(sid, { ...aStamp(), methods: one, movesAuthTime: false }, new Date()),
          ),
        )
        expect((await store.find(sid, new Date()))?.amr).toBe(authMethods('pwd', 'otp', 'hwk', 'swk', 'user'))
        const isVoid = { authTime: new Date(0) }
        await store.voidAuthentication(sid, new Date())
        await store.stampReauthentication(sid, { ...aStamp(), movesAuthTime: false }, new Date())
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
        expect(await store.stampReauthentication(session.sid, aStamp(at), at)).toBe(true)
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
        expect(await store.stampReauthentication(session.sid, aStamp(), session.expiresAt)).toBe(false)
        expect(await store.voidAuthentication(session.sid, session.expiresAt)).toBe(false)
        expect(await store.find(session.sid, new Date())).toEqual(session)
      })

      test('brings nothing back that has ended', async () => {
        const { sid, userId } = await kept()
        const stamps = () =>
          Array.from({ length: 10 }, () => store.stampReauthentication(sid, aStamp(), new Date()))
        await Promise.all([...stamps(), store.remove(sid), ...stamps()])
        for (const ended of [sid, handleOf(newSessionId())]) {
          expect(await store.stampReauthentication(ended, aStamp(), new Date())).toBe(false)
          expect(await store.voidAuthentication(ended, new Date())).toBe(false)
        }
        expect(await opened.keeps(sid)).toBe(false)
        expect(await store.listByUser(userId, new Date())).toEqual([])
      })
    })

    describe('apply', () => {
      test('gives the named sessions what their source may have, and nobody else', async () => {
        const { userId, accountId, ...main } = await kept({ permissions: OWNER })
        const otherMain = await kept({ userId, accountId, permissions: OWNER })
        const satellite = await kept({ userId, accountId, source: 'satellite', permissions: REPORTS })
        const colleague = await kept({ accountId, permissions: OWNER })
        await grant(
          1,
          permissionsOf(['payments', 'dataEntry']),
          ...[main, otherMain, satellite].map(({ sid }) => sid),
        )
        const permissionsNow = async (sid: SessionHandle) => (await store.find(sid, new Date()))?.permissions
        expect(await permissionsNow(main.sid)).toEqual(permissionsOf(['payments', 'dataEntry']))
        expect(await permissionsNow(otherMain.sid)).toEqual(permissionsOf(['payments', 'dataEntry']))
        expect(await permissionsNow(satellite.sid)).toEqual(permissionsOf(['dataEntry']))
        expect(await store.find(colleague.sid, new Date())).toEqual(colleague)
      })

      test('ends the named sessions at once, and nobody else', async () => {
        const { sid, userId } = await kept()
        const alsoEnded = await kept({ userId })
        const other = await kept({ userId })
        for (const _ of ['once', 'again']) {
          await end(sid, alsoEnded.sid, handleOf(newSessionId()))
          expect(await store.find(sid, new Date())).toBeNull()
          expect(await opened.keeps(alsoEnded.sid)).toBe(false)
          expect(await store.listByUser(userId, new Date())).toEqual([other])
        }
      })

      test('makes no session of one that has ended', async () => {
        const { sid, userId } = await kept()
        await end(sid)
        await grant(1, OWNER, sid, handleOf(newSessionId()))
        expect(await opened.keeps(sid)).toBe(false)
        expect(await store.listByUser(userId, new Date())).toEqual([])
      })

      test('ends every one of very many', async () => {
        const userId = randomUUID()
        const sids: SessionHandle[] = []
        while (sids.length < 200) sids.push((await kept({ userId })).sid)
        await end(...sids)
        expect(await store.listByUser(userId, new Date())).toEqual([])
      })
    })

    describe('remove', () => {
      test('takes a session away and says so only once', async () => {
        const { sid } = await kept()
        expect(await store.remove(sid)).toBe(true)
        expect(await store.find(sid, new Date())).toBeNull()
        expect(await opened.keeps(sid)).toBe(false)
        expect(await store.remove(sid)).toBe(false)
        expect(await store.remove(handleOf(newSessionId()))).toBe(false)
      })
    })

    describe('listByUser', () => {
      test('lists the live sessions of the user and nobody else', async () => {
        const userId = randomUUID()
        const sessions = [await kept({ userId }), await kept({ userId, source: 'satellite' })]
        await kept()
        const listed = await store.listByUser(userId, new Date())
        expect(listed).toHaveLength(2)
        expect(listed).toEqual(expect.arrayContaining(sessions))
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

    test('keeps what is live when it clears away what has expired', async () => {
      const userId = randomUUID()
      const inAMinute = secondsAfter(wholeSecondNow(), 60)
      for (const expiresAt of [inAMinute, inAMinute]) await kept({ userId, expiresAt })
      const later = await kept({ userId, expiresAt: secondsAfter(inAMinute, 1) })
      await store.removeExpired(inAMinute)
      expect(await store.removeExpired(inAMinute)).toBe(0)
      expect(await store.listByUser(userId, inAMinute)).toEqual([later])
    })

    test('answers a ping', async () => {
      await expect(store.ping()).resolves.toBeUndefined()
    })
  })
}
