import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals'
import { AccountsService } from '../../src/accounts/accounts.service.js'
import { Passwords } from '../../src/accounts/passwords.js'
import type { User } from '../../src/accounts/user.js'
import { Users } from '../../src/accounts/users.js'
import { AttemptLimits } from '../../src/attempts/attempt-limits.js'
import { PasswordReset } from '../../src/auth/password-reset.service.js'
import { SessionStore } from '../../src/sessions/session-store.js'
import { SessionsService } from '../../src/sessions/sessions.service.js'
import type { TestResponse } from '../support/http-request.js'
import { aMember, anOwner, PASSWORD, type SignedIn, signIn } from '../support/people.js'
import { BACKENDS, MAIN, TestApp } from '../support/test-app.js'
import { bearer, logOut, outcome, refreshByCookie, refreshByHeader } from './api-calls.js'
import { heldCall } from './held-call.js'
import { provenSession, reauthenticate, STEP_UP_CHALLENGE } from './reauthenticate.js'
import { claimsOf } from './token-claims.js'

const NEW_PASSWORD = 'seven quiet otters juggle'

let app: TestApp
afterEach(() => {
  jest.restoreAllMocks()
})

describe.each(BACKENDS)('POST /api/password/change, on %s', backend => {
  beforeAll(async () => {
    app = await TestApp.start(backend, { LOG_LEVEL: 'silent' })
  })
  afterAll(() => app.stop())

  it('sets the password, ends all other sessions and keeps this one', async () => {
    const owner = await anOwner(app)
    const current = await provenSession(app, owner)
    const main = await signIn(app, owner, 'main')
    const satellite = await signIn(app, owner, 'satellite')
    const answer = await change(current)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(outcome(await refreshByCookie(app, main.sessionId))).toBe('401 SESSION_NOT_FOUND')
    expect(outcome(await refreshByHeader(app, satellite.sessionId))).toBe('401 SESSION_NOT_FOUND')
    expect(outcome(await refreshByCookie(app, current.sessionId))).toBe('200')
    expect(await logIn(owner, PASSWORD)).toBe('401 INVALID_CREDENTIALS')
    expect(await logIn(owner, NEW_PASSWORD)).toBe('200')

    const [mail] = await app.mailsTo(owner.email)
    expect(mail?.subject).toBe('Your password for www.main.test was changed')
    const rows = (await app.auditRows()).filter(row => row.action === 'password.change')
    expect(rows.filter(row => row.userId === owner.id)).toEqual([
      expect.objectContaining({
        outcome: 'ok',
        accountId: owner.accountId,
        sid: claimsOf(current.accessToken).sid,
      }),
    ])
  })

  it('keeps the sessions of others in the account', async () => {
    const owner = await anOwner(app)
    const member = await signIn(app, await aMember(app, owner), 'main')
    await change(await provenSession(app, owner))
    expect(outcome(await refreshByCookie(app, member.sessionId))).toBe('200')
  })

  it('asks for the old password first', async () => {
    const owner = await anOwner(app)
    const session = await signIn(app, owner, 'main')
    const answer = await change(session)
    expect(outcome(answer)).toBe('401 REAUTHENTICATION_REQUIRED')
    expect(answer.headers['www-authenticate']).toBe(STEP_UP_CHALLENGE)
    await reauthenticate(app, session)
    app.clock.advance(600)
    expect(outcome(await change(session))).toBe('401 REAUTHENTICATION_REQUIRED')
    expect(await logIn(owner, PASSWORD)).toBe('200')
  })

  it('is refused to a session that has ended', async () => {
    const session = await provenSession(app, await anOwner(app))
    await logOut(app, session.accessToken)
    expect(outcome(await change(session))).toBe('401 SESSION_NOT_FOUND')
  })

  it('refuses a weak password and ends nothing', async () => {
    const owner = await anOwner(app)
    const session = await provenSession(app, owner)
    const other = await signIn(app, owner, 'main')
    expect(outcome(await change(session, 'password1'))).toBe('400 WEAK_PASSWORD')
    expect(outcome(await change(session, owner.email.split('@')[0]))).toBe('400 WEAK_PASSWORD')
    expect(outcome(await change(session, 'seven77'))).toBe('400 INVALID_BODY')
    expect(outcome(await refreshByCookie(app, other.sessionId))).toBe('200')
  })

  it('makes links for a new password worthless', async () => {
    const owner = await anOwner(app)
    await app.app.get(PasswordReset).startReset(owner)
    const token = await app.mailedToken(owner.email)
    await change(await provenSession(app, owner))
    const answer = await app.request({
      method: 'POST',
      path: '/api/password/reset',
      body: { token, password: 'another one of these' },
    })
    expect(outcome(answer)).toBe('400 INVALID_LINK')
  })

  it('leaves no session to a login with the old password that began before', async () => {
    const owner = await anOwner(app)
    const session = await provenSession(app, owner)
    const held = heldCall(app.app.get(SessionsService), 'open')
    const login = logIn(owner, PASSWORD)
    await held.begun
    expect(outcome(await change(session))).toBe('204')
    held.release()
    expect(await login).toBe('503 TOO_BUSY')
    expect(await app.app.get(SessionStore).listByUser(owner.id, app.clock.now())).toHaveLength(1)
  })

  it('is not done by a session that is ended at the same moment', async () => {
    const owner = await anOwner(app)
    const thief = await provenSession(app, owner)
    app.clock.advance(2)
    const held = heldCall(app.app.get(SessionStore), 'apply')
    // Decided and committed; the store has not been told.
    const ending = app.app.get(AccountsService).endSessions(owner)
    await held.begun
    expect(outcome(await change(thief))).toBe('401 SESSION_NOT_FOUND')
    held.release()
    await ending
    expect(await logIn(owner, PASSWORD)).toBe('200')
  })
})

