import { beforeAll, describe, expect, it } from '@jest/globals'
import {
  handleOf,
  PERMISSIONS,
  permissionsOf,
  SessionChanges,
  type SessionId,
  type User,
  UserAdministration,
} from '../../sources.js'
import { anOwner, signIn } from '../../support/people.js'
import { anApp, MAIN, SHOP_ONE } from '../../support/test-app.js'
import { bearer, outcome, refreshByCookie } from '../support/api-calls.js'
import { claimsOf, withBadSignature } from '../support/token-claims.js'

/** Every combination of what a request to pay can carry, and the one family that may reach the provider. */

const TOKENS = ['none', 'bad', 'expired', 'main', 'satellite', 'other user'] as const
const COOKIES = ['none', 'main', 'satellite', 'revoked', 'other user', 'duplicate'] as const
const ORIGINS = { none: undefined, main: MAIN, satellite: SHOP_ONE, foreign: 'https://evil.test' } as const

interface Combination {
  readonly token: (typeof TOKENS)[number]
  readonly cookie: (typeof COOKIES)[number]
  readonly origin: keyof typeof ORIGINS
  readonly hasSessionHeader: boolean
  readonly isPaymentsGranted: boolean
}

/** From the specification: the origin first, then checks 1 to 4 of POST /api/subscription/create in their order. */
function expected({ token, cookie, origin, isPaymentsGranted }: Combination): string {
  if (origin === 'foreign') return '403 ORIGIN_NOT_ALLOWED'
  if (token === 'none') return '401 ACCESS_TOKEN_REQUIRED'
  if (token === 'bad' || token === 'expired') return '401 INVALID_ACCESS_TOKEN'
  // A cookie never counts on a page of another site.
  if (cookie === 'none' || origin === 'satellite') return '403 SESSION_COOKIE_REQUIRED'
  if (cookie === 'revoked' || cookie === 'duplicate') return '401 SESSION_NOT_FOUND'
  if (cookie === 'satellite') return '403 MAIN_SOURCE_REQUIRED'
  // A main token and the main cookie of the same session; of whichever user.
  if (token !== cookie) return '403 SESSION_MISMATCH'
  return isPaymentsGranted ? '201' : '403 PAYMENTS_PERMISSION_REQUIRED'
}

/** What a user and another one hold, and the account that each of them would pay for. */
interface Wallet {
  readonly tokens: Readonly<Record<Combination['token'], string | undefined>>
  readonly cookies: Readonly<Record<Combination['cookie'], string[]>>
  readonly satelliteSessionId: string
  readonly accountIds: readonly string[]
}

const app = anApp()
let granted: Wallet
let notGranted: Wallet

beforeAll(async () => {
  granted = await fillWallet(true)
  notGranted = await fillWallet(false)
})

describe.each(TOKENS)('POST /api/subscription/create with %s token', token => {
  it.each(COOKIES)('and %s cookie, from any origin, with any header', async cookie => {
    const seen: Record<string, string> = {}
    const wanted: Record<string, string> = {}
    for (const combination of combinationsOf(token, cookie)) {
      // What came of the payment before asks the provider as well.
      await app.paymentsSettled()
      const requestsBefore = app.sandbox.requests.length
      const answer = outcome(await pay(combination))
      const reached = app.sandbox.requests.length > requestsBefore
      const name = JSON.stringify(combination)
      seen[name] = `${answer}${reached ? ', the provider was asked' : ''}`
      wanted[name] = expected(combination)
      if (wanted[name] === '201') wanted[name] += ', the provider was asked'
    }
    expect(Object.keys(wanted)).toHaveLength(16)
    expect(seen).toEqual(wanted)
  })
})

it('has made checkouts for those who may pay, each for their own account, and for nobody else', async () => {
  // Two users × no Origin or main × with and without X-Session-ID.
  const payers = app.sandbox.checkouts().map(checkout => checkout.client_reference_id)
  expect(payers).toHaveLength(8)
  expect(new Set(payers)).toEqual(new Set(granted.accountIds))
})

function* combinationsOf(token: Combination['token'], cookie: Combination['cookie']): Generator<Combination> {
  for (const origin of Object.keys(ORIGINS) as Combination['origin'][])
    for (const hasSessionHeader of [true, false])
      for (const isPaymentsGranted of [true, false])
        yield { token, cookie, origin, hasSessionHeader, isPaymentsGranted }
}

let returnNumber = 0

function pay({ token, cookie, origin, hasSessionHeader, isPaymentsGranted }: Combination) {
  const { tokens, cookies, satelliteSessionId } = isPaymentsGranted ? granted : notGranted
  const accessToken = tokens[token]
  return app.post(
    '/api/subscription/create',
    { return: `${MAIN}/done/${++returnNumber}` },
    {
      ...(accessToken && bearer(accessToken)),
      ...(cookies[cookie].length > 0 && {
        Cookie: cookies[cookie].map(sessionId => `sessionId=${sessionId}`).join('; '),
      }),
      ...(ORIGINS[origin] && { Origin: ORIGINS[origin] }),
      ...(hasSessionHeader && { 'X-Session-ID': satelliteSessionId }),
    },
  )
}

async function fillWallet(isPaymentsGranted: boolean): Promise<Wallet> {
  const user = await anOwner(app)
  const other = await anOwner(app)
  app.clock.advance(-20 * 60)
  const before = await signIn(app, user, 'main')
  app.clock.advance(20 * 60)
  const main = { ...before, accessToken: (await refreshByCookie(app, before.sessionId)).json.accessToken }
  const satellite = await signIn(app, user, 'satellite')
  const revoked = await signIn(app, user, 'main')
  await revoke(user, revoked.sessionId)
  const others = await signIn(app, other, 'main')
  if (!isPaymentsGranted) for (const person of [user, other]) await takePayments(person)
  for (const { accessToken } of [main, others])
    expect(claimsOf(accessToken)).toMatchObject({ permissions: { payments: true } })
  return {
    tokens: {
      none: undefined,
      bad: withBadSignature(main.accessToken),
      expired: before.accessToken,
      main: main.accessToken,
      satellite: satellite.accessToken,
      'other user': others.accessToken,
    },
    cookies: {
      none: [],
      main: [main.sessionId],
      satellite: [satellite.sessionId],
      revoked: [revoked.sessionId],
      'other user': [others.sessionId],
      duplicate: [main.sessionId, main.sessionId],
    },
    satelliteSessionId: satellite.sessionId,
    accountIds: [user.accountId, other.accountId],
  }
}

function revoke(user: User, sessionId: string): Promise<boolean> {
  const session = { sid: handleOf(sessionId as SessionId), userId: user.id, accountId: user.accountId }
  return app.get(SessionChanges).end(session, null, 'test')
}

/** After the login, so that the token still says that payments are granted. */
function takePayments(user: User): Promise<void> {
  const rest = PERMISSIONS.filter(name => name !== 'payments')
  return app.get(UserAdministration).grant(user, permissionsOf(rest))
}
