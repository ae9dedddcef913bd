import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { secondsAfter } from '../../src/clock/clock.js'
import { permissionsOf } from '../../src/permissions/permissions.js'
import type { Session } from '../../src/sessions/session.js'
import { handleOf, newSessionId, type SessionHandle } from '../../src/sessions/session-id.js'
import type { SessionStore } from '../../src/sessions/session-store.js'
import { aSession, wholeSecondNow } from './a-session.js'

/** A store on a server of its own, already serving. */
export interface OpenStore {
  readonly store: SessionStore
  /** Whether anything at all is kept under the handle, live or not. */
  keeps(sid: SessionHandle): Promise<boolean>
  close(): Promise<void>
}

const OWNER = permissionsOf(['payments', 'accountSettings', 'teamManagement', 'dataEntry', 'viewReports'])
const REPORTS = permissionsOf(['viewReports'])
const NOTHING = permissionsOf([])

/** What every SessionStore must do. `open` is called once; each test makes its own users. */
export function sessionStoreContract(name: string, open: () => Promise<OpenStore>): void {
  describe(`SessionStore on ${name}`, () => {
    let opened: OpenStore
    let store: SessionStore

    beforeAll(async () => {
      opened = await open()
      store = opened.store
    }, 60_000)
    afterAll(() => opened?.close())

    async function kept(overrides: Partial<Session> = {}): Promise<Session> {
      const session = aSession(overrides)
      await store.create(session)
      return session
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
        expect(await store.touch(sid, usedAt)).toMatchObject({ lastUsed: usedAt, expiresAt })
        expect(await store.find(sid, usedAt)).toMatchObject({ expiresAt })
        expect(await store.find(sid, expiresAt)).toBeNull()
      })
    })

    describe('touch', () => {
      test('stamps lastUsed and changes nothing else', async () => {
        const session = await kept()
        const lastUsed = secondsAfter(session.createdAt, 600)
        expect(await store.touch(session.sid, lastUsed)).toEqual({ ...session, lastUsed })
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
          const { sid, userId } = await kept({ permissions: OWNER })
          const touches = () => Array.from({ length: 10 }, () => store.touch(sid, wholeSecondNow()))
          await Promise.all([
            ...touches(),
            store.setPermissions(userId, { main: REPORTS, satellite: NOTHING }),
            ...touches(),
          ])
          expect(await store.touch(sid, wholeSecondNow())).toMatchObject({ permissions: REPORTS })
        }
      })
    })

    describe('setPermissions', () => {
      test('gives all sessions of the user what their source may have, and nobody else', async () => {
        const { userId, accountId, ...main } = await kept({ permissions: OWNER })
        const otherMain = await kept({ userId, accountId, permissions: OWNER })
        const satellite = await kept({ userId, accountId, source: 'satellite', permissions: REPORTS })
        const colleague = await kept({ accountId, permissions: OWNER })
        const mainPermissions = permissionsOf(['payments', 'viewReports'])
        const satellitePermissions = permissionsOf(['dataEntry'])
        await store.setPermissions(userId, { main: mainPermissions, satellite: satellitePermissions })
        const permissionsNow = async (sid: SessionHandle) => (await store.find(sid, new Date()))?.permissions
        expect(await permissionsNow(main.sid)).toEqual(mainPermissions)
        expect(await permissionsNow(otherMain.sid)).toEqual(mainPermissions)
        expect(await permissionsNow(satellite.sid)).toEqual(satellitePermissions)
        expect(await store.find(colleague.sid, new Date())).toEqual(colleague)
      })

      test('makes no session of one that has ended', async () => {
        const { sid, userId } = await kept()
        await store.remove(sid)
        await store.setPermissions(userId, { main: OWNER, satellite: OWNER })
        await store.setPermissions(randomUUID(), { main: OWNER, satellite: OWNER })
        expect(await opened.keeps(sid)).toBe(false)
        expect(await store.listByUser(userId, new Date())).toEqual([])
      })
    })

    describe('remove', () => {
      test('ends the session at once and says so only once', async () => {
        const { sid } = await kept()
        expect(await store.remove(sid)).toBe(true)
        expect(await store.find(sid, new Date())).toBeNull()
        expect(await opened.keeps(sid)).toBe(false)
        expect(await store.remove(sid)).toBe(false)
        expect(await store.remove(handleOf(newSessionId()))).toBe(false)
      })

      test('spares the other sessions of the user', async () => {
        const { sid, userId } = await kept()
        const other = await kept({ userId })
        await store.remove(sid)
        expect(await store.listByUser(userId, new Date())).toEqual([other])
      })
    })

    describe('removeByUser', () => {
      test('ends what was made until then and spares what is newer', async () => {
        const userId = randomUUID()
        const until = wholeSecondNow()
        const before = await kept({ userId, createdAt: secondsAfter(until, -1) })
        const inTheSameSecond = await kept({ userId, source: 'satellite', createdAt: until })
        const after = await kept({ userId, createdAt: secondsAfter(until, 1) })
        expect(await store.removeByUser(userId, until)).toBe(2)
        expect(await store.listByUser(userId, new Date())).toEqual([after])
        expect(await opened.keeps(before.sid)).toBe(false)
        expect(await opened.keeps(inTheSameSecond.sid)).toBe(false)
        expect(await store.removeByUser(userId, until)).toBe(0)
        expect(await store.find(after.sid, new Date())).toEqual(after)
      })

      test('ends nothing of anybody else', async () => {
        const { userId, accountId } = await kept()
        const colleague = await kept({ accountId })
        expect(await store.removeByUser(userId, secondsAfter(new Date(), 60))).toBe(1)
        expect(await store.listByUser(colleague.userId, new Date())).toEqual([colleague])
        expect(await store.removeByUser(randomUUID(), new Date())).toBe(0)
      })

      test('ends every one of very many', async () => {
        const userId = randomUUID()
        await Promise.all(Array.from({ length: 200 }, () => kept({ userId })))
        expect(await store.removeByUser(userId, secondsAfter(new Date(), 60))).toBe(200)
        expect(await store.listByUser(userId, new Date())).toEqual([])
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
    })

    describe('removeExpired', () => {
      test('clears away what has expired, says how much, and keeps the rest', async () => {
        const userId = randomUUID()
        const inAMinute = secondsAfter(wholeSecondNow(), 60)
        for (const expiresAt of [inAMinute, inAMinute, inAMinute]) await kept({ userId, expiresAt })
        const later = await kept({ userId, expiresAt: secondsAfter(inAMinute, 1) })
        expect(await store.removeExpired(secondsAfter(inAMinute, -1))).toBe(0)
        expect(await store.removeExpired(inAMinute)).toBe(3)
        expect(await store.removeExpired(inAMinute)).toBe(0)
        expect(await store.listByUser(userId, inAMinute)).toEqual([later])
      })
    })

    test('answers a ping', async () => {
      await expect(store.ping()).resolves.toBeUndefined()
    })

    test('waits for what must be replayed before it serves', async () => {
      const session = await kept()
      const ended = await kept()
      await store.beforeServing(async () => {
        await store.remove(ended.sid)
      })
      expect(await store.find(ended.sid, new Date())).toBeNull()
      expect(await store.find(session.sid, new Date())).toEqual(session)
    })
  })
}
