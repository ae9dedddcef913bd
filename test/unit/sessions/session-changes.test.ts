import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { eq } from 'drizzle-orm'
import {
  Database,
  handleOf,
  mergeRecorded,
  NOTHING_RECORDED,
  newSessionId,
  type Permission,
  permissionsOf,
  type RecordedChanges,
  type Session,
  type SessionChange,
  SessionChangeLog,
  SessionChanges,
  type SessionHandle,
  type SessionId,
  SessionLinks,
  SessionStore,
  secondsAfter,
  sessionChanges,
  type User,
  UserSessions,
  unavailable,
  users,
} from '../../sources.js'
import { markLate, requireOf } from '../../support/factors.js'
import { listRow, listSession, openSession } from '../../support/open-session.js'
import { anOwner } from '../../support/people.js'
import { SHOP_ONE, TestApp } from '../../support/test-app.js'

const DAY = 24 * 60 * 60
const CLIENT = { requestId: 'a', ip: '192.0.2.1', userAgent: null, origin: null }

let app: TestApp
let database: Database
let log: SessionChangeLog
let changes: SessionChanges
let list: UserSessions
let owner: User
beforeAll(async () => {
  app = await TestApp.start()
  database = app.get(Database)
  log = app.get(SessionChangeLog)
  changes = app.get(SessionChanges)
  list = app.get(UserSessions)
})
afterAll(() => app.stop())
afterEach(() => void jest.restoreAllMocks())
beforeEach(async () => {
  owner = await anOwner(app)
})

const listed = (user = owner, seconds?: number) => listSession(app, user, seconds)

async function childOf(parentSid: SessionHandle): Promise<SessionHandle> {
  const sid = await listed()
  const parent = { sid: parentSid, expiresAt: secondsAfter(app.clock.now(), DAY) }
  const child = { sid, userId: owner.id, origin: SHOP_ONE } as Session
  await database.transaction(transaction => app.get(SessionLinks).add(transaction, child, parent))
  return sid
}

const left = () => list.sidsOf(owner.id, app.clock.now())
const grantOf = ({ id }: User) =>
  database.run(db => db.select().from(sessionChanges).where(eq(sessionChanges.userId, id)))
const endOf = (sid: SessionHandle) =>
  database.run(db => db.select().from(sessionChanges).where(eq(sessionChanges.sid, sid)))

async function revocations({ id }: User = owner) {
  const rows = await app.auditRows()
  return rows.filter(row => row.action === 'session.revoke' && row.userId === id)
}

describe('the log of what happens to sessions', () => {
  /** In no particular order. */
  const end = async (...endings: { sid: SessionHandle; keepsChildren?: boolean }[]) =>
    (await database.transaction(transaction => log.end(transaction, endings))).sort()

  it('ends sessions with their children, and says which were live', async () => {
    const [one, other, expired] = [await listed(), await listed(), await listed(owner, -1)]
    const child = await childOf(one)
    expect(await end({ sid: one }, { sid: expired })).toEqual([one, child].sort())
    expect(await left()).toEqual([other])
    expect((await endOf(one)).length + (await endOf(child)).length).toBe(2)
    expect(await endOf(expired)).toEqual([])
    expect(await end({ sid: one })).toEqual([])
  })

  it('ends all sessions of a user, except one, and none of other users', async () => {
    const other = await anOwner(app)
    const theirs = await listed(other)
    const [keep, ...rest] = [await listed(), await listed(), await listed()] as [
      SessionHandle,
      SessionHandle,
      SessionHandle,
    ]
    const all = (kept?: SessionHandle) =>
      database.transaction(transaction => log.endAll(transaction, [{ userId: owner.id, keep: kept }]))
    expect((await all(keep)).sort()).toEqual([...rest].sort())
    expect(await left()).toEqual([keep])
    expect(await all()).toEqual([keep])
    expect(await list.sidsOf(other.id, app.clock.now())).toEqual([theirs])
  })

  it('records a grant within the limits of users with sessions, until the last of these ends', async () => {
    const [limited, enrolling, without] = [await anOwner(app), await anOwner(app), await anOwner(app)]
    const [short, long] = [await listed(owner, 60), await listed(owner, DAY)]
    await listed(owner, -1)
    for (const user of [limited, enrolling]) await listed(user)
    const entitled = permissionsOf(['payments', 'dataEntry'])
    await database.run(db => db.update(users).set({ entitled }).where(eq(users.id, limited.id)))
    await requireOf(app, enrolling, 'everyone')
    await markLate(app, enrolling)
    const granted = permissionsOf(['dataEntry', 'viewReports'])
    const wanted = [without, enrolling, limited, owner].map(({ id: userId }) => ({ userId, granted }))
    const recorded = await database.transaction(transaction => log.grant(transaction, wanted))
    const names = (permissions: object) =>
      Object.entries(permissions).flatMap(([name, isGiven]) => (isGiven ? [name as Permission] : []))
    expect(recorded.map(grant => names(grant.granted))).toEqual([
      [],
      ['dataEntry'],
      ['dataEntry', 'viewReports'],
    ])
    expect([...(recorded.at(-1)?.sids ?? [])].sort()).toEqual([short, long].sort())
    const [row] = await grantOf(owner)
    expect(row?.until.getTime()).toBeGreaterThan(secondsAfter(app.clock.now(), DAY - 60).getTime())
    expect(await grantOf(without)).toEqual([])
  })

  it('keeps only the latest grant, with a higher number, and none once the user has no sessions', async () => {
    const sid = await listed()
    const grant = async (...names: Permission[]) =>
      (
        await database.transaction(transaction =>
          log.grant(transaction, [{ userId: owner.id, granted: permissionsOf(names) }]),
        )
      )[0]
    const [first, second] = [await grant('payments'), await grant('viewReports')]
    expect(second?.version).toBeGreaterThan(first?.version as number)
    expect(await grantOf(owner)).toMatchObject([
      { id: second?.version, granted: permissionsOf(['viewReports']) },
    ])
    await end({ sid })
    expect(await grant('payments')).toBeUndefined()
    expect(await grantOf(owner)).toEqual([])
  })

  it('forgets changes that no longer concern any session', async () => {
    const sid = await listed(owner, 60)
    await end({ sid })
    app.clock.advance(59)
    await log.removeExpired(app.clock.now())
    expect((await endOf(sid)).length).toBe(1)
    app.clock.advance(2)
    await log.removeExpired(app.clock.now())
    expect(await endOf(sid)).toEqual([])
  })
})

