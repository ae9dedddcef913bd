import type { TestResponse } from '../../support/http-request.js'
import type { SignedIn } from '../../support/people.js'
import { MAIN, SHOP_ONE, type TestApp } from '../../support/test-app.js'

type Headers = Record<string, string | string[]>

/** The calls that clients of the API make, with the headers that their browsers would send. */

export function bearer(accessToken: string): { Authorization: string } {
  return { Authorization: `Bearer ${accessToken}` }
}

export function cookie(sessionId: string): { Cookie: string } {
  return { Cookie: `sessionId=${sessionId}` }
}

/** What the main site does every 15 minutes. */
export function refreshByCookie(
  app: TestApp,
  sessionId: string,
  headers: Headers = { Origin: MAIN },
): Promise<TestResponse> {
  return app.post('/api/refresh', undefined, { ...cookie(sessionId), ...headers })
}

/** What a satellite does every 15 minutes. */
export function refreshByHeader(
  app: TestApp,
  sessionId: string,
  headers: Headers = { Origin: SHOP_ONE },
): Promise<TestResponse> {
  return app.post('/api/refresh', undefined, { 'X-Session-ID': sessionId, ...headers })
}

export function readData(app: TestApp, accessToken: string): Promise<TestResponse> {
  return app.request({ path: '/api/data', headers: bearer(accessToken) })
}

export function readSubscription(app: TestApp, accessToken: string): Promise<TestResponse> {
  return app.request({ path: '/api/subscription', headers: bearer(accessToken) })
}

/** A click on "subscribe" on the main site. */
export function subscribe(
  app: TestApp,
  { accessToken, sessionId }: Pick<SignedIn, 'accessToken' | 'sessionId'>,
  body: object = {},
  timeoutMs?: number,
): Promise<TestResponse> {
  return app.request({
    method: 'POST',
    path: '/api/subscription/create',
    headers: { Origin: MAIN, ...bearer(accessToken), ...cookie(sessionId) },
    body,
    ...(timeoutMs && { timeoutMs }),
  })
}

export function logOut(app: TestApp, accessToken: string): Promise<TestResponse> {
  return app.post('/api/logout', undefined, { Origin: MAIN, ...bearer(accessToken) })
}

/** Status and code at once, for comparing refusals: `401 SESSION_NOT_FOUND`; `200` where there is no code. */
export function outcome({ status, json }: TestResponse): string {
  return json?.code ? `${status} ${json.code}` : String(status)
}
