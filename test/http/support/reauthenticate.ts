import { handleOf, type SessionId, SessionStore, type User } from '../../sources.js'
import type { TestResponse } from '../../support/http-request.js'
import { anOwner, PASSWORD, type Person, type SignedIn, signIn } from '../../support/people.js'
import { MAIN, type TestApp } from '../../support/test-app.js'
import { bearer, cookie } from './api-calls.js'

/** Gives the password again in this session. */
export function reauthenticate(
  app: TestApp,
  { accessToken }: Pick<SignedIn, 'accessToken'>,
  password = PASSWORD,
  headers: Record<string, string> = { Origin: MAIN },
): Promise<TestResponse> {
  return app.post('/api/reauthenticate', { password }, { ...headers, ...bearer(accessToken) })
}

/** A main session of the user that has just given the password again. */
export async function provenSession(app: TestApp, user: Pick<User, 'email'>): Promise<SignedIn> {
  const session = await signIn(app, user, 'main')
  const { status, text } = await reauthenticate(app, session)
  if (status !== 200) throw new Error(`re-authentication answered ${status} ${text}`)
  return session
}

/** A main session of the user whose login does not count as a re-authentication, as if it were long ago. */
export async function staleSession(app: TestApp, user: Pick<User, 'email'>): Promise<SignedIn> {
  const session = await signIn(app, user, 'main')
  await app.get(SessionStore).voidAuthentication(handleOf(session.sessionId as SessionId), app.clock.now())
  return session
}

/** A new owner in a session that has just been proven. */
export async function aProvenOwner(app: TestApp): Promise<Person> {
  const owner = await anOwner(app)
  return { ...owner, ...(await provenSession(app, owner)) }
}

/** A call of a page of the main site: with access token and session cookie. */
export function onMainSite(
  app: TestApp,
  { accessToken, sessionId }: Pick<SignedIn, 'accessToken' | 'sessionId'>,
  method: string,
  path: string,
  body?: object,
): Promise<TestResponse> {
  return app.request({
    method,
    path,
    headers: { Origin: MAIN, ...bearer(accessToken), ...cookie(sessionId) },
    ...(body && { body }),
    timeoutMs: 30_000,
  })
}

/** What a 401 `REAUTHENTICATION_REQUIRED` tells clients to do (RFC 9470 §3). */
export const STEP_UP_CHALLENGE = 'Bearer error="insufficient_user_authentication", max_age="600"'
