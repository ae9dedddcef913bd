import { bearer, refreshByCookie, refreshByHeader } from '../../http/support/api-calls.js'
import { claimsOf as claimsIn } from '../../http/support/token-claims.js'
import { asSessionId, handleOf, type SessionHandle, type SessionId } from '../../sources.js'
import type { TestResponse } from '../../support/http-request.js'
import type { SignedIn } from '../../support/people.js'
import type { TestApp } from '../../support/test-app.js'

/** The requests a client makes, as the main site or as a mobile app would. Each resolves whatever the answer. */

export function refreshAsMain(app: TestApp, { sessionId }: SignedIn): Promise<TestResponse> {
  return refreshByCookie(app, sessionId)
}

export function refresh(app: TestApp, { sessionId }: SignedIn): Promise<TestResponse> {
  return refreshByHeader(app, sessionId, {})
}

/** As the client of that session would. */
export function refreshOwn(app: TestApp, session: SignedIn): Promise<TestResponse> {
  const { source } = claimsIn(session.accessToken)
  return source === 'main' ? refreshAsMain(app, session) : refresh(app, session)
}

export function logout(app: TestApp, { accessToken }: SignedIn): Promise<TestResponse> {
  return app.post('/api/logout', undefined, bearer(accessToken))
}

export function endOthers(app: TestApp, { accessToken }: SignedIn): Promise<TestResponse> {
  return app.request({ method: 'DELETE', path: '/api/sessions', headers: bearer(accessToken) })
}

export function readData(app: TestApp, { accessToken }: SignedIn): Promise<TestResponse> {
  return app.request({ path: '/api/data', headers: bearer(accessToken) })
}

export function sidOf({ sessionId }: SignedIn): SessionHandle {
  return handleOf(asSessionId(sessionId) as SessionId)
}

/** What the access token of an answer says, unverified. */
export function claimsOf({ json }: TestResponse) {
  return claimsIn(json.accessToken) as { permissions: Record<string, boolean>; source: string }
}
