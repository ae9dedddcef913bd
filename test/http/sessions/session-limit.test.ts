import { describe, expect, it, jest } from '@jest/globals'
import { type SessionHandle, SessionStore, type User, Users, unavailable } from '../../sources.js'
import { openSession } from '../../support/open-session.js'
import { anOwner, aSignedInOwner, signIn } from '../../support/people.js'
import { anApp, SHOP_ONE, TestApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { outcome, refreshByCookie, refreshByHeader } from '../support/api-calls.js'
import { handOff } from '../support/handoff-calls.js'
import { claimsOf } from '../support/token-claims.js'
import { untilWaiting } from '../support/waiting-statements.js'

const CLIENT = { requestId: 'a-request', ip: '203.0.113.7', userAgent: 'curl/8.5.0', origin: null }

describe('the limit of sessions a user', () => {
  describe('as it is', () => {
    const app = anApp()

    it('is 50: the 51st login succeeds and ends the session used least lately', async () => {
      const owner = await aSignedInOwner(app)
      const first = await signIn(app, owner, 'main')
      app.clock.advance(60)
      await open(app, owner, 48)
      expect(await liveSids(app, owner)).toHaveLength(50)
      app.clock.advance(60)
      // Older than the 48, but used since.
      expect(outcome(await refreshByCookie(app, first.sessionId))).toBe('200')
      const next = await signIn(app, owner, 'main')
      expect(await liveSids(app, owner)).toHaveLength(50)
      expect(outcome(await refreshByCookie(app, owner.sessionId))).toBe('401 SESSION_NOT_FOUND')
      for (const { sessionId } of [first, next])
        expect(outcome(await refreshByCookie(app, sessionId))).toBe('200')
      const { sid } = claimsOf(owner.accessToken)
      expect(await app.auditRows({ action: 'session.revoke' })).toMatchObject([
        {
          outcome: 'ok',
          userId: owner.id,
          accountId: owner.accountId,
          sid,
          detail: { reason: 'too many sessions' },
        },
      ])
    })

    it('keeps nobody out while the store cannot list the sessions of before', async () => {
      const owner = await anOwner(app)
      await open(app, owner, 50)
      const store = app.get(SessionStore)
      const failing = jest
        .spyOn(store, 'listByUser')
        .mockImplementation(() => Promise.reject(unavailable('DATABASE_UNAVAILABLE')))
      const late = await signIn(app, owner, 'main').finally(() => failing.mockRestore())
      expect(outcome(await refreshByCookie(app, late.sessionId))).toBe('200')
      await signIn(app, owner, 'main')
      expect(await liveSids(app, owner)).toHaveLength(50)
    })

    it('holds for 60 logins at once, which end no more than ten', async () => {
      const owner = await anOwner(app)
      await open(app, owner, 60)
      expect(await liveSids(app, owner)).toHaveLength(50)
      const ended = await app.auditRows({ userId: owner.id, action: 'session.revoke' })
      expect(ended).toHaveLength(10)
    })
  })

  describe('as MAX_SESSIONS_PER_USER sets it', () => {
    const app = anApp({ MAX_SESSIONS_PER_USER: '2' })

    it('lets the newest of logins in the same second stay', async () => {
      const owner = await anOwner(app)
      const signedIn = []
      for (let login = 0; login < 5; login++) signedIn.push(await signIn(app, owner, 'main'))
      const answers = []
      for (const { sessionId } of signedIn) answers.push(outcome(await refreshByCookie(app, sessionId)))
      expect(answers).toEqual([...Array(3).fill('401 SESSION_NOT_FOUND'), '200', '200'])
    })

    it('ends a session of the main site without those that it was handed off to', async () => {
      const owner = await aSignedInOwner(app)
      app.clock.advance(60)
      const child = await handOff(app, owner, SHOP_ONE)
      await signIn(app, owner, 'main')
      expect(outcome(await refreshByCookie(app, owner.sessionId))).toBe('401 SESSION_NOT_FOUND')
      expect(outcome(await refreshByHeader(app, child.sessionId))).toBe('200')
    })

    it('does not count what has expired', async () => {
      const owner = await anOwner(app)
      await open(app, owner, 2)
      app.clock.advance(app.settings.sessionTtlSeconds)
      const sessions = [await signIn(app, owner, 'main'), await signIn(app, owner, 'main')]
      for (const { sessionId } of sessions) expect(outcome(await refreshByCookie(app, sessionId))).toBe('200')
      expect(await app.auditRows({ userId: owner.id, action: 'session.revoke' })).toEqual([])
    })
  })
})

slow('MAX_SESSIONS_PER_USER holds for logins that wait for each other', async () => {
  const app = await TestApp.start({ MAX_SESSIONS_PER_USER: '2' })
  try {
    const owner = await anOwner(app)
    const database = app.database
    let logins: Promise<unknown>[] = []
    // None of their statements sees the rows of the others when it begins.
    await database.transaction(async transaction => {
      await app.get(Users).lock(transaction, owner.id)
      logins = Array.from({ length: 4 }, () => signIn(app, owner, 'satellite'))
      await untilWaiting(app, logins.length)
    })
    await Promise.all(logins)
    expect(await liveSids(app, owner)).toHaveLength(2)
  } finally {
    await app.stop()
  }
})

/** Sessions without their logins, all at once. */
async function open(app: TestApp, user: User, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => openSession(app, user, 'satellite', CLIENT)))
}

async function liveSids(app: TestApp, { id }: User): Promise<SessionHandle[]> {
  const live = await app.get(SessionStore).listByUser(id, app.clock.now())
  return live.map(({ sid }) => sid)
}
