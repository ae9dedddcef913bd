import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import Stripe from 'stripe'
import { createMainstay, type Mainstay } from '../../sources.js'
import { request, type TestRequest, type TestResponse } from '../../support/http-request.js'
import { PASSWORD } from '../../support/people.js'
import { MAIN, SHOP_ONE } from '../../support/test-app.js'
import { bearer, cookie, outcome } from '../support/api-calls.js'
import {
  type DataFolder,
  folderWithOwner,
  LogLines,
  OWNER,
  PREFIX,
  settingsIn,
  WEBHOOK_SECRET,
} from './a-mainstay.js'
import { HOST_PAGE, HOSTS, type Host } from './hosts.js'

let mainstay: Mainstay
let folder: DataFolder
beforeAll(async () => {
  folder = await folderWithOwner()
  mainstay = await createMainstay(settingsIn(folder.path), { prefix: PREFIX, log: new LogLines() })
})
afterAll(async () => {
  await mainstay.close()
  await folder.remove()
})

describe.each(HOSTS)('embedding: Mainstay in %s', (name, start) => {
  let host: Host
  beforeAll(async () => {
    host = await start(mainstay)
  })
  afterAll(() => host.stop())

  const ask = (path: string, options: TestRequest = {}): Promise<TestResponse> =>
    request(host.url, { path, ...options })
  const logIn = (headers: Record<string, string> = { Origin: MAIN }) => {
    const body = { email: OWNER, password: PASSWORD, source: 'main' }
    return ask(`${PREFIX}/api/login`, { method: 'POST', headers, body })
  }

  it('logs in, refreshes by the cookie and serves data', async () => {
    const login = await logIn()
    expect(outcome(login)).toBe('200')
    expect(login.setCookies[0]).toMatch(
      /^sessionId=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    expect(login.setCookies[1]).toMatch(
      /^__Host-device=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    const [, sessionId] = /^sessionId=([^;]+)/.exec(login.setCookies[0] as string) as unknown as [
      string,
      string,
    ]
    const refresh = await ask(`${PREFIX}/api/refresh`, {
      method: 'POST',
      headers: { Origin: MAIN, ...cookie(sessionId) },
    })
    expect(outcome(refresh)).toBe('200')
    const data = await ask(`${PREFIX}/api/data`, { headers: bearer(refresh.json.accessToken) })
    expect(data.json).toMatchObject({ permissions: { payments: true } })
  })

  it('takes an event by its signature, which is over the bytes of the body', async () => {
    const body = JSON.stringify({
      id: `evt_${name}`,
      object: 'event',
      type: 'customer.created',
      created: Math.floor(Date.now() / 1000),
      data: { object: { object: 'customer', id: 'cus_unknown' } },
    })
    const signature = Stripe.webhooks.generateTestHeaderString({ payload: body, secret: WEBHOOK_SECRET })
    const post = (payload: string) => {
      const headers = { 'Content-Type': 'application/json', 'Stripe-Signature': signature }
      return ask(`${PREFIX}/api/webhooks/stripe`, { method: 'POST', headers, body: payload })
    }
    expect(outcome(await post(body))).toBe('200')
    expect(outcome(await post(`${body} `))).toBe('400 INVALID_SIGNATURE')
  })

  it('has the origins that Mainstay knows, and no header of the host', async () => {
    const allowed = await logIn({ Origin: SHOP_ONE })
    expect(allowed.headers['access-control-allow-origin']).toBe(SHOP_ONE)
    expect(allowed.headers).not.toHaveProperty('access-control-allow-credentials')
    const refused = await logIn({ Origin: HOST_PAGE })
    expect(outcome(refused)).toBe('403 ORIGIN_NOT_ALLOWED')
    expect(refused.headers).not.toHaveProperty('access-control-allow-origin')
    const headers = {
      Origin: MAIN,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'content-type',
    }
    const preflight = await ask(`${PREFIX}/api/login`, { method: 'OPTIONS', headers })
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, MAIN])
    expect(preflight.headers['access-control-allow-credentials']).toBe('true')
    expect(preflight.headers['access-control-max-age']).toBe('86400')
  })

  it('leaves alone the routes of the host: its bodies, its CORS, its errors, its 404', async () => {
    const headers = { Origin: HOST_PAGE }
    const own = await ask('/own', { method: 'POST', headers, body: { deep: [1, { two: 'ü' }] } })
    expect(own.json ?? JSON.parse(own.text)).toEqual({ host: { deep: [1, { two: 'ü' }] } })
    expect(own.headers['access-control-allow-origin']).toBe(HOST_PAGE)
    for (const header of ['content-security-policy', 'x-request-id', 'strict-transport-security'])
      expect(own.headers).not.toHaveProperty(header)
    const failed = await ask('/own/error', { headers })
    expect([failed.status, failed.text]).toEqual([500, '{"host":"failed"}'])
    const missing = await ask('/nowhere', { headers })
    expect(missing.status).toBe(404)
    expect(missing.text).not.toContain('urn:mainstay')
    // A listed satellite is nothing to the host.
    const foreign = await ask('/own', { method: 'POST', headers: { Origin: SHOP_ONE }, body: {} })
    expect(foreign.status).toBeLessThan(300)
    expect(foreign.headers['access-control-allow-origin']).not.toBe(SHOP_ONE)
  })

  it('answers under the prefix alone', async () => {
    expect(outcome(await ask(`${PREFIX}/nowhere`))).toBe('404 NOT_FOUND')
    expect(outcome(await ask(`${PREFIX}/health/ready?x=1`))).toBe('200')
    for (const path of ['/health/live', `${PREFIX}x/health/live`, `/AUTH/health/live`]) {
      const answer = await ask(path)
      expect([path, answer.status, answer.text.includes('urn:mainstay')]).toEqual([path, 404, false])
    }
  })
})
