import { it } from '@jest/globals'
import fc from 'fast-check'
import {
  FactorResetJob,
  PERMISSIONS,
  type Permission,
  type User,
  UserAdministration,
  Users,
} from '../../sources.js'
import { giveAuthenticator } from '../../support/authenticator.js'
import { passTime } from '../../support/passing-time.js'
import { anEmail, anOwner, PASSWORD, signIn } from '../../support/people.js'
import { anApp } from '../../support/test-app.js'
import { refreshByCookie } from '../support/api-calls.js'
import { Mailbox } from '../support/mailbox.js'
import { aMemberWith } from '../support/team-calls.js'
import { Browser } from './browser.js'
import { Keyring } from './keyring.js'

const HOUR = 60 * 60
const OF_MANAGERS: readonly Permission[] = ['teamManagement', 'dataEntry', 'viewReports']

const VICTIMS = ['owner', 'richer manager', 'equal', 'self'] as const
type Victim = (typeof VICTIMS)[number]

/** What can be tried at `/api/team/…` against somebody. */
const ATTACKS = [
  ['PUT', '/permissions', 'all'],
  ['PUT', '/permissions', 'none'],
  ['PUT', '/permissions', 'own'],
  ['PUT', '/satellites', 'nowhere'],
  ['POST', '/disable'],
  ['POST', '/enable'],
  ['DELETE', ''],
  ['DELETE', '/sessions'],
  ['POST', '/second-factor/reset'],
  ['DELETE', '/second-factor/reset'],
] as const
type Attack = (typeof ATTACKS)[number]

const BODIES = {
  all: Object.fromEntries(PERMISSIONS.map(name => [name, true])),
  none: Object.fromEntries(PERMISSIONS.map(name => [name, false])),
  own: Object.fromEntries(PERMISSIONS.map(name => [name, OF_MANAGERS.includes(name)])),
  nowhere: { satellites: [] },
}

type Step =
  | { readonly kind: 'attack'; readonly victim: Victim; readonly attack: Attack }
  | { readonly kind: 'invite'; readonly permissions: readonly Permission[] }
  | { readonly kind: 'log in again' }
  | { readonly kind: 'change of address' }
  | { readonly kind: 'hours pass'; readonly hours: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('attack' as const),
      victim: fc.constantFrom(...VICTIMS),
      attack: fc.constantFrom(...ATTACKS),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('invite' as const),
      permissions: fc.subarray([...PERMISSIONS]),
    }),
  },
  fc.constantFrom({ kind: 'log in again' } as const, { kind: 'change of address' } as const),
  fc.record({ kind: fc.constant('hours pass' as const), hours: fc.integer({ min: 1, max: 23 }) }),
)

/** More of them by hand. */
const RUNS = Number(process.env.TAKEOVER_RUNS ?? 3)
const TIMEOUT_MS = 60_000 + RUNS * 60_000

const app = anApp({ LOGINS_PER_NETWORK: '1000000' })

/** A team: its owner, two managers who may do more and just as much, and the attacker. All but the attacker have an app. */
async function aTeam(permissions: readonly Permission[]) {
  const owner = await anOwner(app)
  const richer = await aMemberWith(app, owner, 'payments', ...OF_MANAGERS)
  const equal = await aMemberWith(app, owner, ...OF_MANAGERS)
  const { sessionId: ownersSession } = await signIn(app, owner, 'main')
  for (const user of [owner, richer, equal]) await giveAuthenticator(app, user)
  const attacker = await aMemberWith(app, owner, ...permissions)
  const log: string[] = []
  const browser = new Browser(
    app,
    { name: 'attacker', ip: '127.0.0.1', userAgent: 'Mozilla/5.0 Firefox/130.0' },
    log,
  )
  await browser.logIn(attacker.email, PASSWORD, new Keyring(app))
  /** The attacker's, the newest last. */
  const addresses: string[] = [attacker.email]
  return { owner, ownersSession, richer, equal, attacker, addresses, browser, log }
}
type Team = Awaited<ReturnType<typeof aTeam>>

async function take(team: Team, step: Step): Promise<void> {
  const { owner, richer, equal, attacker, addresses, browser } = team
  const keys = new Keyring(app)
  if (step.kind === 'log in again') return void (await browser.logIn(addresses.at(-1)!, PASSWORD, keys))
  if (step.kind === 'hours pass') return waitAndStop(team, step.hours)
  await browser.reauthenticate(PASSWORD, keys)
  if (step.kind === 'change of address') return changeAddress(team)
  if (step.kind === 'invite') return invite(team, step.permissions)
  const victim = { owner, 'richer manager': richer, equal, self: attacker }[step.victim]
  const [method, path, body] = step.attack
  await browser.act(method, `/api/team/${victim.id}${path}`, body && BODIES[body])
}

