import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { anApp } from '../../support/test-app.js'
import { floodMailbox, guessCodes, guessPasswords } from './guesses.js'
import type { SetUp } from './rightful-owner.js'
import { Takeover, type Theft } from './takeover.js'

type Step = readonly [name: string, work: (takeover: Takeover) => Promise<void>]

function thief(name: string, work: (takeover: Takeover) => Promise<unknown>): Step {
  return [name, takeover => takeover.thiefDoes(name, () => work(takeover))]
}

function owner(name: string, work: (takeover: Takeover) => Promise<unknown>): Step {
  return [name, takeover => takeover.ownerDoes(name, () => work(takeover))]
}

const WITH_FACTORS: readonly Step[] = [
  thief('has the browser remembered', t => t.thief.logsIn(true)),
  thief('sets up an app', t => t.thief.addsApp()),
  thief('adds a passkey', t => t.thief.addsPasskey()),
  thief('makes recovery codes', t => t.thief.replacesCodes()),
  thief('removes the app', t => t.thief.removesApp()),
  thief('removes passkeys', t => t.thief.removesPasskeys()),
  thief('gives up the password', t => t.thief.givesUpPassword()),
  thief('requires factors', t => t.thief.changesPolicy('everyone')),
  thief('requires none', t => t.thief.changesPolicy('off')),
  thief("resets a colleague's factors", t => t.thief.resetsFactorsOf(t.colleague)),
  thief('guesses codes', t => guessCodes(t.thief.browser, t.owner.user.email, t.thief.password)),
]

const WITH_THE_REST: readonly Step[] = [
  thief('logs in', t => t.thief.logsIn()),
  thief('changes the password', t => t.thief.changesPassword()),
  thief('changes the address', t => t.thief.changesEmail(0)),
  thief('changes it again', t => t.thief.changesEmail(1)),
  thief('asks for an address', t => t.thief.asksForEmail(t.thief.mailboxes[0]!.address)),
  thief('invites a puppet', t => t.thief.invitesPuppet()),
  thief('transfers', t => t.thief.transfersToPuppet()),
  thief('has the transfer accepted', t => t.thief.hasTransferAccepted()),
  thief('lets the puppet disable the owner', t => t.thief.puppetAttacksOwner('POST /disable')),
  thief('lets the puppet remove the owner', t => t.thief.puppetAttacksOwner('DELETE ')),
  thief("lets the puppet reset the owner's factors", t =>
    t.thief.puppetAttacksOwner('POST /second-factor/reset'),
  ),
  thief('asks for the deletion', t => t.thief.asksForDeletion()),
  thief('takes a code for a satellite', t => t.thief.codes.take(t.thief.browser)),
  thief('logs in on the satellite', t => t.thief.codes.redeem()),
  thief('guesses passwords', t => guessPasswords(t.thief.browser, t.owner.user.email)),
  thief('floods the mailbox', t => floodMailbox(t.thief.browser, t.owner.user.email)),
  thief('forgets the password', t => t.thief.forgets()),
  thief('follows links', t => t.thief.followsLinks()),
  thief('logs the others out', t => t.thief.endsOtherSessions()),
]

const OF_OWNER: readonly Step[] = [
  owner('logs in', t => t.owner.logsIn()),
  owner('has the browser remembered', t => t.owner.logsIn(true)),
  owner('sets up an app', t => t.owner.addsApp()),
  owner('adds a passkey', t => t.owner.addsPasskey()),
  owner('removes the app', t => t.owner.removesApp()),
  owner('makes recovery codes', t => t.owner.replacesCodes()),
  owner('changes the password', t => t.owner.changesPassword()),
  owner('requires factors', t => t.owner.requiresFactors()),
  owner('forgets the password', t => t.owner.forgets()),
]

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...WITH_FACTORS) },
  { weight: 6, arbitrary: fc.constantFrom(...WITH_THE_REST) },
  { weight: 3, arbitrary: fc.constantFrom(...OF_OWNER) },
  {
    weight: 2,
    arbitrary: fc.integer({ min: 1, max: 60 }).map(hoursPass),
  },
)

const setUp: fc.Arbitrary<SetUp> = fc.record({
  app: fc.boolean(),
  passkeys: fc.constantFrom(0, 1, 2),
  givesUpPassword: fc.nat(3).map(n => n === 3),
  remembersBrowser: fc.boolean(),
  requires: fc.constantFrom('off', 'everyone'),
  isRecent: fc.nat(2).map(n => n === 2),
})

