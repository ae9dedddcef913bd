import { createHash, randomBytes } from 'node:crypto'
import type { TestResponse } from '../../support/http-request.js'
import type { SignedIn } from '../../support/people.js'
import { MAIN, type TestApp } from '../../support/test-app.js'
import { bearer, cookie } from './api-calls.js'
import { onMainSite } from './reauthenticate.js'

type Signed = Pick<SignedIn, 'accessToken' | 'sessionId'>
type Headers = Record<string, string>

/** What a satellite's page makes before it sends somebody to the main site. */
export interface Journey {
  readonly verifier: string
  readonly challenge: string
  readonly state: string
}

export function aJourney(): Journey {
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  return { verifier, challenge, state: randomBytes(32).toString('base64url') }
}

/** What the main site's page asks before it shows whom it takes where. */
export function describeHandoff(app: TestApp, signedIn: Signed, satellite: string): Promise<TestResponse> {
  return onMainSite(app, signedIn, 'GET', `/api/handoff?satellite=${encodeURIComponent(satellite)}`)
}

/** A click on "Continue" on the main site. */
export function requestCode(
  app: TestApp,
  signedIn: Signed,
  satellite: string,
  { challenge, state, path }: Omit<Journey, 'verifier'> & { readonly path?: unknown } = aJourney(),
  headers: Headers = { Origin: MAIN, ...cookie(signedIn.sessionId) },
): Promise<TestResponse> {
  return app.post(
    '/api/handoff/codes',
    { satellite, challenge, state, path },
    { ...bearer(signedIn.accessToken), ...headers },
  )
}

/** What the page of the satellite finds in its address. */
export function answerIn(redirect: unknown): { readonly page: string; readonly code: string } {
  const { origin, pathname, search, hash } = new URL(redirect as string)
  const [first, half = ''] = /^\?mainstay=([\w-]+)&?/.exec(search) ?? ['?']
  const query = search.slice(first.length)
  const page = `${origin}${pathname}${query && `?${query}`}`
  return { page, code: half + new URLSearchParams(hash.slice(1)).get('code') }
}

/** A code for that satellite. Throws when there is none. */
export async function aCode(
  app: TestApp,
  signedIn: Signed,
  satellite: string,
  journey: Journey,
): Promise<string> {
  const { status, json, text } = await requestCode(app, signedIn, satellite, journey)
  if (status !== 201) throw new Error(`a code was refused: ${status} ${text}`)
  return fragmentOf(json.redirect).get('code') as string
}

export function fragmentOf(redirect: unknown): URLSearchParams {
  return new URLSearchParams(new URL(redirect as string).hash.slice(1))
}

/** What the satellite's page does with the code; without an Origin when that is null. */
export function redeem(
  app: TestApp,
  body: { readonly code: unknown; readonly verifier: unknown; readonly deviceId?: unknown },
  origin: string | null,
): Promise<TestResponse> {
  return app.post('/api/handoff/redeem', body, origin === null ? {} : { Origin: origin })
}

/** The whole way: a session on the satellite, from this one. Throws when it is refused. */
export async function handOff(app: TestApp, signedIn: Signed, satellite: string): Promise<SignedIn> {
  const journey = aJourney()
  const code = await aCode(app, signedIn, satellite, journey)
  const answer = await redeem(app, { code, verifier: journey.verifier }, satellite)
  if (answer.status !== 200) throw new Error(`a code was not redeemed: ${answer.status} ${answer.text}`)
  return { ...(answer.json as { accessToken: string; sessionId: string }), answer }
}
