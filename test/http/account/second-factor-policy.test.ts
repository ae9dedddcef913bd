import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterEach, describe, expect, it, jest } from '@jest/globals'
import { eq } from 'drizzle-orm'
import {
  accounts,
  type Email,
  importUsers,
  MailLanguage,
  type Permission,
  PolicyJob,
  permissionsOf,
  SecondFactorPolicyService,
  SessionChanges,
  type User,
  UserAdministration,
  Users,
} from '../../sources.js'
import { giveTotp, prove, requireOf, takeTotp } from '../../support/factors.js'
import { passTime } from '../../support/passing-time.js'
import {
  aMember,
  anEmail,
  anOwner,
  aSignedInMember,
  aSignedInOwner,
  importMembers,
  PASSWORD,
  type SignedIn,
  signIn,
} from '../../support/people.js'
import { anApp, MAIN } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { outcome, refreshByCookie, refreshByHeader } from '../support/api-calls.js'
import { heldCall } from '../support/held-call.js'
import {
  anEnrolledOwner,
  changePolicy,
  enforcePolicies,
  readPolicy,
  requireSecondFactor,
  steppedUp,
} from '../support/policy-calls.js'
import { aProvenOwner, onMainSite, provenSession, reauthenticate } from '../support/reauthenticate.js'
import { accept, aMemberWith, team } from '../support/team-calls.js'
import { claimsOf } from '../support/token-claims.js'
import { beginTransfer, completeTransfers, TRANSFER_WAIT_SECONDS } from '../support/transfer-calls.js'

const DAY = 24 * 60 * 60
const NOTHING = permissionsOf([])
const OFF = { required: 'off', requiredFrom: null, paymentStepUpMinutes: null, covered: 0, enrolled: 0 }