/** Those who are mailed about a reset of their factors stop it within the day. */
async function waitAndStop({ richer, equal, browser }: Team, hours: number): Promise<void> {
  await passTime(app, hours * HOUR)
  for (const { email } of [richer, equal]) {
    const token = await new Mailbox(app, email).newest('/factor-reset')
    if (token) await browser.open('/api/second-factor-reset/stop', { token })
  }
  await app.get(FactorResetJob).run()
}

/** A puppet, who joins at once. */
async function invite({ browser }: Team, permissions: readonly Permission[]): Promise<void> {
  const email = anEmail()
  const body = { email, permissions: Object.fromEntries(PERMISSIONS.map(n => [n, permissions.includes(n)])) }
  await browser.act('POST', '/api/team/invitations', body)
  const token = await new Mailbox(app, email).newest('/accept-invitation')
  if (token) await browser.openApart('/api/invitations/accept', { token, password: PASSWORD })
}

async function changeAddress({ addresses, browser }: Team): Promise<void> {
  const email = anEmail()
  await browser.act('POST', '/api/email/change', { email })
  const token = await new Mailbox(app, email).newest('/confirm-email')
  if (!token) return
  await browser.act('POST', '/api/email/confirm', { token })
  addresses.push(email)
}

/**
 * Disabled at last, the attacker follows every link that undoes a change of address, the newest first; each time
 * everybody is enabled again. Whom two of these have shut out.
 */
async function shutOutAgain({ owner, attacker, addresses, browser }: Team): Promise<string[]> {
  const operators = app.get(UserAdministration)
  const everybody = await app.get(Users).listByAccount(owner.accountId, null, 100)
  for (const user of everybody)
    await (user.id === attacker.id ? operators.disable(user) : operators.enable(user))
  const shutOut: string[] = []
  for (const address of addresses.toReversed()) {
    const token = await new Mailbox(app, address).newest('/undo-email')
    if (token) await browser.open('/api/email/undo', { token })
    for (const user of await app.get(Users).listByAccount(owner.accountId, null, 100)) {
      if (!user.disabledAt || user.id === attacker.id) continue
      shutOut.push(user.email)
      await operators.enable(user)
    }
  }
  return shutOut.filter((email, index) => shutOut.indexOf(email) !== index)
}

async function find({ id }: User): Promise<User | null> {
  return app.get(Users).find(id)
}

/** What must hold whatever a colleague has done: each line is one that does not. */
async function damageIn(team: Team, may: readonly Permission[]): Promise<string[]> {
  const { owner, ownersSession, richer, equal, attacker } = team
  const damage: string[] = []
  const now = await find(owner)
  if (!now || now.disabledAt || now.role !== 'owner' || now.satellites || now.email !== owner.email)
    damage.push('the owner was changed')
  if (JSON.stringify(now?.granted) !== JSON.stringify(owner.granted))
    damage.push('the owner lost permissions')
  if ((await refreshByCookie(app, ownersSession)).status !== 200) damage.push("the owner's session has ended")
  for (const user of [owner, richer, equal]) {
    const present = await find(user)
    if (present && !present.hasSecondFactor) damage.push(`${user.email} has lost their factors`)
  }
  const everybody = await app.get(Users).listByAccount(owner.accountId, null, 100)
  const managers = new Map([
    [equal.id, OF_MANAGERS],
    [richer.id, ['payments', ...OF_MANAGERS]],
  ])
  const friends = everybody.filter(({ id }) => id !== owner.id)
  for (const { id, granted } of friends)
    for (const name of PERMISSIONS)
      if (granted[name] && !may.includes(name) && !(managers.get(id) ?? []).includes(name))
        damage.push(`${id === attacker.id ? 'the attacker' : 'somebody'} has got ${name}`)
  return damage
}

it.each<[string, readonly Permission[]]>([
  ['manager', OF_MANAGERS],
  ['member', ['dataEntry', 'viewReports']],
])(
  'a hostile %s harms no owner, takes no factors, and gives nobody what they do not have themselves',
  async (_, may) => {
    const steps = fc.array(step, { minLength: 3, maxLength: 15 })
    await fc.assert(
      fc.asyncProperty(steps, async taken => {
        const team = await aTeam(may)
        for (const one of taken) await take(team, one)
        await waitAndStop(team, 1)
        const damage = await damageIn(team, may)
        for (const email of await shutOutAgain(team)) damage.push(`${email} was shut out again`)
        if (damage.length > 0) throw new Error(`${damage.join('\n')}\n${team.log.join('\n')}`)
      }),
      { numRuns: RUNS },
    )
  },
  TIMEOUT_MS,
)
