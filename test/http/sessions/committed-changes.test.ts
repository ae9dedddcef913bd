import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import {
  AccountDeletionJob,
  FactorResetJob,
  RedisConnection,
  TransferCompletion,
  type User,
  unavailable,
} from '../../sources.js'
import { Authenticator } from '../../support/authenticator.js'
import { giveTotp } from '../../support/factors.js'
import type { TestResponse } from '../../support/http-request.js'
import {
  aMember,
  anEmail,
  anOwner,
  PASSWORD,
  type SignedIn,
  sendLogin,
  signIn,
} from '../../support/people.js'
import { mailResetLink } from '../../support/reset-link.js'
import { anApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { outcome } from '../support/api-calls.js'
import { aLeavingOwner, setGrace, subjectsTo } from '../support/leaving-accounts.js'
import { changePolicy, enforcePolicies, steppedUp } from '../support/policy-calls.js'
import { onMainSite, provenSession } from '../support/reauthenticate.js'
import { beginTransfer, TRANSFER_WAIT_SECONDS } from '../support/transfer-calls.js'

const NEW_PASSWORD = 'seven quiet otters juggle'

// What has been committed cannot be done again: its link is used up, its codes are stored as hashes.
describe('A change while Redis does not answer', () => {
  const app = anApp()
  let owner: User
  let session: SignedIn
  afterEach(() => {
    jest.restoreAllMocks()
  })
  beforeEach(async () => {
    owner = await anOwner(app)
    session = await provenSession(app, owner)
  })

  function silenceRedis(): void {
    jest
      .spyOn(RedisConnection.prototype, 'run')
      .mockImplementation(() => Promise.reject(unavailable('SESSION_STORE_UNAVAILABLE')))
  }

  const post = (path: string, body: object): Promise<TestResponse> => app.post(path, body)

  slow('still mails the way back to who said that a login was not theirs', async () => {
    await sendLogin(app, owner, { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0' })
    const token = await app.mailedToken(owner.email, '/not-me')
    silenceRedis()
    expect(outcome(await post('/api/sessions/not-me', { token }))).toBe('204')
    const reset = await app.mailedToken(owner.email, '/reset-password')
    jest.restoreAllMocks()
    expect(outcome(await post('/api/password/reset', { token: reset, password: NEW_PASSWORD }))).toBe('200')
  })

  it('still mails the way back to who undid a change of address', async () => {
    const email = anEmail()
    await onMainSite(app, session, 'POST', '/api/email/change', { email })
    const token = await app.mailedToken(email)
    await post('/api/email/confirm', { token, password: PASSWORD })
    const undo = await app.mailedToken(owner.email, '/undo-email')
    silenceRedis()
    expect(outcome(await post('/api/email/undo', { token: undo }))).toBe('204')
    expect(await app.mailedToken(owner.email, '/reset-password')).toBeTruthy()
  })

  slow('still tells who has a new password', async () => {
    await mailResetLink(app, owner)
    const token = await app.mailedToken(owner.email)
    silenceRedis()
    expect(outcome(await post('/api/password/reset', { token, password: NEW_PASSWORD }))).toBe('200')
    expect((await subjectsTo(app, owner)).at(-1)).toMatch(/password/i)
    expect(await subjectsTo(app, owner)).toHaveLength(2)
  })

  it('still shows recovery codes, this once', async () => {
    const begun = await onMainSite(app, session, 'POST', '/api/second-factor/totp')
    const authenticator = new Authenticator(app, begun.json.secret)
    silenceRedis()
    const confirmed = await onMainSite(app, session, 'POST', '/api/second-factor/totp/confirm', {
      code: authenticator.code(),
    })
    expect(outcome(confirmed)).toBe('200')
    expect(confirmed.json.recoveryCodes).toHaveLength(10)
  })

  it('still tells both sides of a transfer', async () => {
    const member = await aMember(app, owner)
    await beginTransfer(app, session, member)
    app.clock.advance(TRANSFER_WAIT_SECONDS)
    silenceRedis()
    await app.get(TransferCompletion).run()
    expect((await subjectsTo(app, member)).at(-1)).toMatch(/owner/)
    expect((await subjectsTo(app, owner)).at(-1)).toBe('Your account at Mainstay has a new owner')
  })

  it('still tells the administrators what the account requires', async () => {
    const required = await steppedUp(app, owner)
    silenceRedis()
    const body = { required: 'everyone', graceDays: 0, paymentStepUpMinutes: null }
    await aMember(app, owner)
    expect(outcome(await changePolicy(app, required, body))).toBe('200')
    expect((await subjectsTo(app, owner)).at(-1)).toMatch(/^New rules about second factors/)
  })

  it('counts as a reset of factors that the job has carried out', async () => {
    const member = await aMemberWithReset()
    app.clock.advance(24 * 60 * 60)
    silenceRedis()
    expect(await app.get(FactorResetJob).run()).toBe(1)
    expect((await subjectsTo(app, member)).at(-1)).toMatch(/second factors .* have been removed/)
  })

  it('is no failure for who has confirmed a reset: the link is used up', async () => {
    const member = await aMemberWithReset()
    const token = await app.mailedToken(member.email)
    silenceRedis()
    expect(outcome(await post('/api/second-factor-reset/confirm', { token }))).toBe('204')
    expect((await subjectsTo(app, member)).at(-1)).toMatch(/second factors .* have been removed/)
  })

  async function aMemberWithReset() {
    const member = await aMember(app, owner)
    await signIn(app, member, 'main')
    await giveTotp(app, member)
    const asked = await onMainSite(app, session, 'POST', `/api/team/${member.id}/second-factor/reset`)
    expect(outcome(asked)).toBe('202')
    return member
  }

  it('counts as a requirement that is enforced from now on', async () => {
    const required = await steppedUp(app, owner)
    const member = await aMember(app, owner)
    await signIn(app, member, 'main')
    const body = { required: 'everyone', graceDays: 1, paymentStepUpMinutes: null }
    expect(outcome(await changePolicy(app, required, body))).toBe('200')
    app.clock.advance(24 * 60 * 60)
    silenceRedis()
    expect(await enforcePolicies(app)).toBe(1)
  })

  it('still removes a whole account, and tells who owned it', async () => {
    const { owner: leaving } = await aLeavingOwner(app)
    await signIn(app, leaving, 'main')
    await setGrace(app, leaving, 0)
    const before = (await subjectsTo(app, leaving)).length
    silenceRedis()
    app.clock.advance(10 * 60)
    await app.get(AccountDeletionJob).run()
    expect(await subjectsTo(app, leaving)).toHaveLength(before + 1)
  })
})