describe('What an account requires of its users', () => {
  const app = anApp()
  afterEach(() => {
    jest.restoreAllMocks()
  })

  const requiring = (required: string, graceDays?: number, paymentStepUpMinutes: number | null = null) => ({
    required,
    ...(graceDays !== undefined && { graceDays }),
    paymentStepUpMinutes,
  })

  /** What the session has after its next refresh. */
  async function permissionsAfterRefresh({ sessionId }: SignedIn) {
    const { status, json } = await refreshByCookie(app, sessionId)
    return status === 200 ? claimsOf(json.accessToken).permissions : status
  }

  const find = async ({ id }: Pick<User, 'id'>) => (await app.get(Users).find(id)) as User
  const isLate = async (user: Pick<User, 'id'>) => (await find(user)).mustEnrol

  async function policyRows({ accountId }: User) {
    return app.auditRows({ accountId, action: 'second-factor.policy' })
  }

  /** The password again, and the second factor. */
  async function proveAgain(session: SignedIn) {
    expect((await reauthenticate(app, session)).status).toBe(200)
    await prove(app, session, 'otp')
  }

  it('starts empty, and is shown to those who may change the settings', async () => {
    const owner = await anOwner(app)
    const manager = await aMemberWith(app, owner, 'accountSettings')
    for (const user of [owner, manager]) {
      const answer = await readPolicy(app, await signIn(app, user, 'main'))
      expect([outcome(answer), answer.json]).toEqual(['200', OFF])
    }
    const plain = await signIn(app, await aMember(app, owner), 'main')
    expect(outcome(await readPolicy(app, plain))).toBe('403 PERMISSION_REQUIRED')
    expect(outcome(await changePolicy(app, plain, requiring('off')))).toBe('403 PERMISSION_REQUIRED')
  })

  it.each([
    [
      'POST',
      '/api/team/invitations',
      { email: 'thief@example.com', permissions: permissionsOf(['payments']) },
    ],
    ['POST', '/api/account/transfer', { userId: randomUUID() }],
    ['POST', '/api/account/deletion', undefined],
    ['POST', '/api/email/change', { email: 'thief@example.com' }],
    ['POST', '/api/satellites', { origin: 'https://thief.example.net', name: 'Thief' }],
    ['PATCH', `/api/satellites/${randomUUID()}`, { secondFactor: 'allowed' }],
    ['PATCH', '/api/account', { handoffRequired: 'none' }],
  ])('requires the second factor of a user who has one for %s %s', async (method, path, body) => {
    const owner = await aProvenOwner(app)
    await giveTotp(app, owner)
    const ask = async () => outcome(await onMainSite(app, owner, method, path, body))
    expect(await ask()).toBe('401 STEP_UP_REQUIRED')
    await prove(app, owner, 'otp')
    expect(await ask()).not.toContain('401')
    app.clock.advance(app.settings.reauthenticationTtlSeconds)
    await reauthenticate(app, owner)
    expect(await ask()).toBe('401 STEP_UP_REQUIRED')
  })

  it('is changed after a re-authentication, and the administrators are told', async () => {
    const owner = await aSignedInOwner(app)
    await giveTotp(app, owner)
    app.clock.advance(app.settings.reauthenticationTtlSeconds)
    expect(outcome(await changePolicy(app, owner, requiring('managers')))).toBe(
      '401 REAUTHENTICATION_REQUIRED',
    )
    await reauthenticate(app, owner)
    expect(outcome(await changePolicy(app, owner, requiring('managers')))).toBe('401 STEP_UP_REQUIRED')
    await prove(app, owner, 'otp')
    const plain = await aMember(app, owner)
    const answer = await changePolicy(app, owner, requiring('managers', 14, 30))
    expect(outcome(answer)).toBe('200')
    const { requiredFrom, ...rest } = answer.json
    expect(rest).toEqual({ required: 'managers', paymentStepUpMinutes: 30, covered: 1, enrolled: 1 })
    const seconds = (Date.parse(requiredFrom) - app.clock.now().getTime()) / 1000
    expect(Math.abs(seconds - 14 * DAY)).toBeLessThan(60)
    expect((await readPolicy(app, owner)).json).toEqual(answer.json)
    expect(await policyRows(owner)).toEqual([
      expect.objectContaining({
        outcome: 'ok',
        userId: owner.id,
        detail: { step: 'set', required: 'managers', from: requiredFrom, paymentStepUpMinutes: 30 },
      }),
    ])
    const [mail] = (await app.mailsTo(owner.email)).filter(({ subject }) =>
      /^New rules about second factors/.test(subject),
    )
    expect(mail?.text).toContain(MailLanguage.of('en').day(new Date(requiredFrom)))
    expect(mail?.text).toContain(`\nGo to Mainstay:\n${MAIN}/\n`)
    expect(await app.mailsTo(plain.email)).toEqual([])
  })

  it('refuses a body that is none', async () => {
    const session = await provenSession(app, await anOwner(app))
    const off = { required: 'off', graceDays: 0, paymentStepUpMinutes: null }
    for (const body of [
      {},
      { required: 'off' },
      { required: 'off', graceDays: 0 },
      ...['all', ['off']].map(required => ({ ...off, required })),
      ...[-1, 91, 1.5, '7', null].map(graceDays => ({ ...off, graceDays })),
      ...[0, 1441, '5'].map(paymentStepUpMinutes => ({ ...off, paymentStepUpMinutes })),
      { ...off, enforced: true },
    ])
      expect([body, outcome(await changePolicy(app, session, body))]).toEqual([body, '400 INVALID_BODY'])
  })

  it('cannot apply to the user who sets it and has no second factor', async () => {
    const owner = await aProvenOwner(app)
    for (const required of ['payments', 'managers', 'everyone'])
      for (const graceDays of [0, 30])
        expect(outcome(await changePolicy(app, owner, requiring(required, graceDays)))).toBe(
          '409 SECOND_FACTOR_MISSING',
        )
    expect((await readPolicy(app, owner)).json).toEqual(OFF)
    const member = await provenSession(app, await aMemberWith(app, owner, 'accountSettings'))
    expect(outcome(await changePolicy(app, member, requiring('managers')))).toBe('409 SECOND_FACTOR_MISSING')
    expect(outcome(await changePolicy(app, member, requiring('payments')))).toBe('200')
    expect(await isLate(owner)).toBe(true)
  })

  it('cannot be removed without a second factor by a thief with session and password', async () => {
    const { owner, session } = await anEnrolledOwner(app)
    await requireSecondFactor(app, session, 'everyone')
    // As a session that a remembered browser has begun.
    await prove(app, session, 'otp')
    app.clock.advance(11 * 60)
    await reauthenticate(app, session)
    for (const body of [requiring('off'), requiring('everyone', 90), requiring('payments', undefined, 5)]) {
      const answer = await changePolicy(app, session, body)
      expect(outcome(answer)).toBe('401 STEP_UP_REQUIRED')
      expect(answer.headers['www-authenticate']).toBe(
        'Bearer error="insufficient_user_authentication", acr_values="urn:mainstay:acr:2", max_age="600"',
      )
      expect(answer.json.methods).toEqual(['totp'])
    }
    await prove(app, session, 'otp')
    expect(outcome(await changePolicy(app, session, requiring('off')))).toBe('200')
    expect((await find(owner)).mustEnrol).toBe(false)
  })

  it('does not let the thief remove the second factor of payments either', async () => {
    const { session } = await anEnrolledOwner(app)
    expect(outcome(await changePolicy(app, session, requiring('off', undefined, 2)))).toBe('200')
    app.clock.advance(3 * 60)
    expect(outcome(await changePolicy(app, session, requiring('off')))).toBe('401 STEP_UP_REQUIRED')
    await prove(app, session, 'otp')
    expect(outcome(await changePolicy(app, session, requiring('off')))).toBe('200')
  })

  it('takes effect after the grace period, at the next refresh of live sessions', async () => {
    const { owner, session } = await anEnrolledOwner(app)
    const manager = await aMemberWith(app, owner, 'teamManagement', 'dataEntry')
    const plain = await aMember(app, owner)
    const [late, free] = [await signIn(app, manager, 'main'), await signIn(app, plain, 'main')]
    const shop = await signIn(app, manager, 'satellite')
    const answer = await changePolicy(app, session, requiring('managers', 3))
    expect([answer.json.covered, answer.json.enrolled]).toEqual([2, 1])
    app.clock.advance(3 * DAY - 5 * 60)
    expect(await enforcePolicies(app)).toBe(0)
    expect([await isLate(manager), await permissionsAfterRefresh(late)]).toEqual([false, manager.granted])
    app.clock.advance(5 * 60)
    expect(await enforcePolicies(app)).toBe(1)
    expect(await permissionsAfterRefresh(late)).toEqual(NOTHING)
    const refreshed = await refreshByHeader(app, shop.sessionId)
    expect(claimsOf(refreshed.json.accessToken).permissions).toEqual(NOTHING)
    expect(await permissionsAfterRefresh(free)).toEqual(plain.granted)
    expect(await permissionsAfterRefresh(session)).toEqual(owner.granted)
    expect((await policyRows(owner)).map(({ userId, detail }) => [userId, detail.step])).toEqual([
      [owner.id, 'set'],
      [null, 'enforced'],
    ])
    expect(await enforcePolicies(app)).toBe(0)
    const again = await signIn(app, manager, 'main')
    expect(claimsOf(again.accessToken).permissions).toEqual(NOTHING)
  })

  it('gives everything back once a factor is set up, and takes it when the factor is removed', async () => {
    const { owner, session } = await anEnrolledOwner(app)
    const member = await aMemberWith(app, owner, 'payments')
    const late = await signIn(app, member, 'main')
    await requireSecondFactor(app, session, 'payments')
    expect(await permissionsAfterRefresh(late)).toEqual(NOTHING)
    await giveTotp(app, member)
    expect(await permissionsAfterRefresh(late)).toEqual(member.granted)
    await takeTotp(app, member)
    expect(await permissionsAfterRefresh(late)).toEqual(NOTHING)
  })

  it('gives back what was taken when it is loosened, postponed or switched off, and takes no more than it says', async () => {
    const { owner, session } = await anEnrolledOwner(app)
    const [payer, plain] = [await aMemberWith(app, owner, 'payments'), await aMember(app, owner)]
    const sessions = [await signIn(app, payer, 'main'), await signIn(app, plain, 'main')]
    const now = async () => Promise.all(sessions.map(permissionsAfterRefresh))
    await requireSecondFactor(app, session, 'everyone')
    expect(await now()).toEqual([NOTHING, NOTHING])
    await requireSecondFactor(app, session, 'payments')
    expect(await now()).toEqual([NOTHING, plain.granted])
    await changePolicy(app, session, requiring('payments', 30))
    expect(await now()).toEqual([payer.granted, plain.granted])
    await requireSecondFactor(app, session, 'everyone')
    expect(await now()).toEqual([NOTHING, NOTHING])
    await requireSecondFactor(app, session, 'off')
    expect(await now()).toEqual([payer.granted, plain.granted])
  })

  it('keeps its date when something else is changed, while the same is required', async () => {
    const { session } = await anEnrolledOwner(app)
    const first = (await changePolicy(app, session, requiring('managers', 10))).json
    app.clock.advance(60)
    const kept = (await changePolicy(app, session, requiring('managers', undefined, 60))).json
    expect([kept.requiredFrom, kept.paymentStepUpMinutes]).toEqual([first.requiredFrom, 60])
    const other = (await changePolicy(app, session, requiring('everyone', undefined, 60))).json
    expect(Date.parse(other.requiredFrom)).toBeLessThanOrEqual(app.clock.now().getTime())
  })

  it('does not concern other accounts', async () => {
    const other = await aSignedInOwner(app)
    const { session } = await anEnrolledOwner(app)
    await requireSecondFactor(app, session, 'everyone')
    expect(await permissionsAfterRefresh(other)).toEqual(other.granted)
    expect((await readPolicy(app, other)).json).toEqual(OFF)
  })

  slow('reaches a large team, disabled members included, whom it does not count', async () => {
    const { owner, session } = await anEnrolledOwner(app)
    await importMembers(app, owner, 1100)
    const [disabled] = await importMembers(app, owner, 1)
    await app.get(UserAdministration).disable(disabled as User)
    await requireSecondFactor(app, session, 'everyone')
    expect((await readPolicy(app, session)).json).toMatchObject({ covered: 1101, enrolled: 1 })
    const users = await app.get(Users).listByAccount(owner.accountId, null, 2000)
    expect(users.filter(({ mustEnrol }) => mustEnrol).length).toBe(1101)
    await requireSecondFactor(app, session, 'off')
    const after = await app.get(Users).listByAccount(owner.accountId, null, 2000)
    expect(after.filter(({ mustEnrol }) => mustEnrol)).toEqual([])
  })

  describe('is at once that of somebody whom it concerns later', () => {
    it('by a grant, in their live sessions too', async () => {
      const { owner, session } = await anEnrolledOwner(app)
      await requireSecondFactor(app, session, 'payments')
      const member = await aSignedInMember(app, owner)
      const granted = { ...member.granted, payments: true }
      expect(outcome(await team(app, session, 'PUT', `/${member.id}/permissions`, granted))).toBe('204')
      expect(await permissionsAfterRefresh(member)).toEqual(NOTHING)
      await team(app, session, 'PUT', `/${member.id}/permissions`, member.granted)
      expect(await permissionsAfterRefresh(member)).toEqual(member.granted)
    })

    slow('by an invitation', async () => {
      const { session } = await anEnrolledOwner(app)
      await requireSecondFactor(app, session, 'managers')
      const [manager, plain] = [anEmail(), anEmail()]
      const permissions = permissionsOf(['accountSettings'] satisfies Permission[])
      await team(app, session, 'POST', '/invitations', { email: manager, permissions })
      await team(app, session, 'POST', '/invitations', { email: plain })
      for (const email of [manager, plain])
        expect(outcome(await accept(app, { token: await app.mailedToken(email), password: PASSWORD }))).toBe(
          '201',
        )
      const late = await Promise.all(
        [manager, plain].map(async email => (await app.get(Users).findByEmail(email))?.mustEnrol),
      )
      expect(late).toEqual([true, false])
    })

    it('by an import or the command line', async () => {
      const { owner, session } = await anEnrolledOwner(app)
      await requireSecondFactor(app, session, 'everyone')
      const email = anEmail()
      const line = JSON.stringify({ email, role: 'member', accountId: owner.accountId })
      await importUsers(app.app, Readable.from([Buffer.from(`${line}\n`)]), () => {})
      expect((await app.get(Users).findByEmail(email as Email))?.mustEnrol).toBe(true)
      expect((await aMember(app, owner)).mustEnrol).toBe(true)
    })

    it('by a transfer of the account, which takes it from who was the owner', async () => {
      const { owner, session } = await anEnrolledOwner(app)
      const member = await aSignedInMember(app, owner)
      await requireSecondFactor(app, session, 'managers')
      await beginTransfer(app, session, member)
      app.clock.advance(TRANSFER_WAIT_SECONDS)
      expect(await completeTransfers(app)).toBe(1)
      expect([(await find(member)).role, await isLate(member)]).toEqual(['owner', true])
      expect(await permissionsAfterRefresh(member)).toEqual(NOTHING)
      await giveTotp(app, member)
      expect(await permissionsAfterRefresh(member)).toEqual(owner.granted)
    })

    it('by a factor that they have given up while it concerned them', async () => {
      const { owner, session } = await anEnrolledOwner(app)
      await requireSecondFactor(app, session, 'managers')
      const live = await signIn(app, await aMember(app, owner), 'main')
      await takeTotp(app, owner)
      expect(await permissionsAfterRefresh(session)).toEqual(NOTHING)
      expect((await refreshByCookie(app, live.sessionId)).status).toBe(200)
    })
  })

  describe('misses nobody', () => {
    it('not somebody who is granted payments at the same moment', async () => {
      const { owner, session } = await anEnrolledOwner(app)
      const member = await aSignedInMember(app, owner)
      const granted = { ...member.granted, payments: true }
      // The grant holds its locks; what is required begins to count while it does.
      const held = heldCall(app.get(SessionChanges), 'record')
      const granting = team(app, session, 'PUT', `/${member.id}/permissions`, granted)
      await held.begun
      const requiring = requireOnly(owner)
      await beLockedOut(requiring)
      held.release()
      expect(outcome(await granting)).toBe('204')
      await requiring
      expect(await isLate(member)).toBe(true)
      expect(await permissionsAfterRefresh(member)).toEqual(NOTHING)
    })

    it('not somebody who is imported into an existing account at the same moment', async () => {
      const account = randomUUID()
      const [first, second] = [anEmail(), anEmail()]
      const importing = (line: object) =>
        importUsers(app.app, Readable.from([Buffer.from(`${JSON.stringify(line)}\n`)]), () => {})
      await importing({ email: first, role: 'owner', account })
      const owner = (await app.get(Users).findByEmail(first as Email)) as User
      const held = heldCall(app.get(SecondFactorPolicyService), 'apply')
      await requireOf(app, owner, 'off')
      await app.database.run(db =>
        db
          .update(accounts)
          .set({ secondFactor: 'everyone', secondFactorFrom: app.clock.now() })
          .where(eq(accounts.id, owner.accountId)),
      )
      const begun = app.get(SecondFactorPolicyService).begin(owner.accountId)
      await held.begun
      const imported = importing({ email: second, role: 'member', account })
      await beLockedOut(imported)
      held.release()
      expect(await begun).toBe(true)
      await imported
      expect((await app.get(Users).findByEmail(second as Email))?.mustEnrol).toBe(true)
      expect(await isLate(owner)).toBe(true)
    })

    /** As the job does at the end of the days of grace. */
    async function requireOnly({ accountId }: User) {
      await app.database.run(db =>
        db
          .update(accounts)
          .set({ secondFactor: 'payments', secondFactorFrom: app.clock.now() })
          .where(eq(accounts.id, accountId)),
      )
      return app.get(SecondFactorPolicyService).begin(accountId)
    }

    /** It waits for a lock, or has not got to it; it must not have ended in any case. */
    async function beLockedOut(work: Promise<unknown>) {
      const pause = new Promise(resolve => setTimeout(() => resolve('waits'), 50))
      expect(await Promise.race([work.then(() => 'done'), pause])).toBe('waits')
    }
  })

  it('begins once when two replicas are told at the same time', async () => {
    const { owner, session } = await anEnrolledOwner(app)
    await changePolicy(app, session, requiring('everyone', 1))
    await passTime(app, DAY + 60)
    const job = app.get(PolicyJob)
    const runs = await Promise.all([job.run(), job.run()])
    expect(runs.filter(begun => begun === 1)).toHaveLength(1)
    const enforcement = app.get(SecondFactorPolicyService)
    expect(await enforcement.begin(owner.accountId)).toBe(false)
    expect((await policyRows(owner)).filter(({ detail }) => detail.step === 'enforced')).toHaveLength(1)
  })

  it('is begun by the next run when one is interrupted, and delays no other account', async () => {
    const [one, other] = [await anEnrolledOwner(app), await anEnrolledOwner(app)]
    const member = await aMember(app, one.owner)
    for (const { session } of [one, other]) await changePolicy(app, session, requiring('everyone', 1))
    app.clock.advance(DAY)
    const apply = jest.spyOn(app.get(SecondFactorPolicyService), 'apply')
    apply.mockRejectedValueOnce(new Error('killed'))
    expect(await enforcePolicies(app)).toBe(1)
    expect(await isLate(member)).toBe(false)
    expect(await enforcePolicies(app)).toBe(1)
    expect(await isLate(member)).toBe(true)
  })

  it('cannot be changed by users who are overdue under it, or no longer have the permission', async () => {
    const { owner, session } = await anEnrolledOwner(app)
    const manager = await aMemberWith(app, owner, 'accountSettings')
    const late = await provenSession(app, manager)
    await requireSecondFactor(app, session, 'managers')
    expect(outcome(await changePolicy(app, late, requiring('off')))).toBe(
      '403 SECOND_FACTOR_ENROLMENT_REQUIRED',
    )
    await proveAgain(session)
    await steppedUpAndRestricted(owner)
  })

  /** The guard has let the request pass; then the permission is taken. */
  async function steppedUpAndRestricted(owner: User) {
    const user = await aMemberWith(app, owner, 'accountSettings')
    await requireOf(app, owner, 'off')
    const session = await steppedUp(app, await find(user))
    const held = heldCall(app.get(SessionChanges), 'commit')
    const changing = changePolicy(app, session, requiring('everyone'))
    await held.begun
    await app.get(UserAdministration).grant(user, NOTHING)
    held.release()
    expect(outcome(await changing)).toBe('403 PERMISSION_REQUIRED')
  }
})
