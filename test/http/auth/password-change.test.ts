import { afterEach, describe, expect, it, jest } from '@jest/globals'
import { Passwords, RateLimiter, SessionStore, type User, UserAdministration, Users } from '../../sources.js'
import type { TestResponse } from '../../support/http-request.js'
import { anOwner, aSignedInOwner, PASSWORD, type SignedIn, sendLogin, signIn } from '../../support/people.js'
import { mailResetLink } from '../../support/reset-link.js'
import { anApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { UNCOUNTED } from '../../support/uncounted.js'
import { outcome, refreshByCookie, refreshByHeader } from '../support/api-calls.js'
import { heldCall } from '../support/held-call.js'
import { aProvenOwner, onMainSite, provenSession } from '../support/reauthenticate.js'
import { claimsOf } from '../support/token-claims.js'

const NEW_PASSWORD = 'seven quiet otters juggle'

// As many sessions as logins: else the limit would end some.
const app = anApp({ MAX_SESSIONS_PER_USER: '200' })
afterEach(() => {
  jest.restoreAllMocks()
})

describe('POST /api/password/change', () => {
  it('sets the password, ends all other sessions and keeps this one', async () => {
    const owner = await aProvenOwner(app)
    const main = await signIn(app, owner, 'main')
    const satellite = await signIn(app, owner, 'satellite')
    const answer = await change(owner)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(outcome(await refreshByCookie(app, main.sessionId))).toBe('401 SESSION_NOT_FOUND')
    expect(outcome(await refreshByHeader(app, satellite.sessionId))).toBe('401 SESSION_NOT_FOUND')
    expect(outcome(await refreshByCookie(app, owner.sessionId))).toBe('200')
    expect(await logIn(owner, PASSWORD)).toBe('401 INVALID_CREDENTIALS')
    expect(await logIn(owner, NEW_PASSWORD)).toBe('200')

    const [mail] = await app.mailsTo(owner.email)
    expect(mail?.subject).toBe('Your password for Mainstay has been changed')
    expect(mail?.text).toContain('Choose a new password:\nhttps://www.main.test/forgot-password')
    const text = mail?.text.replaceAll(/\s+/g, ' ')
    expect(text).toContain(
      'If your e-mail address was about to change, or the account about to be transferred, that has been cancelled.',
    )
    // Those links still work, and do more than a new password.
    expect(text).toContain('use the link “This was not me” in an earlier e-mail')
    expect(await app.auditRows({ userId: owner.id, action: 'password.change' })).toEqual([
      expect.objectContaining({
        outcome: 'ok',
        accountId: owner.accountId,
        sid: claimsOf(owner.accessToken).sid,
      }),
    ])
  })

  it('security M2: asks for the password of now, and counts wrong ones like those at a login', async () => {
    const owner = await anOwner(app)
    // A re-authentication of a moment ago is not enough: the token may be a thief's.
    const session = await provenSession(app, owner)
    const wrong = { currentPassword: 'a password of nobody', password: NEW_PASSWORD }
    expect(outcome(await ask(session, { password: NEW_PASSWORD }))).toBe('400 INVALID_BODY')
    for (let guess = 0; guess < 10; guess++)
      expect(outcome(await ask(session, wrong))).toBe('401 INVALID_CREDENTIALS')
    expect(outcome(await ask(session, wrong))).toBe('429 TOO_MANY_ATTEMPTS')
    const failed = await app.auditRows({ userId: owner.id, action: 'password.change' })
    expect(failed.map(({ outcome }) => outcome)).toEqual(Array(10).fill('failed'))
  })

  it('security M2: is open to satellites and apps, by the password of now', async () => {
    const owner = await aSignedInOwner(app, 'satellite')
    expect(outcome(await change(owner))).toBe('204')
    expect(await logIn(owner, NEW_PASSWORD)).toBe('200')
    expect(outcome(await refreshByHeader(app, owner.sessionId))).toBe('200')
  })

  it('refuses a weak password and ends nothing', async () => {
    const owner = await aProvenOwner(app)
    const other = await signIn(app, owner, 'main')
    expect(outcome(await change(owner, 'password1'))).toBe('400 WEAK_PASSWORD')
    expect(outcome(await change(owner, owner.email.split('@')[0]))).toBe('400 WEAK_PASSWORD')
    expect(outcome(await change(owner, 'seven77'))).toBe('400 INVALID_BODY')
    expect(outcome(await refreshByCookie(app, other.sessionId))).toBe('200')
  })

  it('security M1: leaves a mailed link for a new password good', async () => {
    const owner = await anOwner(app)
    await mailResetLink(app, owner)
    const token = await app.mailedToken(owner.email)
    await change(await provenSession(app, owner))
    const body = { token, password: 'another one of these' }
    const answer = await app.post('/api/password/reset', body, {})
    expect(outcome(answer)).toBe('200')
  })

  it('leaves no session to a login with the old password that began before', async () => {
    const owner = await aProvenOwner(app)
    const held = heldCall(app.get(Users), 'lockUnchanged')
    const login = logIn(owner, PASSWORD)
    await held.begun
    expect(outcome(await change(owner))).toBe('204')
    held.release()
    expect(await login).toBe('503 TOO_BUSY')
    expect(await app.get(SessionStore).listByUser(owner.id, app.clock.now())).toHaveLength(1)
  })

  it('is not made by a session that is ended at the same moment', async () => {
    const owner = await aProvenOwner(app)
    app.clock.advance(2)
    const held = heldCall(app.get(SessionStore), 'forget')
    // Decided and committed; its copies are still there.
    const ending = app.get(UserAdministration).endSessions(owner)
    await held.begun
    expect(outcome(await change(owner))).toBe('401 SESSION_NOT_FOUND')
    held.release()
    await ending
    expect(await logIn(owner, PASSWORD)).toBe('200')
  })
})

describe('with several connections to the database', () => {
  slow('a login with the old password that ends while it is being changed leaves no session', async () => {
    const owner = await aProvenOwner(app)
    const held = heldCall(app.get(Users), 'lock')
    const changing = change(owner)
    await held.begun
    const { sessionId } = await signIn(app, owner, 'main')
    held.release()
    expect(outcome(await changing)).toBe('204')
    expect(outcome(await refreshByCookie(app, sessionId))).toBe('401 SESSION_NOT_FOUND')
  })

  slow('leaves none of a hundred logins with the old password alive', async () => {
    const owner = await aProvenOwner(app)
    jest.spyOn(app.get(RateLimiter), 'count').mockResolvedValue(UNCOUNTED)
    let changing: Promise<TestResponse> | undefined
    const answers: string[] = []
    for (let round = 0; round < 10; round++) {
      if (round === 4) changing = change(owner)
      answers.push(...(await Promise.all(Array.from({ length: 10 }, () => logIn(owner, PASSWORD)))))
    }
    expect(outcome((await changing) as TestResponse)).toBe('204')
    expect(answers).toContain('200')
    expect(answers.at(-1)).toBe('401 INVALID_CREDENTIALS')
    const left = await app.get(SessionStore).listByUser(owner.id, app.clock.now())
    expect(left.map(({ sid }) => sid)).toEqual([claimsOf(owner.accessToken).sid])
    const hash = (await app.get(Users).find(owner.id))?.passwordHash as string
    expect(await app.get(Passwords).verify(hash, NEW_PASSWORD, null)).toBe(true)
  })
})

const PATH = '/api/password/change'

function ask(session: SignedIn, body: object): Promise<TestResponse> {
  return onMainSite(app, session, 'POST', PATH, body)
}

function change(session: SignedIn, password = NEW_PASSWORD): Promise<TestResponse> {
  return ask(session, { currentPassword: PASSWORD, password })
}

async function logIn(user: User, password: string): Promise<string> {
  return outcome(await sendLogin(app, user, { password }))
}
