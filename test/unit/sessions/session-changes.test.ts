import { randomBytes } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { eq, sql } from 'drizzle-orm'
import {
  Database,
  handleOf,
  mergeRecorded,
  NOTHING_RECORDED,
  newSessionId,
  permissionsOf,
  type RecordedChanges,
  type Session,
  SessionChanges,
  type SessionHandle,
  type SessionId,
  SessionLinks,
  SessionStore,
  secondsAfter,
  sessionChanges,
  sessionLinks,
  sessions,
  type User,
  Users,
} from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { aGate } from '../../support/gate.js'
import { listRow, listSession, openSession } from '../../support/open-session.js'
import { anOwner } from '../../support/people.js'
import { anApp, SHOP_ONE } from '../../support/test-app.js'

const DAY = 24 * 60 * 60
const CLIENT = { requestId: 'a', ip: '192.0.2.1', userAgent: null, origin: null }

const app = anApp()
let database: Database
let changes: SessionChanges
let store: SessionStore
let owner: User
beforeAll(async () => {
  database = app.database
  changes = app.get(SessionChanges)
  store = app.get(SessionStore)
})
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

async function left({ id } = owner) {
  return (await store.listByUser(id, app.clock.now())).map(({ sid }) => sid).sort()
}
const changesWhere = (values: Partial<typeof sessionChanges.$inferSelect>) =>
  database.run(async db => {
    const rows = await db.select().from(sessionChanges)
    const names = Object.keys(values) as (keyof typeof values)[]
    return rows.filter(row => names.every(name => row[name] === values[name]))
  })
const rowOf = async (sid: SessionHandle) =>
  (await database.run(db => db.select().from(sessions).where(eq(sessions.sid, sid))))[0]

async function revocations({ id }: User = owner) {
  return app.auditRows({ userId: id, action: 'session.revoke' })
}

type SessionChange = Parameters<SessionChanges['commitChange']>[0]

const record = (...wanted: SessionChange[]) =>
  changes.commit(transaction => changes.record(transaction, wanted, null))
const ofSids = (...sids: SessionHandle[]) => ({ sids, userIds: [], accountIds: [] })

describe('sessions that end', () => {
  const end = (...sids: SessionHandle[]) => record(...sids.map(sid => ({ kind: 'end', sid }) as const))

  it('do so with their children, and what was live is made known', async () => {
    const [one, other, expired] = [await listed(), await listed(), await listed(owner, -1)]
    const child = await childOf(one)
    expect((await end(one, expired)).ended).toBe(2)
    expect(await left()).toEqual([other])
    const links = await database.run(db =>
      db.select().from(sessionLinks).where(eq(sessionLinks.childSid, child)),
    )
    expect(links).toEqual([])
    for (const sid of [one, child]) expect(await changesWhere({ sid })).toHaveLength(1)
    expect(await changesWhere({ sid: expired })).toEqual([])
    expect((await end(one)).ended).toBe(0)
    expect(await changesWhere({ sid: one })).toHaveLength(1)
  })

  it('say when, and no longer where their user was', async () => {
    const sid = await listed()
    const before = app.clock.now()
    await end(sid)
    const row = await rowOf(sid)
    expect(row).toMatchObject({ ip: '', userAgent: null, userId: owner.id })
    expect(row?.endedAt?.getTime()).toBeGreaterThanOrEqual(before.getTime())
    await end(sid)
    expect(await rowOf(sid)).toEqual(row)
  })

  it('are all of a user, except one, and none of other users', async () => {
    const other = await anOwner(app)
    const theirs = await listed(other)
    const [keep, ...rest] = [await listed(), await listed(), await listed()] as [
      SessionHandle,
      SessionHandle,
      SessionHandle,
    ]
    const kept = await record({ kind: 'end-all', userId: owner.id, keep })
    expect(kept.ended).toBe(2)
    expect([...kept.changed.sids].sort()).toEqual([...rest].sort())
    expect(await left()).toEqual([keep])
    expect((await record({ kind: 'end-all', userId: owner.id })).changed.sids).toEqual([keep])
    expect(await left(other)).toEqual([theirs])
  })
})

