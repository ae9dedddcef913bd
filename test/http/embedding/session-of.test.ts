import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type CookieRequest, createMainstay, type Mainstay } from '../../sources.js'
import { request, type TestRequest } from '../../support/http-request.js'
import { PASSWORD } from '../../support/people.js'
import { MAIN, SHOP_ONE } from '../../support/test-app.js'
import { bearer, cookie, outcome } from '../support/api-calls.js'
import { claimsOf } from '../support/token-claims.js'
import { type DataFolder, folderWithOwner, LogLines, OWNER, PREFIX, settingsIn } from './a-mainstay.js'
import { type Host, listen } from './hosts.js'

const NAVIGATION = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
/** What a browser says of a request, by what causes it. */
const OF_ITS_USER: [string, string | undefined, CookieRequest['headers']][] = [
  ['an address that is typed', 'GET', { 'sec-fetch-site': 'none', ...NAVIGATION }],
  ['a link on another site', 'GET', { 'sec-fetch-site': 'cross-site', ...NAVIGATION }],
  ['a link on a host of the same site', 'HEAD', { 'sec-fetch-site': 'same-site', ...NAVIGATION }],
  ['a form of the main site', 'POST', { 'sec-fetch-site': 'same-origin', origin: MAIN, ...NAVIGATION }],
  ['a script of the main site', 'GET', { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }],
  ['an old browser that opens a page', 'GET', {}],
  ['an old browser with a form of the main site', 'POST', { origin: MAIN }],
  ['a framework that names no method', undefined, {}],
]
const OF_ANOTHER: [string, string, CookieRequest['headers']][] = [
  ['a form on another site', 'POST', { 'sec-fetch-site': 'cross-site', origin: SHOP_ONE, ...NAVIGATION }],
  [
    'a form on a host of the same site',
    'POST',
    { 'sec-fetch-site': 'same-site', origin: 'https://blog.main.test', ...NAVIGATION },
  ],
  [
    'that form where it hides its origin',
    'POST',
    { 'sec-fetch-site': 'same-site', origin: 'null', ...NAVIGATION },
  ],
  ['a script on a host of the same site', 'GET', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }],
  [
    'a frame on a host of the same site',
    'GET',
    { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
  ],
  ['an old browser with a form elsewhere', 'POST', { origin: SHOP_ONE }],
  ['an old browser with a form that says nothing', 'POST', {}],
  ['an old browser with a script elsewhere', 'GET', { origin: 'https://blog.main.test' }],
]

describe('embedding: sessionOf', () => {
  let folder: DataFolder
  let mainstay: Mainstay
  let host: Host
  beforeAll(async () => {
    folder = await folderWithOwner()
    mainstay = await createMainstay(settingsIn(folder.path), { prefix: PREFIX, log: new LogLines() })
    host = await listen(createServer(mainstay.handler))
  })
  afterAll(async () => {
    await host.stop()
    await mainstay.close()
    await folder.remove()
  })

  const ask = (path: string, options: TestRequest) =>
    request(host.url, { path: `${PREFIX}${path}`, ...options })

  async function logIn(source: 'main' | 'satellite' = 'main') {
    const headers = { Origin: source === 'main' ? MAIN : SHOP_ONE }
    const body = { email: OWNER, password: PASSWORD, source }
    const answer = await ask('/api/login', { method: 'POST', headers, body })
    expect(outcome(answer)).toBe('200')
    const [, ofCookie] = /^sessionId=([^;]+)/.exec(answer.setCookies[0] ?? '') ?? []
    return { accessToken: answer.json.accessToken as string, sessionId: ofCookie ?? answer.json.sessionId }
  }

  const page = (sessionId: string, rest: CookieRequest['headers'] = {}, method = 'GET'): CookieRequest => ({
    method,
    headers: { cookie: `theme=dark; sessionId=${sessionId}`, ...rest },
  })

  it('says whose page it is as their access token does, and renews nothing', async () => {
    const { accessToken, sessionId } = await logIn()
    const { sid, userId, accountId, permissions, auth_time, amr, acr } = claimsOf(accessToken)
    expect(await mainstay.sessionOf(page(sessionId))).toEqual({
      ...{ sid, userId, accountId, permissions, amr, acr },
      ...{ authTime: auth_time, source: 'main', clientId: 'main' },
    })
    const lastUsed = async () => {
      const { json } = await ask('/api/sessions', {
        headers: { ...bearer(accessToken), ...cookie(sessionId) },
      })
      return json.sites
        .flatMap(({ sessions }: { sessions: object[] }) => sessions)
        .find((session: { sid: string }) => session.sid === sid).lastUsed
    }
    const before = await lastUsed()
    await mainstay.sessionOf(page(sessionId))
    expect(await lastUsed()).toBe(before)
  })

  it('is nobody without a live session of the main site', async () => {
    const { accessToken, sessionId } = await logIn()
    const another = await logIn()
    const ofSatellite = await logIn('satellite')
    const none = [
      { headers: {} },
      { headers: { 'x-session-id': sessionId } },
      page(ofSatellite.sessionId),
      page('00000000-0000-4000-8000-000000000000'),
      page('no session'),
      // Two live ones: a host of the same domain may have added its own.
      page(`${sessionId}; sessionId=${another.sessionId}`),
    ]
    for (const request of none) expect(await mainstay.sessionOf(request)).toBeNull()
    // What is left of another COOKIE_DOMAIN.
    const stale = page(`00000000-0000-4000-8000-000000000000; sessionId=${sessionId}`)
    expect(await mainstay.sessionOf(stale)).toMatchObject({ source: 'main' })
    const headers = { Origin: MAIN, ...bearer(accessToken), ...cookie(sessionId) }
    expect((await ask('/api/logout', { method: 'POST', headers })).status).toBe(204)
    expect(await mainstay.sessionOf(page(sessionId))).toBeNull()
  })

  it.each(OF_ITS_USER)('heeds the cookie with %s', async (_, method, headers) => {
    const { sessionId } = await logIn()
    const { method: usual, ...rest } = page(sessionId, headers, method)
    expect(await mainstay.sessionOf({ ...rest, ...(method && { method: usual }) })).not.toBeNull()
  })

  it.each(OF_ANOTHER)('does not heed it with %s', async (_, method, headers) => {
    const { sessionId } = await logIn()
    expect(await mainstay.sessionOf(page(sessionId, headers, method))).toBeNull()
  })

  it('throws where the database does not answer: nobody is logged out by that', async () => {
    const other = await folderWithOwner()
    const closed = await createMainstay(settingsIn(other.path), { prefix: PREFIX, log: new LogLines() })
    await closed.close()
    const { sessionId } = await logIn()
    await expect(closed.sessionOf(page(sessionId))).rejects.toMatchObject({ status: 503 })
    await other.remove()
  })
})
