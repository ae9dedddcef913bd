import { asSessionId, handleOf, type SessionHandle, type SessionId, type User } from '../../sources.js'
import type { TestResponse } from '../../support/http-request.js'
import { PASSWORD, type SignedIn } from '../../support/people.js'
import { MAIN, type TestApp } from '../../support/test-app.js'

/** The requests a client makes, as the main site or as a mobile app would. Each resolves whatever the answer. */

export function refreshAsMain(app: TestApp, { sessionId }: SignedIn): Promise<TestResponse> {
  return app.request({
    method: 'POST',
    path: '/api/refresh',
    headers: { Origin: MAIN, Cookie: `sessionId=${sessionId}` },
  })
}

export function refresh(app: TestApp, { sessionId }: SignedIn): Promise<TestResponse> {
  return app.request({ method: 'POST', path: '/api/refresh', headers: { 'X-Session-ID': sessionId } })
}

/** As the client of that session would. */
export function refreshOwn(app: TestApp, session: SignedIn): Promise<TestResponse> {
  const { source } = claimsIn(session.accessToken)
  return source === 'main' ? refreshAsMain(app, session) : refresh(app, session)
}

export function login(app: TestApp, { email }: Pick<User, 'email'>): Promise<TestResponse> {
  return app.request({
    method: 'POST',
    path: '/api/login',
    headers: { Origin: MAIN },
    body: { email, password: PASSWORD, source: 'main' },
  })
}

export function pay(app: TestApp, { accessToken, sessionId }: SignedIn): Promise<TestResponse> {
  return app.request({
    method: 'POST',
    path: '/api/subscription/create',
    headers: { Origin: MAIN, Authorization: `Bearer ${accessToken}`, Cookie: `sessionId=${sessionId}` },
    body: {},
  })
}

export function logout(app: TestApp, { accessToken }: SignedIn): Promise<TestResponse> {
  return app.request({
    method: 'POST',
    path: '/api/logout',
    headers: { Authorization: `Bearer ${accessToken}` },
  })
}

export function endOthers(app: TestApp, { accessToken }: SignedIn): Promise<TestResponse> {
  return app.request({
    method: 'DELETE',
    path: '/api/sessions',
    headers: { Authorization: `Bearer ${accessToken}` },
  })
}

export function readData(app: TestApp, { accessToken }: SignedIn): Promise<TestResponse> {
  return app.request({ path: '/api/data', headers: { Authorization: `Bearer ${accessToken}` } })
}

export function sidOf({ sessionId }: SignedIn): SessionHandle {
  return handleOf(asSessionId(sessionId) as SessionId)
}

/** What the access token of an answer says, unverified. */
export function claimsOf({ json }: TestResponse): Claims {
  return claimsIn(json.accessToken)
}

interface Claims {
  readonly permissions: Record<string, boolean>
  readonly source: string
}

function claimsIn(accessToken: string): Claims {
  return JSON.parse(Buffer.from(accessToken.split('.')[1] as string, 'base64url').toString())
}
