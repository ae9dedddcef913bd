import { describe, expect, it } from '@jest/globals'
import {
  EnrolmentGuard,
  type Handler,
  handlersOf,
  isPublic,
  OwnerGuard,
  PaymentsPermissionGuard,
  type Permission,
  PermissionGuard,
  permissionsOf,
  type Source,
  type User,
} from '../../sources.js'
import { giveTotp, markLate, requireOf, takeTotp } from '../../support/factors.js'
import { aMember, anEmail, anOwner, type SignedIn, signIn } from '../../support/people.js'
import { anApp, MAIN, SHOP_ONE } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import {
  bearer,
  outcome,
  readSubscription,
  refreshByCookie,
  refreshByHeader,
  subscribe,
} from '../support/api-calls.js'
import { aProvenOwner, onMainSite, provenSession } from '../support/reauthenticate.js'
import { aMemberWith, team } from '../support/team-calls.js'
import { claimsOf } from '../support/token-claims.js'
import { acceptTransfer, requestTransfer } from '../support/transfer-calls.js'

const ENROL = '403 SECOND_FACTOR_ENROLMENT_REQUIRED'

/** What somebody late may call besides what everybody may. Who adds one here says why. */
const HANDLERS_OF_LATE_USERS = [
  'ActiveSessionsController.end',
  'ActiveSessionsController.endOthers',
  'ActiveSessionsController.list',
  'DataController.read',
  'LoginController.logout',
  'LoginsController.list',
  'PasswordController.change',
  'PasswordRemovalController.remove',
  'PlansController.list',
  'ProfileController.change',
  'ProfileController.read',
]

/** Setting a factor up, and the proof that this needs. */
const ENROLMENT = /^\/api\/(second-factor|passkeys|remembered-devices|reauthenticate)(\/|$)/

