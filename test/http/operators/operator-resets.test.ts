import { describe, expect, it } from '@jest/globals'
import { FactorResetJob, type User, Users } from '../../sources.js'
import { aChallenge, giveAuthenticator, giveRecoveryCodes, secondStep } from '../../support/authenticator.js'
import { passTime } from '../../support/passing-time.js'
import { anOwner, PASSWORD, signIn } from '../../support/people.js'
import { anApp, MAIN } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { outcome } from '../support/api-calls.js'
import { addPasskey, logInWithPasskey, passkeyOptions } from '../support/passkey-calls.js'
import { provenSession } from '../support/reauthenticate.js'
import { aMemberWith, team } from '../support/team-calls.js'
import { ConsoleUser, startWithConsole, withConsole } from './console-calls.js'

const DAY = 24 * 60 * 60
const REASON = 'asked for by phone, ticket 4711'

describe('operator console: a reset of second factors', () => {
  const app = anApp(withConsole({ PASSKEY_RP_ID: 'main.test' }))
  let operator: ConsoleUser

  async function requested() {
    const owner = await anOwner(app)
    const authenticator = await giveAuthenticator(app, owner)
    return { owner, authenticator, resetAt: await request(owner) }
  }

  /** By an operator who has just logged in: tests let days pass. */
  async function request({ id }: User): Promise<Date> {
    app.clock.advance(60)
    operator = await ConsoleUser.loggedIn(app)
    const answer = await operator.post(`users/${id}/factors/reset`, { reason: REASON })
    expect(answer.status).toBe(202)
    return new Date(answer.json.resetAt)
  }
  const hasFactor = async ({ id }: User) => (await app.get(Users).find(id))?.hasSecondFactor

  it('waits a day, tells an owner by mail at once, and is then made', async () => {
    const { owner, resetAt } = await requested()
    expect((resetAt.getTime() - app.clock.now().getTime()) / 1000).toBeCloseTo(DAY, -1)
    const [mail] = await app.mailsTo(owner.email)
    expect(mail?.text).toContain('Someone told us that you have lost')
    await passTime(app, DAY - 60)
    await app.get(FactorResetJob).run()
    expect(await hasFactor(owner)).toBe(true)
    await passTime(app, 10 * 60)
    expect(await app.get(FactorResetJob).run()).toBe(1)
    expect(await hasFactor(owner)).toBe(false)
  })

  it('makes one reset, mailed twice, of two requests, and none once cancelled', async () => {
    const { owner, resetAt } = await requested()
    const again = await operator.post(`users/${owner.id}/factors/reset`)
    expect(new Date(again.json.resetAt)).toEqual(resetAt)
    const texts = (await app.mailsTo(owner.email)).map(({ text }) => text)
    expect(texts).toEqual(Array(2).fill(expect.stringContaining('Someone told us that you have lost')))
    expect((await operator.post(`users/${owner.id}/factors/reset/cancel`)).status).toBe(204)
    expect((await operator.post(`users/${owner.id}/factors/reset/cancel`)).status).toBe(404)
    await passTime(app, DAY + 600)
    await app.get(FactorResetJob).run()
    expect(await hasFactor(owner)).toBe(true)
  })

  it("no session can cancel the owner's, not even one of theirs: it may be stolen", async () => {
    const owner = await anOwner(app)
    const live = await signIn(app, owner, 'main')
    await giveAuthenticator(app, owner)
    await request(owner)
    const manager = await signIn(app, await aMemberWith(app, owner, 'teamManagement'), 'main')
    const path = `/${owner.id}/second-factor/reset`
    expect(outcome(await team(app, manager, 'DELETE', path))).toBe('409 LAST_OWNER')
    expect((await app.auditRows()).at(-1)).toMatchObject({ action: 'factors.reset', outcome: 'refused' })
    expect((await operator.get(`users/${owner.id}`)).json.resetAt).not.toBeNull()
    expect(outcome(await team(app, live, 'DELETE', path))).toBe('403 OWN_RIGHTS')
    expect((await operator.get(`users/${owner.id}`)).json.resetAt).not.toBeNull()
  })

  it('a manager cannot cancel their own; other managers can', async () => {
    const owner = await anOwner(app)
    const manager = await aMemberWith(app, owner, 'teamManagement')
    const live = await signIn(app, manager, 'main')
    await giveAuthenticator(app, manager)
    await request(manager)
    const path = `/${manager.id}/second-factor/reset`
    expect(outcome(await team(app, live, 'DELETE', path))).toBe('403 OWN_RIGHTS')
    expect(outcome(await team(app, await signIn(app, owner, 'main'), 'DELETE', path))).toBe('204')
  })

  it("the mail says that a manager has requested it, though it is an operator who mails a manager's again", async () => {
    const owner = await anOwner(app)
    const member = await aMemberWith(app, owner, 'viewReports')
    await giveAuthenticator(app, member)
    const path = `/${member.id}/second-factor/reset`
    expect(outcome(await team(app, await provenSession(app, owner), 'POST', path))).toBe('202')
    await request(member)
    const texts = (await app.mailsTo(member.email)).map(({ text }) => text)
    expect(texts).toHaveLength(2)
    for (const text of texts) expect(text).not.toContain('Someone told us')
  })

  describe('of somebody whom an operator has disabled, because a thief has a factor of theirs', () => {
    async function requestedWhileDisabled() {
      const owner = await anOwner(app)
      await giveAuthenticator(app, owner)
      operator = await ConsoleUser.loggedIn(app)
      expect((await operator.post(`users/${owner.id}/disable`)).status).toBe(200)
      await request(owner)
      return owner
    }

    it('waits a day and is then made: no login can stop it', async () => {
      const owner = await requestedWhileDisabled()
      const [mail] = await app.mailsTo(owner.email)
      expect(mail?.text).not.toContain('log in with one of them')
      const body = { email: owner.email, password: PASSWORD, source: 'main' }
      const login = { method: 'POST', path: '/api/login', headers: { Origin: MAIN }, body }
      expect(outcome(await app.request(login))).toBe('401 INVALID_CREDENTIALS')
      await passTime(app, DAY + 60)
      expect(await hasFactor(owner)).toBe(true)
      await app.get(FactorResetJob).run()
      expect(await hasFactor(owner)).toBe(false)
      operator = await ConsoleUser.loggedIn(app)
      expect((await operator.post(`users/${owner.id}/enable`)).status).toBe(204)
      expect(outcome(await app.request(login))).toBe('200')
    })

    it.each(['stop', 'confirm'])('they can %s it with the mailed link', async action => {
      const owner = await requestedWhileDisabled()
      const token = await app.mailedToken(owner.email)
      const path = `/api/second-factor-reset/${action}`
      const headers = { Origin: MAIN }
      expect(outcome(await app.post(path, { token }, headers))).toBe('204')
      await passTime(app, DAY + 60)
      await app.get(FactorResetJob).run()
      expect(await hasFactor(owner)).toBe(action === 'stop')
    })

    it('is refused for somebody whom their account has disabled, and to managers', async () => {
      const owner = await anOwner(app)
      const member = await aMemberWith(app, owner, 'viewReports')
      await giveAuthenticator(app, member)
      const session = await provenSession(app, owner)
      operator = await ConsoleUser.loggedIn(app)
      const path = `/${member.id}/second-factor/reset`
      expect(outcome(await team(app, session, 'POST', `/${member.id}/disable`))).toBe('204')
      expect(outcome(await operator.post(`users/${member.id}/factors/reset`))).toBe('404 NOT_FOUND')
      expect((await operator.post(`users/${member.id}/disable`)).status).toBe(200)
      expect(outcome(await operator.post(`users/${member.id}/factors/reset`))).toBe('202')
      expect(outcome(await team(app, session, 'POST', path))).toBe('404 NOT_FOUND')
    })
  })

  describe('while it waits, its user logs in', () => {
    /** A day later, whether they still have their factors; and how often it was stopped. */
    async function afterADay(owner: User) {
      await passTime(app, DAY + 600)
      await app.get(FactorResetJob).run()
      const rows = await app.auditRows({ userId: owner.id })
      const stopped = rows.filter(({ detail }) => detail.step === 'stopped')
      return { hasFactor: await hasFactor(owner), stopped: stopped.map(({ detail }) => detail.reason) }
    }

    it('with their app: they have not lost it, so it is stopped, and its link is void', async () => {
      const { owner, authenticator } = await requested()
      const challenge = await aChallenge(app, owner)
      const login = await secondStep(app, { challenge, code: authenticator.code() })
      expect(outcome(login)).toBe('200')
      const token = await app.mailedToken(owner.email, '/factor-reset')
      const link = { path: '/api/second-factor-reset/confirm', body: { token } }
      const followed = await app.request({ method: 'POST', headers: { Origin: MAIN }, ...link })
      expect(outcome(followed)).toBe('400 INVALID_LINK')
      expect((await operator.get(`users/${owner.id}`)).json.resetAt).toBeNull()
      expect(await afterADay(owner)).toEqual({ hasFactor: true, stopped: ['logged in with a factor'] })
    })

    it('with a passkey: it is stopped too', async () => {
      const owner = await anOwner(app)
      const { authenticator } = await addPasskey(app, await provenSession(app, owner))
      await request(owner)
      const login = await logInWithPasskey(app, authenticator.get(await passkeyOptions(app)))
      expect(outcome(login)).toBe('200')
      expect(await afterADay(owner)).toEqual({ hasFactor: true, stopped: ['logged in with a factor'] })
    })

    it('with a recovery code, as those do who have lost the rest: it happens', async () => {
      const { owner } = await requested()
      const [recoveryCode] = await giveRecoveryCodes(app, owner)
      const challenge = await aChallenge(app, owner)
      expect(outcome(await secondStep(app, { challenge, recoveryCode }))).toBe('200')
      expect(await afterADay(owner)).toEqual({ hasFactor: false, stopped: [] })
    })

    it('with the password alone, and gets no further: it happens', async () => {
      const { owner, authenticator } = await requested()
      const challenge = await aChallenge(app, owner)
      const wrong = await secondStep(app, { challenge, code: authenticator.wrongCode() })
      expect(outcome(wrong)).toBe('401 SECOND_FACTOR_INVALID')
      expect(await afterADay(owner)).toEqual({ hasFactor: false, stopped: [] })
    })
  })
})

