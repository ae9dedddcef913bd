import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { PERMISSIONS, permissionsOf, UserAdministration } from '../../sources.js'
import { giveAuthenticator } from '../../support/authenticator.js'
import { prove } from '../../support/factors.js'
import { aMember, anOwner, type SignedIn, signIn } from '../../support/people.js'
import { anApp, MAIN, SHOP_ONE, SHOP_TWO } from '../../support/test-app.js'
import { bearer, cookie, logOut, outcome, refreshByCookie, refreshByHeader } from '../support/api-calls.js'
import { handOff } from '../support/handoff-calls.js'
import { claimsOf } from '../support/token-claims.js'

interface Operation {
  readonly method: string
  readonly path: string
  readonly isOfMainSite: boolean
}

/** Two that apps and satellites may use as well; both ask for more than a session. */
const FOR_ALL_SITES = ['POST /api/password/change', 'GET /api/profile/export']

/** Every operation of the API reference that takes an access token. */
const OPERATIONS = operationsOf(
  JSON.parse(readFileSync(join(__dirname, '../../../docs/openapi.json'), 'utf8')),
)

/** A server can send any Origin. */
const ORIGINS = { satellite: SHOP_ONE, 'other satellite': SHOP_TWO, main: MAIN, none: null } as const

interface Request {
  readonly operation: Operation
  /** Which of the ids that it is not to touch stands in the path: a user, or one of two sessions. */
  readonly id: number
  readonly origin: keyof typeof ORIGINS
  readonly token: 'first' | 'refreshed'
  readonly hasCookie: boolean
  readonly hasHeader: boolean
}

const request: fc.Arbitrary<Request> = fc.record({
  operation: fc.constantFrom(...OPERATIONS),
  id: fc.nat(2),
  origin: fc.constantFrom(...(Object.keys(ORIGINS) as (keyof typeof ORIGINS)[])),
  token: fc.constantFrom('first', 'refreshed'),
  hasCookie: fc.boolean(),
  hasHeader: fc.boolean(),
})

/** What a satellite's page sends, as it should be. */
const IN_A_SITE = { origin: 'satellite', token: 'refreshed', hasCookie: false, hasHeader: true } as const
const END_SESSION = OPERATIONS.find(
  ({ method, path }) => method === 'DELETE' && path.startsWith('/api/sessions/'),
) as Operation

/** More of them by hand. */
const RUNS = Number(process.env.TAKEOVER_RUNS ?? 10)
const TIMEOUT_MS = 60_000 + RUNS * 20_000

const LIMITED = permissionsOf(['dataEntry', 'viewReports'])

const app = anApp({ LOGINS_PER_NETWORK: '1000000' })

function operationsOf({ paths }: { paths: Record<string, Record<string, { security?: object[] }>> }) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([verb, { security = [] }]): Operation[] => {
      const schemes = security.flatMap(scheme => Object.keys(scheme))
      if (!schemes.includes('accessToken')) return []
      const method = verb.toUpperCase()
      const isForAll = FOR_ALL_SITES.includes(`${method} ${path}`)
      return [{ method, path, isOfMainSite: schemes.includes('sessionCookie') && !isForAll }]
    }),
  )
}

/** Somebody who may do everything, with a second factor just used, and their sessions on three sites. */
async function aVisitor(isOwner: boolean) {
  const owner = await anOwner(app)
  const user = isOwner ? owner : await aMember(app, owner)
  if (!isOwner) await app.get(UserAdministration).grant(user, permissionsOf(PERMISSIONS))
  const main = await signIn(app, user, 'main')
  await giveAuthenticator(app, user)
  await prove(app, main, 'pwd', 'otp')
  return { user, main, seen: await handOff(app, main, SHOP_ONE), other: await handOff(app, main, SHOP_TWO) }
}

async function send(seen: SignedIn, others: readonly string[], step: Request) {
  const { operation, id, origin, token, hasCookie, hasHeader } = step
  const sent = ORIGINS[origin]
  const from: Record<string, string> = sent ? { Origin: sent } : {}
  const header = { 'X-Session-ID': seen.sessionId }
  const refreshed = await app.post('/api/refresh', undefined, { ...from, ...header })
  const accessToken = (token === 'refreshed' && refreshed.json?.accessToken) || seen.accessToken
  const path = operation.path.replace(/\{\w+\}/g, others[id] as string)
  const answer = await app.request({
    method: operation.method,
    path,
    headers: {
      ...{ ...from, ...bearer(accessToken) },
      ...(hasCookie && cookie(seen.sessionId)),
      ...(hasHeader && header),
    },
    ...(operation.method !== 'GET' && { body: {} }),
  })
  return { refreshed, answer }
}

it(
  'a hostile satellite never gets more than data entry and reports, nor at other sessions',
  async () => {
    expect(OPERATIONS.filter(({ isOfMainSite }) => isOfMainSite).length).toBeGreaterThan(40)
    const steps = fc.array(request, { minLength: 10, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(fc.boolean(), steps, async (isOwner, taken) => {
        const { user, main, seen, other } = await aVisitor(isOwner)
        const sids = [main, other].map(({ accessToken }) => claimsOf(accessToken).sid as string)
        const wrong: string[] = []
        const atSessions = { ...IN_A_SITE, operation: END_SESSION }
        for (const step of [...taken, { ...atSessions, id: 1 }, { ...atSessions, id: 2 }]) {
          // Logging out is the satellite's right; then there is nothing more to see.
          if (step.operation.path === '/api/logout') continue
          const { refreshed, answer } = await send(seen, [user.id, ...sids], step)
          const claims = refreshed.status === 200 ? claimsOf(refreshed.json.accessToken) : null
          if (step.origin === 'satellite') expect(claims).not.toBeNull()
          const name = `${JSON.stringify(step)} ${outcome(answer)}`
          if (claims && JSON.stringify(claims.permissions) !== JSON.stringify(LIMITED)) wrong.push(name)
          if (step.operation.isOfMainSite && ![401, 403].includes(answer.status)) wrong.push(name)
        }
        expect(wrong).toEqual([])
        // It may have used up its own session, but nobody else's.
        expect((await refreshByCookie(app, main.sessionId)).status).toBe(200)
        expect((await refreshByHeader(app, other.sessionId, { Origin: SHOP_TWO })).status).toBe(200)
        await logOut(app, main.accessToken)
        for (const Origin of [SHOP_ONE, SHOP_TWO, null])
          expect((await refreshByHeader(app, seen.sessionId, Origin ? { Origin } : {})).status).toBe(401)
      }),
      { numRuns: RUNS },
    )
  },
  TIMEOUT_MS,
)