describe('changes of sessions', () => {
  const apply = (change: SessionChange) =>
    changes.commitChange(change, {
      action: 'session.revoke',
      outcome: 'ok',
      userId: owner.id,
      accountId: owner.accountId,
      client: null,
    })

  it('give live sessions what was granted, together with what else was decided', async () => {
    const [one, other] = [
      await openSession(app, owner, 'main', CLIENT),
      await openSession(app, owner, 'main', CLIENT),
    ]
    const granted = permissionsOf(['viewReports'])
    const recorded = await changes.commit(transaction =>
      changes.record(
        transaction,
        [
          { kind: 'end', sid: one.session.sid },
          { kind: 'set-permissions', userId: owner.id, granted },
        ],
        null,
      ),
    )
    expect(recorded.changes).toMatchObject({
      ended: [one.session.sid],
      grants: [{ sids: [other.session.sid], granted }],
    })
    const found = await app.get(SessionStore).find(other.session.sid, app.clock.now())
    expect(found?.permissions).toEqual(granted)
  })

  it('write a row when there was something to do, or when the change itself is news', async () => {
    const sid = await listed()
    await apply({ kind: 'end', sid })
    expect(await revocations()).toHaveLength(1)
    await apply({ kind: 'end', sid })
    await apply({ kind: 'end-all', userId: owner.id, auditsEvenIfNoneEnded: false })
    expect(await revocations()).toHaveLength(1)
    await apply({ kind: 'end-all', userId: owner.id })
    await apply({ kind: 'set-permissions', userId: owner.id, granted: permissionsOf([]) })
    expect(await revocations()).toHaveLength(3)
  })

  it('tell the store of a named session missing from the list, once for each', async () => {
    const told = jest.spyOn(app.get(SessionStore), 'apply')
    const [gone, live] = [randomBytes(32).toString('base64url') as SessionHandle, await listed()]
    const recorded = await database.transaction(transaction =>
      changes.record(
        transaction,
        [
          { kind: 'end', sid: gone },
          { kind: 'end', sid: live },
        ],
        null,
      ),
    )
    expect(recorded).toEqual({ changes: { ended: [gone, live], grants: [] }, ended: 1 })
    await changes.apply(recorded)
    expect(told).toHaveBeenCalledTimes(1)
  })

  it('continue after one fails, and report it', async () => {
    const failure = unavailable('SESSION_STORE_UNAVAILABLE')
    const told = jest.spyOn(app.get(SessionStore), 'apply').mockResolvedValue()
    told.mockRejectedValueOnce(failure)
    const granted = permissionsOf([])
    const grants = [1, 2].map(version => ({ version, sids: [], granted }))
    const changed = changes.apply({ changes: { ended: ['a' as SessionHandle], grants }, ended: 1 })
    await expect(changed).rejects.toBe(failure)
    expect(told).toHaveBeenCalledTimes(3)
  })

  describe('are followed by what is due after the commit', () => {
    let done: string[] = []
    beforeEach(() => {
      done = []
    })
    const following = (what: string): RecordedChanges => ({
      ...NOTHING_RECORDED,
      afterCommit: () => void done.push(what),
    })

    it('follow also when the store is unreachable, which is reported', async () => {
      const failure = unavailable('SESSION_STORE_UNAVAILABLE')
      jest.spyOn(app.get(SessionStore), 'apply').mockRejectedValue(failure)
      await expect(changes.commit(async () => following('mail'))).rejects.toBe(failure)
      await changes.commitToleratingOutage(async () => following('another'))
      expect(done).toEqual(['mail', 'another'])
    })

    it('do not follow when nothing is committed', async () => {
      const failure = new Error('refused')
      const refused = changes.commit(async () => {
        mergeRecorded(following('mail'), NOTHING_RECORDED)
        throw failure
      })
      await expect(refused).rejects.toBe(failure)
      expect(done).toEqual([])
    })

    it('reach the store even when a follow-up fails', async () => {
      const told = jest.spyOn(app.get(SessionStore), 'apply').mockResolvedValue()
      const failure = new Error('a fault')
      const afterCommit = () => {
        throw failure
      }
      const work = async () => ({
        changes: { ended: ['a' as SessionHandle], grants: [] },
        ended: 1,
        afterCommit,
      })
      await expect(changes.commit(work)).rejects.toBe(failure)
      expect(told).toHaveBeenCalledTimes(1)
    })
  })

  it('are told in their order where one decision made them, and together where there are many', async () => {
    const told = jest.spyOn(app.get(SessionStore), 'apply').mockResolvedValue()
    const grants = (count: number) =>
      Array.from({ length: count }, (_, version) => ({ version, sids: [], granted: permissionsOf([]) }))
    const ended = ['a' as SessionHandle]
    await changes.apply({ changes: { ended, grants: grants(10) }, ended: 1 })
    expect(
      told.mock.calls.map(([given]) => [given.ended.length, given.grants.map(({ version }) => version)]),
    ).toEqual([[1, []], ...grants(10).map(({ version }) => [0, [version]])])
    told.mockClear()
    await changes.apply({ changes: { ended, grants: grants(11) }, ended: 1 })
    expect(told.mock.calls.map(([given]) => [given.ended.length, given.grants.length])).toEqual([[1, 11]])
  })

  it('end one session with a reason, and say whether there was one', async () => {
    const [one, kept] = [await listed(), await listed()]
    const child = await childOf(kept)
    const of = (sid: SessionHandle) => ({ sid, userId: owner.id, accountId: owner.accountId })
    expect(await changes.end(of(one), null, 'a reason')).toBe(true)
    expect(await changes.end(of(one), null, 'a reason')).toBe(false)
    expect(await revocations()).toMatchObject([{ sid: one, detail: { reason: 'a reason' } }])
    expect(await changes.end(of(kept), null, 'moved', { keepsChildren: true })).toBe(true)
    expect(await left()).toEqual([child])
    const operator = { id: null, reason: 'by phone' }
    expect(await changes.end(of(child), null, 'ended', { operator })).toBe(true)
    expect(await changes.end(of(child), null, 'ended', { operator })).toBe(false)
    expect((await revocations()).at(-1)).toMatchObject({
      sid: child,
      detail: { reason: 'by phone', operator: 'command line' },
    })
  })

  it('refuse a request that was let in just before the session ended', async () => {
    const sid = await listed()
    const check = () => database.transaction(transaction => changes.requireNotRevoked(transaction, { sid }))
    await expect(check()).resolves.toBeUndefined()
    await apply({ kind: 'end', sid })
    await expect(check()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })

  describe('of a login that replaces others', () => {
    it('end what the browser had, each with a row, once for each', async () => {
      const { sessionId, session } = await openSession(app, owner, 'main', CLIENT)
      const told = jest.spyOn(app.get(SessionStore), 'apply')
      await changes.endReplaced([sessionId, sessionId, 'none of ours' as SessionId], CLIENT)
      expect(told.mock.calls).toEqual([[{ ended: [session.sid], grants: [] }]])
      expect(await revocations()).toMatchObject([
        { sid: session.sid, accountId: owner.accountId, detail: { reason: 'replaced by a new login' } },
      ])
      await changes.endReplaced([sessionId], CLIENT)
      expect(await revocations()).toHaveLength(1)
      expect(await left()).toEqual([])
    })

    it('write no row for an expired session, but still tell the store', async () => {
      const expired = newSessionId()
      const sid = handleOf(expired)
      const { sessionId, session } = await openSession(app, owner, 'main', CLIENT)
      await listRow(app, { sid, userId: owner.id, expiresAt: secondsAfter(app.clock.now(), -1) } as Session)
      const told = jest.spyOn(app.get(SessionStore), 'apply')
      await changes.endReplaced([expired, sessionId], CLIENT)
      expect(told.mock.calls.flatMap(([{ ended }]) => ended).sort()).toEqual([sid, session.sid].sort())
      expect((await revocations()).map(row => row.sid)).toEqual([session.sid])
    })
  })
})