slow('limits each operator, and does not count what mails nobody', async () => {
  const app = await startWithConsole({ MAILS_PER_USER: '2' })
  try {
    const [one, other] = [await ConsoleUser.loggedIn(app), await ConsoleUser.loggedIn(app)]
    const owners = [await anOwner(app), await anOwner(app), await anOwner(app)] as const
    for (const owner of owners) await giveAuthenticator(app, owner)
    const request = async (by: ConsoleUser, { id }: User) =>
      outcome(await by.post(`users/${id}/factors/reset`))
    for (let count = 0; count < 3; count++)
      expect(await request(one, await anOwner(app))).toBe('404 NOT_FOUND')
    for (const owner of [owners[0], owners[1]]) expect(await request(one, owner)).toBe('202')
    // Nor is it a way around the limit that it is mailed again.
    expect(await request(one, owners[0])).toBe('429 TOO_MANY_ATTEMPTS')
    expect(await request(one, owners[2])).toBe('429 TOO_MANY_ATTEMPTS')
    expect(await request(other, owners[2])).toBe('202')
    expect(await app.auditRows({ action: 'rate.limit' })).toMatchObject([
      { outcome: 'refused', userId: null, accountId: null, detail: { limit: 'user', operator: one.id } },
      { outcome: 'refused', userId: null, accountId: null, detail: { limit: 'user', operator: one.id } },
    ])
  } finally {
    await app.stop()
  }
})
