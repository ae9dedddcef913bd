import { randomBytes } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import { eq } from 'drizzle-orm'
import {
  FactorResetJob,
  permissionsOf,
  type User,
  UserAdministration,
  UserFactors,
  Users,
  users,
} from '../../sources.js'
import {
  type Authenticator,
  giveAuthenticator,
  giveRecoveryCodes,
  secondStep,
} from '../../support/authenticator.js'
import { giveTotp, prove, requireOf } from '../../support/factors.js'
import { passTime } from '../../support/passing-time.js'
import {
  aMember,
  anEmail,
  anOwner,
  PASSWORD,
  type SignedIn,
  sendLogin,
  signIn,
} from '../../support/people.js'
import { anApp, MAIN } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { outcome, refreshByCookie } from '../support/api-calls.js'
import { onMainSite, provenSession, reauthenticate, staleSession } from '../support/reauthenticate.js'
import { aMemberWith, team } from '../support/team-calls.js'

const HOUR = 60 * 60
const DAY = 24 * HOUR
const INVALID_LINK = '400 INVALID_LINK'

describe("A reset of a member's factors", () => {
  const app = anApp()

  const request = (session: SignedIn, { id }: Pick<User, 'id'>) =>
    team(app, session, 'POST', `/${id}/second-factor/reset`)
  const cancel = (session: SignedIn, { id }: User) =>
    team(app, session, 'DELETE', `/${id}/second-factor/reset`)
  const follow = (what: 'confirm' | 'stop', token: string) =>
    app.post(`/api/second-factor-reset/${what}`, { token })
  const find = async ({ id }: User) => (await app.get(Users).find(id)) as User
  const hasFactors = async (user: User) => (await find(user)).hasSecondFactor
  const shownOf = async (session: SignedIn, { id }: User) => (await team(app, session, 'GET', `/${id}`)).json

  async function runJob() {
    await passTime(app, 5 * 60)
    return app.get(FactorResetJob).run()
  }

  /** A member with a live session who has then got an app, and a manager who has just given their password. */
  async function aTeam() {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    const live = await signIn(app, member, 'main')
    const authenticator = await giveAuthenticator(app, member)
    const manager = await aMemberWith(app, owner, 'teamManagement', 'dataEntry', 'viewReports')
    return { owner, member, live, authenticator, manager, session: await provenSession(app, manager) }
  }

  async function rowsOf({ id }: User) {
    return app.auditRows({ userId: id, action: 'factors.reset' })
  }

  it('happens a day after a manager asked, and leaves the password alone', async () => {
    const { member, live, manager, session } = await aTeam()
    await giveRecoveryCodes(app, member)
    const answer = await request(session, member)
    expect(outcome(answer)).toBe('202')
    const { resetAt } = answer.json
    const seconds = (Date.parse(resetAt) - app.clock.now().getTime()) / 1000
    expect(Math.abs(seconds - DAY)).toBeLessThan(30)
    expect(await shownOf(session, member)).toMatchObject({ hasSecondFactor: true, factorResetAt: resetAt })
    app.clock.advance(DAY - 10 * 60)
    expect(await runJob()).toBe(0)
    expect((await refreshByCookie(app, live.sessionId)).status).toBe(200)
    app.clock.advance(5 * 60)
    expect(await runJob()).toBe(1)
    expect(await hasFactors(member)).toBe(false)
    expect(await app.get(UserFactors).find(member.id)).toEqual({
      totpConfirmedAt: null,
      passkeys: 0,
      recoveryCodesLeft: 0,
    })
    expect(outcome(await refreshByCookie(app, live.sessionId))).toBe('401 SESSION_NOT_FOUND')
    expect((await signIn(app, member, 'main')).answer.status).toBe(200)
    expect(await rowsOf(member)).toEqual([
      expect.objectContaining({ detail: { step: 'asked', resetAt, by: manager.id } }),
      expect.objectContaining({
        ip: null,
        detail: { step: 'done', requestedBy: manager.id, by: manager.id },
      }),
    ])
    const mails = (await app.mailsTo(member.email)).filter(({ subject }) =>
      /^Your second factors/.test(subject),
    )
    expect(mails.map(({ subject }) => subject)).toEqual([
      expect.stringContaining('will be removed'),
      expect.stringContaining('have been removed'),
    ])
    expect(mails.at(-1)?.text).toContain(`\nGo to Mainstay:\n${MAIN}/\n`)
    expect(await runJob()).toBe(0)
  })

  it('tells somebody without a password that they will need one', async () => {
    const { member, session } = await aTeam()
    await app.database.run(db => db.update(users).set({ passwordHash: null }).where(eq(users.id, member.id)))
    await request(session, member)
    app.clock.advance(DAY)
    expect(await runJob()).toBe(1)
    const texts = (await app.mailsTo(member.email)).map(({ text }) => text.replaceAll(/\s+/g, ' '))
    const resets = texts.filter(text => text.includes('Forgot your password?'))
    expect(resets).toEqual([
      expect.stringContaining('You have no password, so you will need one to log in: use the link'),
      expect.stringContaining('Choose a password with the link'),
    ])
    for (const text of resets) expect(text).not.toMatch(/Your password alone|Log in with your password/)
    expect(resets[1]).toContain('If you did not ask for this, choose that password now')
    expect(resets[1]).not.toContain('change your password')
  })

  it('is not brought forward by asking again, which mails a new link: the first may have been lost', async () => {
    const { owner, member, manager, session } = await aTeam()
    const first = (await request(session, member)).json
    const lost = await app.mailedToken(member.email)
    app.clock.advance(60)
    expect((await request(session, member)).json).toEqual(first)
    expect((await request(await provenSession(app, owner), member)).json).toEqual(first)
    expect(await app.mailsTo(member.email)).toHaveLength(3)
    expect((await rowsOf(member)).map(({ detail }) => detail)).toEqual(
      [manager, manager, owner].map(({ id: by }) => ({ step: 'asked', ...first, by })),
    )
    for (const what of ['confirm', 'stop'] as const)
      expect(outcome(await follow(what, lost))).toBe(INVALID_LINK)
    expect(outcome(await follow('confirm', await app.mailedToken(member.email)))).toBe('204')
    expect(await hasFactors(member)).toBe(false)
  })

  it('is not begun anew by a request to mail it again, after the member has stopped it', async () => {
    const { member, session } = await aTeam()
    const again = (query = '?only=pending') =>
      team(app, session, 'POST', `/${member.id}/second-factor/reset${query}`)
    expect(outcome(await again())).toBe('404 NOT_FOUND')
    const first = (await request(session, member)).json
    app.clock.advance(60)
    expect((await again()).json).toEqual(first)
    expect(outcome(await again('?only=x'))).toBe('400 INVALID_QUERY')
    expect(await app.mailsTo(member.email)).toHaveLength(2)
    expect(outcome(await follow('stop', await app.mailedToken(member.email)))).toBe('204')
    expect(outcome(await again())).toBe('404 NOT_FOUND')
    expect((await shownOf(session, member)).factorResetAt).toBeNull()
    expect((await rowsOf(member)).map(({ detail }) => detail.step)).toEqual(['asked', 'asked', 'stopped'])
    expect(outcome(await request(session, member))).toBe('202')
  })

  it('happens at once when the member confirms it, by a link for one use', async () => {
    const { member, session, live } = await aTeam()
    await request(session, member)
    const token = await app.mailedToken(member.email)
    const answers = await Promise.all([follow('confirm', token), follow('confirm', token)])
    expect(answers.map(outcome).sort()).toEqual(['204', INVALID_LINK])
    expect(await hasFactors(member)).toBe(false)
    expect(outcome(await refreshByCookie(app, live.sessionId))).toBe('401 SESSION_NOT_FOUND')
    expect(outcome(await follow('stop', token))).toBe(INVALID_LINK)
    expect((await rowsOf(member)).map(({ detail }) => detail.step)).toEqual(['asked', 'done'])
  })

  it('is stopped by the member, though they have logged in with their factor meanwhile, which changes nothing', async () => {
    const { member, authenticator, session } = await aTeam()
    await request(session, member)
    const token = await app.mailedToken(member.email)
    const { challenge } = (await sendLogin(app, member)).json
    expect(outcome(await secondStep(app, { challenge, code: authenticator.code() }))).toBe('200')
    expect((await shownOf(session, member)).factorResetAt).not.toBeNull()
    expect(outcome(await follow('stop', token))).toBe('204')
    expect((await shownOf(session, member)).factorResetAt).toBeNull()
    for (const what of ['stop', 'confirm'] as const)
      expect(outcome(await follow(what, token))).toBe(INVALID_LINK)
    app.clock.advance(DAY)
    await runJob()
    expect(await hasFactors(member)).toBe(true)
    expect((await rowsOf(member)).map(({ detail }) => detail.step)).toEqual(['asked', 'stopped'])
  })

  it('is cancelled by a manager, and begins anew when it is requested again', async () => {
    const { owner, member, session } = await aTeam()
    const first = (await request(session, member)).json.resetAt
    const token = await app.mailedToken(member.email)
    expect(outcome(await cancel(await signIn(app, owner, 'main'), member))).toBe('204')
    expect(outcome(await cancel(session, member))).toBe('404 NOT_FOUND')
    expect(outcome(await follow('confirm', token))).toBe(INVALID_LINK)
    app.clock.advance(60)
    expect(Date.parse((await request(session, member)).json.resetAt)).toBeGreaterThan(Date.parse(first))
  })

  it('is refused for oneself, the owner, somebody with more permissions, and strangers', async () => {
    const { owner, manager, session, member } = await aTeam()
    const payer = await aMemberWith(app, owner, 'payments')
    const stranger = await aMember(app, await anOwner(app))
    for (const user of [owner, manager, payer, stranger]) await giveTotp(app, user)
    expect(outcome(await request(session, member))).toBe('401 STEP_UP_REQUIRED')
    await prove(app, session, 'otp')
    const without = await aMember(app, owner)
    const disabled = await aMember(app, owner)
    await giveTotp(app, disabled)
    await app.get(UserAdministration).disable(disabled)
    const answers = []
    for (const user of [manager, owner, payer, stranger, without, disabled])
      answers.push(outcome(await request(session, user)))
    expect(answers).toEqual([
      '403 OWN_RIGHTS',
      '409 LAST_OWNER',
      '403 OWN_RIGHTS',
      '404 NOT_FOUND',
      '404 NOT_FOUND',
      '404 NOT_FOUND',
    ])
    const plain = await signIn(app, await aMember(app, owner), 'main')
    expect(outcome(await request(plain, member))).toBe('403 PERMISSION_REQUIRED')
    const unproven = await staleSession(app, await aMemberWith(app, owner, 'teamManagement'))
    expect(outcome(await request(unproven, member))).toBe('401 REAUTHENTICATION_REQUIRED')
    expect(await rowsOf(member)).toEqual([])
  })

  it('happens when somebody looks, days late; until then factors are asked for, and the link stops it', async () => {
    const [late, stopped] = [await aTeam(), await aTeam()]
    const { resetAt } = (await request(late.session, late.member)).json
    await request(stopped.session, stopped.member)
    const token = await app.mailedToken(stopped.member.email)
    app.clock.advance(9 * DAY)
    expect(outcome(await sendLogin(app, late.member))).toBe('401 SECOND_FACTOR_REQUIRED')
    const manager = await signIn(app, late.owner, 'main')
    expect(await shownOf(manager, late.member)).toMatchObject({
      hasSecondFactor: true,
      factorResetAt: resetAt,
    })
    expect(outcome(await follow('stop', token))).toBe('204')
    await runJob()
    expect(await hasFactors(late.member)).toBe(false)
    expect(await hasFactors(stopped.member)).toBe(true)
    expect(await app.mailsTo(late.member.email)).toHaveLength(2)
    expect(outcome(await sendLogin(app, late.member))).toBe('200')
  })

  slow(
    'waits as long as the member can go back to an address that they had when it was requested',
    async () => {
      const { owner, member, authenticator, session } = await aTeam()
      await request(session, member)
      const stop = await app.mailedToken(member.email)
      const email = await changeAddress(await throughBothSteps(member, authenticator))
      app.clock.advance(2 * DAY)
      await runJob()
      expect(await hasFactors(member)).toBe(true)
      const manager = await signIn(app, owner, 'main')
      expect((await shownOf(manager, member)).factorResetAt).not.toBeNull()
      // Seven days after the change nobody can go back.
      app.clock.advance(5 * DAY)
      await runJob()
      expect(await hasFactors(member)).toBe(false)
      expect((await app.mailsTo(email)).map(({ subject }) => subject)).toContainEqual(
        expect.stringContaining('have been removed'),
      )
      expect(outcome(await follow('stop', stop))).toBe(INVALID_LINK)
    },
  )

  slow(
    'is not requested while the member can go back to an earlier address, whose mailbox the new one is not',
    async () => {
      const { member, authenticator, session } = await aTeam()
      await changeAddress(await throughBothSteps(member, authenticator))
      expect(outcome(await request(session, member))).toBe('409 EMAIL_UNDO_OPEN')
    },
  )

  /** From a session that may do so; returns the new one. */
  async function changeAddress(session: SignedIn) {
    const email = anEmail()
    const change = (what: string, body: object) =>
      onMainSite(app, session, 'POST', `/api/email/${what}`, body)
    expect(outcome(await change('change', { email }))).toBe('202')
    expect(outcome(await change('confirm', { token: await app.mailedToken(email) }))).toBe('204')
    return email
  }

  async function throughBothSteps(member: User, authenticator: Authenticator): Promise<SignedIn> {
    const { challenge } = (await sendLogin(app, member)).json
    const answer = await secondStep(app, { challenge, code: authenticator.code() })
    const sessionId = /sessionId=([^;]*)/.exec(answer.setCookies.join('\n'))?.[1] as string
    const session = { accessToken: answer.json.accessToken, sessionId, answer }
    expect(outcome(await reauthenticate(app, session))).toBe('200')
    return session
  }

  it('rejects a confirmation from an address that was left since, which can still stop it', async () => {
    const { member, session } = await aTeam()
    await request(session, member)
    const token = await app.mailedToken(member.email)
    const email = anEmail()
    await app.database.run(db => db.update(users).set({ email }).where(eq(users.id, member.id)))
    expect(outcome(await follow('confirm', token))).toBe(INVALID_LINK)
    expect(outcome(await follow('stop', token))).toBe('204')
  })

  slow.each<[string, (team: { member: User; manager: User; session: SignedIn }) => Promise<unknown>]>([
    ['the member is disabled', ({ member }) => app.get(UserAdministration).disable(member)],
    ['the manager is disabled', ({ manager }) => app.get(UserAdministration).disable(manager)],
    [
      'the manager may not any more',
      ({ manager }) => app.get(UserAdministration).grant(manager, permissionsOf(['dataEntry'])),
    ],
    [
      'the member may do more than the manager',
      ({ member }) => app.get(UserAdministration).grant(member, permissionsOf(['payments'])),
    ],
    [
      'the manager has chosen another password, because somebody else knew it',
      ({ session }) =>
        onMainSite(app, session, 'POST', '/api/password/change', {
          currentPassword: PASSWORD,
          password: `another ${randomBytes(9).toString('base64url')} one`,
        }),
    ],
  ])('does not happen when %s', async (_, meanwhile) => {
    const parties = await aTeam()
    await request(parties.session, parties.member)
    const token = await app.mailedToken(parties.member.email)
    await meanwhile(parties)
    expect(outcome(await follow('confirm', token))).toBe(INVALID_LINK)
    app.clock.advance(DAY)
    await runJob()
    expect(await hasFactors(parties.member)).toBe(true)
    expect((await rowsOf(parties.member)).map(({ detail }) => detail.step)).toEqual(['asked', 'stopped'])
  })

  it('leaves somebody whom the account requires to have a factor with nothing else to do', async () => {
    const { owner, member, session } = await aTeam()
    await requireOf(app, owner, 'everyone')
    await request(session, member)
    await follow('confirm', await app.mailedToken(member.email))
    expect((await find(member)).mustEnrol).toBe(true)
  })

  it('takes no token that was never mailed, and none that is too long', async () => {
    for (const what of ['confirm', 'stop'] as const) {
      expect(outcome(await follow(what, 'A'.repeat(43)))).toBe(INVALID_LINK)
      expect(outcome(await follow(what, 'A'.repeat(101)))).toBe('400 INVALID_BODY')
    }
  })
})
