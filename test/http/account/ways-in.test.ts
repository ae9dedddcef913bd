import { describe, expect, it } from '@jest/globals'
import { type Permissions, type SecondFactorRequirement, type User } from '../../sources.js'
import { aChallenge, giveAuthenticator, giveRecoveryCodes, secondStep } from '../../support/authenticator.js'
import { markLate, requireOf } from '../../support/factors.js'
import type { TestResponse } from '../../support/http-request.js'
import type { SoftwareAuthenticator } from '../../support/passkeys/software-authenticator.js'
import { aMember, anOwner, type SignedIn, sendLogin } from '../../support/people.js'
import { anApp, SHOP_ONE } from '../../support/test-app.js'
import { outcome } from '../support/api-calls.js'
import { aJourney, fragmentOf, redeem, requestCode } from '../support/handoff-calls.js'
import { addPasskey, logInWithPasskey, passkeyOptions } from '../support/passkey-calls.js'
import { provenSession } from '../support/reauthenticate.js'
import { claimsOf } from '../support/token-claims.js'

/** What users have besides their password. */
const KITS = ['nothing', 'an app', 'a passkey'] as const
type Kit = (typeof KITS)[number]
type Role = 'owner' | 'member'

/** Whom an account's policy concerns. */
const CONCERNED: Readonly<Record<SecondFactorRequirement, readonly Role[]>> = {
  off: [],
  payments: ['owner'],
  managers: ['owner'],
  everyone: ['owner', 'member'],
}

const ONE_FACTOR = '200 acr:1'
const TWO_FACTORS = '200 acr:2'
const SECOND_STEP = '401 SECOND_FACTOR_REQUIRED'
const MAIN_SITE = '403 HANDOFF_REQUIRED'

/** What every way to a session answers; no policy changes it, only what the session may do. */
const ANSWERS: Readonly<Record<Kit, Readonly<Record<string, string>>>> = {
  nothing: {
    'password on the main site': ONE_FACTOR,
    'password on a satellite': ONE_FACTOR,
    'password in a mobile app': ONE_FACTOR,
    'hand-off': ONE_FACTOR,
  },
  'an app': {
    'password on the main site': SECOND_STEP,
    'password on a satellite': MAIN_SITE,
    'password in a mobile app': SECOND_STEP,
    'password and code': TWO_FACTORS,
    'password and recovery code': TWO_FACTORS,
    'password in a remembered browser': ONE_FACTOR,
    'hand-off': TWO_FACTORS,
    'hand-off from a remembered browser': ONE_FACTOR,
  },
  'a passkey': {
    'password on the main site': SECOND_STEP,
    'password on a satellite': MAIN_SITE,
    'password in a mobile app': SECOND_STEP,
    'password and recovery code': TWO_FACTORS,
    'password and passkey': TWO_FACTORS,
    passkey: TWO_FACTORS,
    'password in a remembered browser': ONE_FACTOR,
    'hand-off': TWO_FACTORS,
    'hand-off from a remembered browser': ONE_FACTOR,
  },
}

const TO_ENROL = '403 SECOND_FACTOR_ENROLMENT_REQUIRED'

const app = anApp()

interface Person {
  readonly user: User
  readonly recoveryCodes: string[]
  readonly code?: string
  readonly passkey?: SoftwareAuthenticator
}

async function aPerson(kit: Kit, role: Role): Promise<Person & { owner: User }> {
  const owner = await anOwner(app)
  const user = role === 'owner' ? owner : await aMember(app, owner)
  if (kit === 'nothing') return { owner, user, recoveryCodes: [] }
  if (kit === 'an app') {
    const phone = await giveAuthenticator(app, user)
    return { owner, user, code: phone.code(), recoveryCodes: await giveRecoveryCodes(app, user) }
  }
  const { authenticator, json } = await addPasskey(app, await provenSession(app, user))
  return { owner, user, passkey: authenticator, recoveryCodes: json.recoveryCodes }
}

