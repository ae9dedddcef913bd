import { SATELLITE } from '../contestants/service.mjs'
import { PASSWORD, USER_AGENT } from '../seed.mjs'
import { Requests } from './load.mjs'

/** What the browser of a satellite sends along. */
const BROWSER = { Origin: SATELLITE, 'User-Agent': USER_AGENT, Accept: '*/*' }
const CONNECTIONS = 48
/** Far under the service's queue of 2 at work and 50 waiting, and enough that hashing never waits for anything else. */
const LOGIN_CONNECTIONS = 8

export function refreshRequests(opened) {
  const requests = opened.map(({ sessionId }) => ({
    method: 'POST',
    path: '/api/refresh',
    headers: { ...BROWSER, 'X-Session-ID': sessionId },
  }))
  return new Requests('refresh', requests, { connections: CONNECTIONS })
}

export function dataRequests(opened) {
  const requests = opened.map(({ accessToken }) => ({
    method: 'GET',
    path: '/api/data',
    headers: { ...BROWSER, Authorization: `Bearer ${accessToken}` },
  }))
  return new Requests('data', requests, { connections: CONNECTIONS })
}

export function loginRequests(users) {
  const requests = users.map(({ email }) => ({
    method: 'POST',
    path: '/api/login',
    headers: { ...BROWSER, 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD, source: 'satellite' }),
  }))
  return new Requests('login', requests, { connections: LOGIN_CONNECTIONS })
}