describe('with several connections to the database', () => {
  beforeAll(async () => {
    app = await TestApp.start('redis + postgres', { LOG_LEVEL: 'silent' })
  })
  afterAll(() => app.stop())

  it('a login with the old password that ends while it is being changed leaves no session', async () => {
    const owner = await anOwner(app)
    const session = await provenSession(app, owner)
    const held = heldCall(app.app.get(Users), 'lock')
    const changing = change(session)
    await held.begun
    const { sessionId } = await signIn(app, owner, 'main')
    held.release()
    expect(outcome(await changing)).toBe('204')
    expect(outcome(await refreshByCookie(app, sessionId))).toBe('401 SESSION_NOT_FOUND')
  })

  it('of a hundred logins around a change none with the old password survives', async () => {
    const owner = await anOwner(app)
    const session = await provenSession(app, owner)
    const uncounted = { succeeded: async () => {}, failed: async () => {}, takeBack: async () => {} }
    jest.spyOn(app.app.get(AttemptLimits), 'count').mockResolvedValue(uncounted)
    let changing: Promise<TestResponse> | undefined
    const answers: string[] = []
    for (let round = 0; round < 10; round++) {
      if (round === 4) changing = change(session)
      answers.push(...(await Promise.all(Array.from({ length: 10 }, () => logIn(owner, PASSWORD)))))
    }
    expect(outcome((await changing) as TestResponse)).toBe('204')
    expect(answers).toContain('200')
    expect(answers.at(-1)).toBe('401 INVALID_CREDENTIALS')
    const left = await app.app.get(SessionStore).listByUser(owner.id, app.clock.now())
    expect(left.map(({ sid }) => sid)).toEqual([claimsOf(session.accessToken).sid])
    const hash = (await app.app.get(Users).find(owner.id))?.passwordHash as string
    expect(await app.app.get(Passwords).verify(hash, NEW_PASSWORD, null)).toBe(true)
  })
})

function change({ accessToken }: SignedIn, password = NEW_PASSWORD): Promise<TestResponse> {
  return app.request({
    method: 'POST',
    path: '/api/password/change',
    headers: { Origin: MAIN, ...bearer(accessToken) },
    body: { password },
    timeoutMs: 30_000,
  })
}

async function logIn({ email }: User, password: string): Promise<string> {
  const answer = await app.request({
    method: 'POST',
    path: '/api/login',
    headers: { Origin: MAIN },
    body: { email, password, source: 'main' },
    timeoutMs: 30_000,
  })
  return outcome(answer)
}