/** Goes every way that somebody with this kit can go, one after the other. */
async function everyWay({ user, code, passkey, recoveryCodes }: Person) {
  const answers: Record<string, TestResponse> = {
    'password on the main site': await sendLogin(app, user),
    'password on a satellite': await sendLogin(app, user, { source: 'satellite', Origin: SHOP_ONE }),
    'password in a mobile app': await inApp(user),
  }
  const second = async (proof: object) =>
    secondStep(app, { challenge: await aChallenge(app, user), rememberDevice: true, ...proof })
  if (code) answers['password and code'] = await second({ code })
  if (passkey) {
    answers['password and passkey'] = await second({ passkey: passkey.get(await passkeyOptions(app)) })
    answers.passkey = await logInWithPasskey(app, passkey.get(await passkeyOptions(app)))
  }
  const [recoveryCode] = recoveryCodes
  if (!recoveryCode) {
    answers['hand-off'] = await handedOff(answers['password on the main site'] as TestResponse)
    return answers
  }
  const recovered = await second({ recoveryCode })
  const device = /__Host-remembered-device=[\w-]{43}/.exec(recovered.setCookies.join('\n'))?.[0] ?? ''
  const remembered = await sendLogin(app, user, { Cookie: device })
  return {
    ...answers,
    'password and recovery code': recovered,
    'password in a remembered browser': remembered,
    'hand-off': await handedOff(recovered),
    'hand-off from a remembered browser': await handedOff(remembered),
  }
}

function inApp({ email }: User): Promise<TestResponse> {
  return sendLogin(app, { email }, { source: 'satellite', Origin: [] })
}

/** From this session of the main site to a satellite; the first refusal on the way. */
async function handedOff({ json, setCookies }: TestResponse): Promise<TestResponse> {
  const sessionId = /sessionId=([^;]*)/.exec(setCookies.join('\n'))?.[1] ?? ''
  const session: Pick<SignedIn, 'accessToken' | 'sessionId'> = { accessToken: json.accessToken, sessionId }
  const journey = aJourney()
  const asked = await requestCode(app, session, SHOP_ONE, journey)
  if (asked.status !== 201) return asked
  const code = fragmentOf(asked.json.redirect).get('code')
  return redeem(app, { code, verifier: journey.verifier }, SHOP_ONE)
}

function summaryOf(answer: TestResponse): string {
  if (answer.status !== 200) return outcome(answer)
  const { acr } = claimsOf(answer.json.accessToken)
  return `200 ${String(acr).replace('urn:mainstay:', '')}`
}

/** Anything but setting up a second factor. */
function mayDoAnything({ json }: TestResponse): boolean {
  return (claimsOf(json.accessToken).permissions as Permissions).dataEntry
}

/** Every kit where everything is required, and whom the others concern. */
const rows: { policy: SecondFactorRequirement; role: Role; kit: Kit }[] = [
  { policy: 'off', role: 'owner', kit: 'nothing' },
  ...KITS.map(kit => ({ policy: 'everyone' as const, role: 'member' as const, kit })),
  { policy: 'payments', role: 'owner', kit: 'nothing' },
  { policy: 'managers', role: 'member', kit: 'nothing' },
]

describe('every way to a session', () => {
  it.each(rows)('of an $role with $kit, where $policy is required', async ({ policy, role, kit }) => {
    const { owner, ...person } = await aPerson(kit, role)
    await requireOf(app, owner, policy)
    await markLate(app, person.user)
    const isLate = kit === 'nothing' && CONCERNED[policy].includes(role)
    const answers = await everyWay(person)
    const expected = { ...ANSWERS[kit], ...(isLate && { 'hand-off': TO_ENROL }) }
    expect(
      Object.fromEntries(Object.entries(answers).map(([way, answer]) => [way, summaryOf(answer)])),
    ).toEqual(expected)
    for (const answer of Object.values(answers))
      if (answer.status === 200) expect(mayDoAnything(answer)).toBe(!isLate)
  })
})