describe('what every replica reads of a change', () => {
  it.each([
    ['user', () => ({ userId: owner.id })],
    ['account', () => ({ accountId: owner.accountId })],
  ])('is one row of the %s whose permissions have changed, with its transaction', async (_, whose) => {
    for (let each = 0; each < 3; each++) await listed()
    const { rows, ...recorded } = await changes.commit(async transaction => {
      const made = await changes.record(transaction, [{ kind: 'permissions', ...whose() }], null)
      const ownRows = await transaction
        .select({ isOwn: sql<boolean>`${sessionChanges.xid} = pg_current_xact_id()` })
        .from(sessionChanges)
        .where(
          sql`${sessionChanges.userId} = ${owner.id} or ${sessionChanges.accountId} = ${owner.accountId}`,
        )
      return { ...made, rows: ownRows }
    })
    expect(rows).toEqual([{ isOwn: true }])
    expect(await changesWhere(whose())).toMatchObject([{ sid: null, ...whose() }])
    const named = { sids: [], userIds: [], accountIds: [], ...pluralOf(whose()) }
    expect(recorded).toEqual({ changed: named, ended: 0 })
  })

  it('is one row of a user all of whose sessions end, besides those of the sessions', async () => {
    const sid = await listed()
    await record({ kind: 'end-all', userId: owner.id })
    expect(await changesWhere({ userId: owner.id })).toHaveLength(1)
    expect(await changesWhere({ sid })).toEqual([])
  })

  it('is nothing where the transaction is rolled back', async () => {
    const sid = await listed()
    const failure = new Error('not after all')
    const work = changes.commit(async transaction => {
      await changes.record(transaction, [{ kind: 'end', sid }], null)
      throw failure
    })
    await expect(work).rejects.toBe(failure)
    expect(await changesWhere({ sid })).toEqual([])
    expect(await left()).toEqual([sid])
  })
})

function pluralOf(whose: object) {
  return Object.fromEntries(Object.entries(whose).map(([name, value]) => [`${name}s`, [value]]))
}

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
    const recorded = await changes.commit(async transaction => {
      await app.get(Users).setGranted(transaction, owner.id, granted)
      const wanted: SessionChange[] = [
        { kind: 'end', sid: one.session.sid },
        { kind: 'permissions', userId: owner.id },
      ]
      return changes.record(transaction, wanted, null)
    })
    expect(recorded).toEqual({
      changed: { sids: [one.session.sid], userIds: [owner.id], accountIds: [] },
      ended: 1,
    })
    for (const read of ['find', 'touch'] as const) {
      expect(await store[read](other.session.sid, app.clock.now())).toMatchObject({ permissions: granted })
      expect(await store[read](one.session.sid, app.clock.now())).toBeNull()
    }
  })

  it('write a row when there was something to do, or when the change itself is news', async () => {
    const sid = await listed()
    await apply({ kind: 'end', sid })
    expect(await revocations()).toHaveLength(1)
    await apply({ kind: 'end', sid })
    await apply({ kind: 'end-all', userId: owner.id, auditsEvenIfNoneEnded: false })
    expect(await revocations()).toHaveLength(1)
    await apply({ kind: 'end-all', userId: owner.id })
    await apply({ kind: 'permissions', userId: owner.id })
    expect(await revocations()).toHaveLength(3)
  })

  it('tell the store of a named session that had ended before, once for all', async () => {
    const told = jest.spyOn(store, 'forget')
    const [gone, live] = [randomBytes(32).toString('base64url') as SessionHandle, await listed()]
    const recorded = await record({ kind: 'end', sid: gone }, { kind: 'end', sid: live })
    expect(recorded).toEqual({ changed: ofSids(gone, live), ended: 1 })
    expect(told.mock.calls).toEqual([[ofSids(gone, live)]])
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

    it('follow at once, and the caller goes on when the copies are gone', async () => {
      const gate = aGate()
      const told = jest.spyOn(store, 'forget').mockReturnValue(gate.opened)
      const committed = changes.commit(async () => following('mail')).then(() => done.push('answer'))
      await eventually(() => told.mock.calls.length > 0)
      await database.ping()
      expect(done).toEqual(['mail'])
      gate.open()
      await committed
      expect(done).toEqual(['mail', 'answer'])
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
      const told = jest.spyOn(store, 'forget')
      const failure = new Error('a fault')
      const afterCommit = () => {
        throw failure
      }
      const work = async () => ({
        changed: ofSids('a' as SessionHandle),
        ended: 1,
        afterCommit,
      })
      await expect(changes.commit(work)).rejects.toBe(failure)
      expect(told).toHaveBeenCalledTimes(1)
    })
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
      const told = jest.spyOn(store, 'forget')
      await changes.endReplaced([sessionId, sessionId, 'none of ours' as SessionId], CLIENT)
      expect(told.mock.calls).toEqual([[ofSids(session.sid)]])
      expect(await revocations()).toMatchObject([
        { sid: session.sid, accountId: owner.accountId, detail: { reason: 'replaced by a new login' } },
      ])
      await changes.endReplaced([sessionId], CLIENT)
      expect(await revocations()).toHaveLength(1)
      expect(await left()).toEqual([])
    })

    it('write no row for an expired session', async () => {
      const expired = newSessionId()
      const sid = handleOf(expired)
      const { sessionId, session } = await openSession(app, owner, 'main', CLIENT)
      const { id: userId, accountId } = owner
      await listRow(app, { sid, userId, accountId, expiresAt: secondsAfter(app.clock.now(), -1) })
      await changes.endReplaced([expired, sessionId], CLIENT)
      expect((await revocations()).map(row => row.sid)).toEqual([session.sid])
      expect((await rowOf(sid))?.endedAt).toBeNull()
    })
  })
})
