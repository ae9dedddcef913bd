import { SATELLITE } from '../contestants/service.mjs'
import { Requests } from '../measure/load.mjs'
import { PASSWORD, USER_AGENT } from '../seed.mjs'
import { RotatingRequests } from './rotating-requests.mjs'
import { ISSUER } from './servers/claims.mjs'
import { basicAuthorization } from './start-peer.mjs'

/** What the service gets, and what the proxy in front of it adds. */
const BROWSER = {
  Origin: SATELLITE,
  'User-Agent': USER_AGENT,
  Accept: '*/*',
  'X-Forwarded-Proto': 'https',
}
const CONNECTIONS = { connections: 48 }
const LOGIN_CONNECTIONS = { connections: 8 }
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }

/** Requests of one method and path, each with headers of its own. */
export function withHeaders(name, method, path, headers) {
  const requests = headers.map(own => ({ method, path, headers: { ...BROWSER, ...own } }))
  return new Requests(name, requests, CONNECTIONS)
}

/** The same refresh tokens again and again, by a client with a secret. */
export function refreshGrants(name, tokens) {
  const headers = { ...BROWSER, ...FORM, Authorization: basicAuthorization('server') }
  const requests = tokens.map(token => ({ method: 'POST', path: '/token', headers, body: grant(token) }))
  return new Requests(name, requests, CONNECTIONS)
}

/** Each refresh token once, by a client without a secret; what is asked for next is what came back. */
export function rotatingGrants(name, tokens) {
  const request = token => ({
    method: 'POST',
    path: '/token',
    headers: { ...BROWSER, ...FORM },
    body: `client_id=browser&${grant(token)}`,
  })
  return new RotatingRequests(name, tokens, request, CONNECTIONS)
}

export function signIns(name, emails) {
  const headers = { ...BROWSER, 'Content-Type': 'application/json' }
  const requests = emails.map(email => ({
    method: 'POST',
    path: '/api/auth/sign-in/email',
    headers,
    body: JSON.stringify({ email, password: PASSWORD }),
  }))
  return new Requests(name, requests, LOGIN_CONNECTIONS)
}

function grant(token) {
  return new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: token,
    resource: ISSUER,
  }).toString()
}