const ONLY_PASSWORD: Theft = { password: true, session: false, relayed: false }
const ONLY_SESSION: Theft = { password: false, session: true, relayed: false }
const BOTH: Theft = { password: true, session: true, relayed: false }
const WITH_RELAYED_CODE: Theft = { password: true, session: false, relayed: true }
const theft = fc.constantFrom(ONLY_PASSWORD, ONLY_SESSION, BOTH, WITH_RELAYED_CODE)

const NOTHING_LEFT = {
  isOwner: true,
  deleteAt: null,
  transfer: null,
  invitations: [],
  strangers: [],
  resets: [],
  rememberedDevices: [],
  opened: [],
  links: [],
  untried: [],
}

const NOTHING_SET_UP: SetUp = {
  app: false,
  passkeys: 0,
  givesUpPassword: false,
  remembersBrowser: false,
  requires: 'off',
  isRecent: false,
}

/** What each kind of thief would do first; tried every time. */
const KNOWN: readonly [SetUp, Theft, Step[], number][] = [
  [
    { ...NOTHING_SET_UP, app: true },
    WITH_RELAYED_CODE,
    named('adds a passkey', 'takes a code for a satellite'),
    0,
  ],
  [
    NOTHING_SET_UP,
    ONLY_PASSWORD,
    named('sets up an app', 'adds a passkey', 'gives up the password', 'changes the address'),
    1,
  ],
  [
    { ...NOTHING_SET_UP, passkeys: 1 },
    BOTH,
    named('sets up an app', 'changes the address', 'invites a puppet', 'asks for the deletion'),
    0,
  ],
  [
    NOTHING_SET_UP,
    ONLY_PASSWORD,
    [
      ...named('adds a passkey'),
      hoursPass(1),
      ...named('logs in', 'changes the address'),
      hoursPass(30),
      hoursPass(30),
    ],
    0,
  ],
  [NOTHING_SET_UP, ONLY_PASSWORD, [...named('adds a passkey'), ...[60, 60, 60].map(hoursPass)], 0],
  [
    NOTHING_SET_UP,
    ONLY_PASSWORD,
    [
      ...named('adds a passkey'),
      ...[60, 60].map(hoursPass),
      ...named('logs in', 'changes the address'),
      ...[60, 60, 60].map(hoursPass),
    ],
    0,
  ],
  [
    NOTHING_SET_UP,
    ONLY_PASSWORD,
    named('changes the address', 'adds a passkey', 'forgets the password', 'follows links'),
    0,
  ],
  [
    NOTHING_SET_UP,
    ONLY_PASSWORD,
    named(
      'sets up an app',
      'invites a puppet',
      'transfers',
      'changes the address',
      'has the transfer accepted',
      'guesses passwords',
    ),
    0,
  ],
]

function hoursPass(hours: number): Step {
  return [`${hours} h pass`, takeover => takeover.wait(hours)]
}

function named(...names: string[]): Step[] {
  return names.map(name => [...WITH_FACTORS, ...WITH_THE_REST].find(([other]) => other === name) as Step)
}

/** Random ones, besides those that are known. More of them by hand. */
const RUNS = Number(process.env.TAKEOVER_RUNS ?? 4)
const TIMEOUT_MS = 60_000 + RUNS * 60_000

const app = anApp({
  TRUST_PROXY: '127.0.0.1',
  // Fewer guesses fill it than by default; there is no time for so many.
  ATTEMPTS_PER_ACCOUNT: '12',
})

it(
  'one mail leads the owner back, whatever a thief does with factors, and nothing of the thief stays',
  async () => {
    const steps = fc.array(step, { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(setUp, theft, steps, fc.nat(), async (owned, stolen, taken, choice) => {
        const takeover = await Takeover.begin(app, owned, stolen)
        try {
          await takeover.thiefArrives(stolen, choice % 2 === 0)
          for (const [, work] of taken) await work(takeover)
          expect(await takeover.ownerTakesItBack(count => choice % count)).toBeNull()
          expect(await takeover.whatIsLeft()).toEqual(NOTHING_LEFT)
          expect(takeover.complaints).toEqual([])
          expect(await takeover.isOwnerDaysLater()).toBe(true)
        } catch (cause) {
          throw new Error(`${(cause as Error).message}\n${takeover.log.join('\n')}`, { cause })
        }
      }),
      {
        numRuns: KNOWN.length + RUNS,
        examples: KNOWN.map(([...known]) => known),
        // What was found is printed before Jest gives up on making it shorter.
        interruptAfterTimeLimit: TIMEOUT_MS - 30_000,
      },
    )
  },
  TIMEOUT_MS,
)
