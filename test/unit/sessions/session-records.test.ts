import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { eq } from 'drizzle-orm'
import {
  Database,
  PastSessions,
  type Session,
  SessionChangeLog,
  SessionCleanup,
  type SessionHandle,
  SessionLinks,
  SessionStore,
  secondsAfter,
  sessionLinks,
  type User,
  UserSessions,
  userSessions,
} from '../../sources.js'
import { listSession, openSession } from '../../support/open-session.js'
import { passTime } from '../../support/passing-time.js'
import { anOwner } from '../../support/people.js'
import { SHOP_ONE, SHOP_TWO, TestApp } from '../../support/test-app.js'

const DAY = 24 * 60 * 60

let app: TestApp
let database: Database
let list: UserSessions
let links: SessionLinks
let owner: User
beforeAll(async () => {
  app = await TestApp.start()
  database = app.get(Database)
  list = app.get(UserSessions)
  links = app.get(SessionLinks)
})
afterAll(() => app.stop())
beforeEach(async () => {
  owner = await anOwner(app)
})

function aSid(): SessionHandle {
  return randomBytes(32).toString('base64url') as SessionHandle
}

const listed = (user: User, seconds?: number) => listSession(app, user, seconds)

/** A session of a satellite that came from `parentSid`. */
async function linked(origin: string, parentSid: SessionHandle, seconds = DAY): Promise<SessionHandle> {
  const childSid = aSid()
  const child = { sid: childSid, userId: owner.id, origin } as Session
  const parent = { sid: parentSid, expiresAt: secondsAfter(app.clock.now(), seconds) }
  await database.transaction(transaction => links.add(transaction, child, parent))
  return childSid
}

const linkOf = (childSid: SessionHandle) =>
  database.run(db => db.select().from(sessionLinks).where(eq(sessionLinks.childSid, childSid)))

describe('the list of a user’s sessions', () => {
  it('has those that are live, oldest first, and nobody else’s', async () => {
    const [first, second] = [await listed(owner), await listed(owner)]
    await listed(owner, -1)
    await listed(await anOwner(app))
    const now = app.clock.now()
    expect(await list.sidsOf(owner.id, now)).toEqual([first, second])
    expect(await list.sidsOf(owner.id, secondsAfter(now, DAY + 1))).toEqual([])
  })

  it('says whether one is still there, also to a transaction that keeps it there', async () => {
    const sid = await listed(owner)
    const answers = async (of: SessionHandle) => [
      await database.run(db => list.has(db, of)),
      await database.transaction(transaction => list.hasLocked(transaction, of)),
    ]
    expect(await answers(sid)).toEqual([true, true])
    expect(await answers(aSid())).toEqual([false, false])
  })

  it('says whose they are, in the order of login, without those that it does not have', async () => {
    const other = await anOwner(app)
    const [mine, theirs] = [await listed(owner), await listed(other)]
    const owners = await database.run(db => list.ownersOf(db, [theirs, aSid(), mine]))
    expect(owners).toEqual([
      { sid: mine, userId: owner.id, accountId: owner.accountId },
      { sid: theirs, userId: other.id, accountId: other.accountId },
    ])
  })

  it('forgets one session with its link, and no other', async () => {
    const parent = await listed(owner)
    const other = await linked(SHOP_ONE, parent)
    const child = await linked(SHOP_TWO, parent)
    await list.forget(child)
    expect([await linkOf(child), (await linkOf(other)).length]).toEqual([[], 1])
    await list.forget(parent)
    expect(await list.sidsOf(owner.id, app.clock.now())).toEqual([])
  })

  it('loses what has expired a day ago, and says how much', async () => {
    const live = await listed(owner)
    const recent = await listed(owner, 10 - DAY)
    await listed(owner, -1 - DAY)
    await listed(owner, -DAY)
    await list.removeExpired(app.clock.now())
    const rows = await database.run(db =>
      db.select().from(userSessions).where(eq(userSessions.userId, owner.id)),
    )
    expect(new Set(rows.map(({ sid }) => sid))).toEqual(new Set([live, recent]))
    expect(await list.removeExpired(secondsAfter(app.clock.now(), 2 * DAY + 60))).toBeGreaterThanOrEqual(1)
  })
})

describe('links of hand-offs', () => {
  it('say where the user has been logged in, until the session that they came from has expired', async () => {
    const parent = await listed(owner)
    const child = await linked(SHOP_ONE, parent, 60)
    expect(await linkOf(child)).toMatchObject([{ parentSid: parent, userId: owner.id, origin: SHOP_ONE }])
    expect(await links.isKnown(owner.id, SHOP_ONE)).toBe(true)
    expect(await links.isKnown(owner.id, SHOP_TWO)).toBe(false)
    expect(await links.isKnown((await anOwner(app)).id, SHOP_ONE)).toBe(false)
    app.clock.advance(61)
    expect(await links.isKnown(owner.id, SHOP_ONE)).toBe(false)
    expect((await linkOf(child)).length).toBe(1)
    expect(await links.removeExpired(app.clock.now())).toBeGreaterThanOrEqual(1)
    expect(await linkOf(child)).toEqual([])
  })
})

describe('why a session is over', () => {
  const outcomeOf = (sid: SessionHandle) => app.get(PastSessions).outcomeOf(sid)

  it('is known of one that has ended or expired, and of no other', async () => {
    const [ended, expired, live] = [await listed(owner), await listed(owner, 0), await listed(owner)]
    await database.transaction(transaction => app.get(SessionChangeLog).end(transaction, [{ sid: ended }]))
    expect(await Promise.all([ended, expired, live, aSid()].map(outcomeOf))).toEqual([
      'revoked',
      'expired',
      null,
      null,
    ])
  })

  it('is not known while the database does not answer', async () => {
    const expired = await listed(owner, 0)
    const failing = jest.spyOn(database, 'run').mockRejectedValue(new Error('not now'))
    try {
      expect(await outcomeOf(expired)).toBeNull()
    } finally {
      failing.mockRestore()
    }
    expect(await outcomeOf(expired)).toBe('expired')
  })
})

describe('the cleanup', () => {
  it('removes what has expired from every part, and says how many entries that were', async () => {
    const client = { requestId: 'a', ip: '192.0.2.1', userAgent: null, origin: null }
    const { session } = await openSession(app, owner, 'main', client)
    const child = await linked(SHOP_ONE, session.sid, 60)
    await passTime(app, 40 * DAY)
    expect(await app.get(SessionCleanup).run()).toBeGreaterThanOrEqual(3)
    expect(await linkOf(child)).toEqual([])
    expect(await database.run(db => list.has(db, session.sid))).toBe(false)
    await passTime(app, DAY)
    expect(await app.get(SessionCleanup).run()).toBe(0)
  })

  it('goes on with the other parts when one fails', async () => {
    const child = await linked(SHOP_ONE, aSid(), 60)
    await passTime(app, 2 * DAY)
    const failing = [app.get(SessionStore), app.get(SessionChangeLog)].map(part =>
      jest.spyOn(part, 'removeExpired').mockRejectedValue(new Error('not now')),
    )
    try {
      expect(await app.get(SessionCleanup).run()).toBe(1)
      expect(await linkOf(child)).toEqual([])
    } finally {
      for (const spy of failing) spy.mockRestore()
    }
  })
})
