import { afterEach, describe, expect, it, jest } from '@jest/globals'
import { ApiError, Passwords, RateLimiter, Users } from '../../sources.js'
import { openSession } from '../../support/open-session.js'
import { aMember, anOwner, aSignedInOwner, type SignedIn, signIn } from '../../support/people.js'
import { anApp, SHOP_ONE, TestApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { UNCOUNTED } from '../../support/uncounted.js'
import { bearer, cookie, logOut, outcome } from '../support/api-calls.js'
import { reauthenticate, STEP_UP_CHALLENGE, staleSession } from '../support/reauthenticate.js'
import { claimsOf } from '../support/token-claims.js'

const TEN_MINUTES = 600

afterEach(() => {
  jest.restoreAllMocks()
})

describe('POST /api/reauthenticate', () => {
  const app = anApp()

  /** Something that asks for a proof. */
  async function isProven({ accessToken, sessionId }: SignedIn): Promise<boolean> {
    const headers = { ...bearer(accessToken), ...cookie(sessionId) }
    const answer = await app.request({ path: '/api/profile/export', headers })
    if (outcome(answer) === '200') return true
    expect(outcome(answer)).toBe('401 REAUTHENTICATION_REQUIRED')
    expect(answer.headers['www-authenticate']).toBe(STEP_UP_CHALLENGE)
    return false
  }

  it('takes the right password as proof for ten minutes, in this session alone', async () => {
    const user = await anOwner(app)
    const other = await staleSession(app, user)
    const owner = { ...user, ...(await staleSession(app, user)) }
    expect(await isProven(owner)).toBe(false)

    const answer = await reauthenticate(app, owner)
    expect(outcome(answer)).toBe('200')
    const seconds = (Date.parse(answer.json.reauthenticatedUntil) - app.clock.now().getTime()) / 1000
    expect(seconds).toBeGreaterThan(TEN_MINUTES - 5)
    expect(seconds).toBeLessThanOrEqual(TEN_MINUTES)
    expect(await isProven(owner)).toBe(true)
    expect(await isProven(other)).toBe(false)

    app.clock.advance(TEN_MINUTES - 5)
    expect(await isProven(owner)).toBe(true)
    app.clock.advance(5)
    expect(await isProven(owner)).toBe(false)
    expect(outcome(await reauthenticate(app, owner))).toBe('200')
    expect(await isProven(owner)).toBe(true)
  })

  it('works at a satellite, for its session', async () => {
    const session = await signIn(app, await aMember(app, await anOwner(app)), 'satellite')
    expect(outcome(await reauthenticate(app, session, undefined, { Origin: SHOP_ONE }))).toBe('200')
    expect(await isProven(session)).toBe(true)
  })

  it('refuses a wrong password, a disabled user and one without a password with the same answer', async () => {
    const [wrong, disabled, without] = [await anOwner(app), await anOwner(app), await anOwner(app)]
    const sessions = [
      await signIn(app, wrong, 'main'),
      await signIn(app, disabled, 'main'),
      await signIn(app, without, 'main'),
    ] as const
    await app.database.transaction(async transaction => {
      await app.get(Users).disable(transaction, [disabled.id], 'operator')
      await app.get(Users).setPassword(transaction, without.id, null)
    })
    const answers = [
      await reauthenticate(app, sessions[0], 'wrong'),
      await reauthenticate(app, sessions[1]),
      await reauthenticate(app, sessions[2], 'nobody has this password'),
    ]
    expect(answers.map(outcome)).toEqual(Array(3).fill('401 INVALID_CREDENTIALS'))
    expect(answers.map(({ headers }) => headers['www-authenticate'])).toEqual(Array(3).fill(undefined))
    app.clock.advance(TEN_MINUTES)
    for (const session of sessions) expect(await isProven(session)).toBe(false)
  })

  it('refuses a session that has ended', async () => {
    const session = await signIn(app, await anOwner(app), 'main')
    await logOut(app, session.accessToken)
    expect(outcome(await reauthenticate(app, session))).toBe('401 SESSION_NOT_FOUND')
  })

  it('refuses the old password when it is changed while it is being looked at', async () => {
    const owner = await anOwner(app)
    const session = await staleSession(app, owner)
    const passwords = app.get(Passwords)
    const verify = passwords.verify.bind(passwords)
    jest.spyOn(passwords, 'verify').mockImplementationOnce(async (...args) => {
      const isRight = await verify(...args)
      const hash = await passwords.hash('something else now', null)
      await app.database.transaction(transaction => app.get(Users).setPassword(transaction, owner.id, hash))
      return isRight
    })
    expect(outcome(await reauthenticate(app, session))).toBe('503 TOO_BUSY')
    expect(await isProven(session)).toBe(false)
  })

  it('is in the audit log, right and wrong, without the password', async () => {
    const owner = await aSignedInOwner(app)
    await reauthenticate(app, owner, 'a wrong password')
    await reauthenticate(app, owner)
    const { sid } = claimsOf(owner.accessToken)
    const rows = await app.auditRows({ action: 'reauthenticate', sid })
    const who = { userId: owner.id, accountId: owner.accountId, ip: '127.0.0.1' }
    expect(rows.map(row => row.outcome).sort()).toEqual(['failed', 'ok'])
    for (const row of rows) expect(row).toMatchObject(who)
    expect(JSON.stringify(rows)).not.toContain('a wrong password"')
  })

  it('counts guesses together with those at login, before the password is looked at', async () => {
    const owner = await aSignedInOwner(app)
    const verify = jest.spyOn(app.get(Passwords), 'verify')
    const count = jest.spyOn(app.get(RateLimiter), 'count').mockImplementation(async ({ kind }) => {
      if (kind === 'write') return UNCOUNTED
      throw new ApiError('TOO_MANY_ATTEMPTS')
    })
    expect(outcome(await reauthenticate(app, owner))).toBe('429 TOO_MANY_ATTEMPTS')
    const guesses = count.mock.calls.map(([attempt]) => attempt).filter(({ kind }) => kind !== 'write')
    expect(guesses[0]).toMatchObject({ kind: 'password', subject: owner.email })
    expect(verify).not.toHaveBeenCalled()
  })

  it('refuses a body that is none', async () => {
    const { accessToken } = await signIn(app, await anOwner(app), 'main')
    const long = 'x'.repeat(1_025)
    for (const body of [{}, { password: '' }, { password: 1 }, { password: long }, { password: 'x', x: 1 }])
      expect([body, outcome(await app.post('/api/reauthenticate', body, bearer(accessToken)))]).toEqual([
        body,
        '400 INVALID_BODY',
      ])
  })
})

slow('an owner who is barred from satellites cannot give the password there either', async () => {
  const app = await TestApp.start({ OWNERS_ON_SATELLITES: 'barred' })
  try {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    // From before the setting was changed.
    const client = { requestId: 'before', ip: '127.0.0.1', userAgent: null, origin: SHOP_ONE }
    const session = await openSession(app, owner, 'satellite', client)
    const answer = await reauthenticate(app, session, 'wrong', { Origin: SHOP_ONE })
    expect(outcome(answer)).toBe('403 OWNER_LOGIN_BARRED')
    const ofMember = await signIn(app, member, 'satellite')
    expect(outcome(await reauthenticate(app, ofMember, undefined, { Origin: SHOP_ONE }))).toBe('200')
  } finally {
    await app.stop()
  }
})
