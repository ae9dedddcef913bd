import { randomBytes } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { eq, inArray } from 'drizzle-orm'
import {
  Database,
  PastSessions,
  type Session,
  SessionChanges,
  SessionCleanup,
  type SessionHandle,
  SessionLinks,
  SessionStore,
  secondsAfter,
  sessionLinks,
  sessions,
  type User,
} from '../../sources.js'
import { listSession, openSession } from '../../support/open-session.js'
import { passTime } from '../../support/passing-time.js'
import { anOwner } from '../../support/people.js'
import { anApp, SHOP_ONE, SHOP_TWO } from '../../support/test-app.js'

const DAY = 24 * 60 * 60

const app = anApp()
let database: Database
let links: SessionLinks
let owner: User
beforeAll(async () => {
  database = app.database
  links = app.get(SessionLinks)
})
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
  const outcomeOf = async (sid: SessionHandle) => (await app.get(PastSessions).find(sid))?.outcome ?? null

  it('is known of one that has ended or expired, and of no other', async () => {
    const [ended, expired, live] = [await listed(owner), await listed(owner, 0), await listed(owner)]
    await app.get(SessionChanges).end({ ...owner, userId: owner.id, sid: ended }, null, 'a reason')
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
    const ended = await listed(owner)
    await app.get(SessionChanges).end({ ...owner, userId: owner.id, sid: ended }, null, 'a reason')
    const child = await linked(SHOP_ONE, session.sid, 60)
    const sids = [session.sid, ended]
    const rows = () => database.run(db => db.$count(sessions, inArray(sessions.sid, sids)))
    expect(await rows()).toBe(2)
    await passTime(app, 40 * DAY)
    expect(await app.get(SessionCleanup).run()).toBeGreaterThanOrEqual(3)
    expect(await linkOf(child)).toEqual([])
    expect(await rows()).toBe(0)
    await passTime(app, DAY)
    expect(await app.get(SessionCleanup).run()).toBe(0)
  })

  it('goes on with the other parts when one fails', async () => {
    const child = await linked(SHOP_ONE, aSid(), 60)
    await passTime(app, 2 * DAY)
    const failing = jest.spyOn(app.get(SessionStore), 'removeExpired').mockRejectedValue(new Error('not now'))
    try {
      expect(await app.get(SessionCleanup).run()).toBe(1)
      expect(await linkOf(child)).toEqual([])
    } finally {
      failing.mockRestore()
    }
  })
})