describe('Somebody who has to set up a second factor', () => {
  const app = anApp()

  /** Late from now on, with live sessions. */
  async function beLate(user: User): Promise<void> {
    await requireOf(app, user, 'everyone')
    // As one that has given up a factor: a change that reaches live sessions.
    await giveTotp(app, user)
    await takeTotp(app, user)
  }

  it('may call only these handlers', () => {
    const closing: unknown[] = [PermissionGuard, PaymentsPermissionGuard, OwnerGuard, EnrolmentGuard]
    const isOpen = ({ target, path, guards }: Handler) =>
      !isPublic(target) && !ENROLMENT.test(path) && !guards.some(guard => closing.includes(guard))
    const names = handlersOf(app.app)
      .filter(isOpen)
      .map(({ name }) => name)
    expect(names.sort()).toEqual(HANDLERS_OF_LATE_USERS)
  })

  it('is refused everything else on the main site, and told why', async () => {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    const session = await provenSession(app, owner)
    await beLate(owner)
    const call = (method: string, path: string, body?: object) => onMainSite(app, session, method, path, body)
    const answers = {
      pay: await subscribe(app, session),
      portal: await call('POST', '/api/subscription/portal', {}),
      subscription: await readSubscription(app, session.accessToken),
      account: await call('GET', '/api/account'),
      policy: await call('PUT', '/api/account/second-factor', {
        required: 'off',
        paymentStepUpMinutes: null,
      }),
      audit: await call('GET', '/api/audit'),
      satellites: await call('GET', '/api/satellites'),
      team: await team(app, session, 'GET'),
      'sessions of others': await team(app, session, 'GET', `/${member.id}/sessions`),
      invite: await team(app, session, 'POST', '/invitations', { email: anEmail() }),
      deletion: await call('POST', '/api/account/deletion'),
      'cancelled deletion': await call('DELETE', '/api/account/deletion'),
      transfer: await requestTransfer(app, session, member.id),
      'hand-off': await call('POST', '/api/handoff/codes', {
        satellite: SHOP_ONE,
        challenge: 'A'.repeat(43),
        state: 'A'.repeat(43),
      }),
      'hand-off page': await call('GET', `/api/handoff?satellite=${encodeURIComponent(SHOP_ONE)}`),
      address: await call('POST', '/api/email/change', { email: anEmail() }),
      export: await call('GET', '/api/profile/export'),
    }
    const outcomes = Object.fromEntries(
      Object.entries(answers).map(([name, answer]) => [name, outcome(answer)]),
    )
    expect(outcomes).toEqual(Object.fromEntries(Object.keys(answers).map(name => [name, ENROL])))
  })

  it('may still manage their own profile and factors', async () => {
    const owner = await aProvenOwner(app)
    await beLate(owner)
    const other = await signIn(app, owner, 'main')
    for (const [method, path, body] of [
      ['GET', '/api/profile'],
      ['PATCH', '/api/profile', { name: 'Rosa' }],
      ['GET', '/api/sessions'],
      ['GET', '/api/logins'],
    ] as const)
      expect(`${path} ${outcome(await onMainSite(app, owner, method, path, body))}`).toBe(`${path} 200`)
    const { sid } = claimsOf(other.accessToken)
    expect(outcome(await onMainSite(app, owner, 'DELETE', `/api/sessions/${sid}`))).toBe('204')
  })

  slow('does not change their address by a link that was mailed before', async () => {
    const owner = await aProvenOwner(app)
    const email = anEmail()
    await onMainSite(app, owner, 'POST', '/api/email/change', { email })
    const token = await app.mailedToken(email)
    await beLate(owner)
    expect(outcome(await onMainSite(app, owner, 'POST', '/api/email/confirm', { token }))).toBe(ENROL)
    await giveTotp(app, owner)
    expect(outcome(await onMainSite(app, owner, 'POST', '/api/email/confirm', { token }))).toBe('204')
  })

  it('does not accept an account before they have', async () => {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    const session = await provenSession(app, owner)
    await requestTransfer(app, session, member.id)
    const token = await app.mailedToken(member.email)
    await beLate(member)
    expect(outcome(await acceptTransfer(app, token))).toBe(ENROL)
    await giveTotp(app, member)
    expect(outcome(await acceptTransfer(app, token))).toBe('200')
  })

  it('who manages the team is stopped in the transaction, when the guard has let them pass', async () => {
    const owner = await anOwner(app)
    const [manager, member] = [await aMemberWith(app, owner, 'teamManagement'), await aMember(app, owner)]
    const session = await signIn(app, manager, 'main')
    await requireOf(app, owner, 'managers')
    // Their row says so; the store has not been told yet.
    await markLate(app, manager)
    expect(outcome(await team(app, session, 'POST', `/${member.id}/disable`))).toBe(ENROL)
  })

  const OWNER = permissionsOf(['payments', 'accountSettings', 'teamManagement', 'dataEntry', 'viewReports'])
  const ROLES: Record<string, Permission[] | 'owner'> = {
    owner: 'owner',
    payer: ['payments', 'dataEntry'],
    manager: ['teamManagement', 'dataEntry'],
    settings: ['accountSettings', 'dataEntry'],
    member: ['dataEntry', 'viewReports'],
  }
  const CONCERNED: Record<string, readonly string[]> = {
    off: [],
    payments: ['owner', 'payer'],
    managers: ['owner', 'payer', 'manager', 'settings'],
    everyone: Object.keys(ROLES),
  }
  const SITES: Record<Source, string> = { main: MAIN, satellite: SHOP_ONE }
  /** Those on either side of each line; the rest is the same rule. */
  const rows = [
    ['off', 'owner', false],
    ['payments', 'payer', false],
    ['payments', 'manager', false],
    ['managers', 'settings', false],
    ['managers', 'member', false],
    ['everyone', 'member', false],
    ['everyone', 'owner', true],
  ] as const

  it.each(rows)(
    'policy %s, %s, enrolled %s: what their sessions may do, by every way in',
    async (policy, role, enrolled) => {
      const owner = await anOwner(app)
      const granted = ROLES[role] as Permission[] | 'owner'
      const user = granted === 'owner' ? owner : await aMemberWith(app, owner, ...granted)
      const live: [Source, SignedIn][] = []
      for (const source of ['main', 'satellite'] as const)
        live.push([source, await signIn(app, user, source)])
      if (enrolled) await giveTotp(app, user)
      await requireOf(app, owner, policy)
      await markLate(app, user)
      const isLate = !enrolled && (CONCERNED[policy] as readonly string[]).includes(role)
      const all = granted === 'owner' ? OWNER : permissionsOf(granted)
      const expected = (source: Source) => {
        if (isLate) return permissionsOf([])
        return source === 'main'
          ? all
          : permissionsOf(
              ['dataEntry', 'viewReports'].filter(name => all[name as Permission]) as Permission[],
            )
      }
      // A new login, where a password is enough.
      if (!enrolled)
        for (const source of ['main', 'satellite'] as const) {
          const { accessToken } = await signIn(app, user, source, SITES[source])
          expect(claimsOf(accessToken).permissions).toEqual(expected(source))
        }
      // A session of before, once the change has reached it.
      if (isLate) {
        await giveTotp(app, user)
        await takeTotp(app, user)
      }
      for (const [source, { sessionId }] of live) {
        const { json } = await (source === 'main'
          ? refreshByCookie(app, sessionId)
          : refreshByHeader(app, sessionId))
        expect(claimsOf(json.accessToken).permissions).toEqual(expected(source))
        const data = await app.request({ path: '/api/data', headers: bearer(json.accessToken) })
        expect(data.status).toBe(200)
      }
    },
  )
})
