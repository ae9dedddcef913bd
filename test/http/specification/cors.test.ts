import { describe, expect, it } from '@jest/globals'
import type { TestResponse } from '../../support/http-request.js'
import { anOwner, sendLogin, signIn } from '../../support/people.js'
import { anApp, BACKENDS, MAIN, SHOP_ONE, SHOP_TWO } from '../../support/test-app.js'
import { bearer, outcome } from '../support/api-calls.js'

const METHODS = 'GET, POST, PUT, DELETE, PATCH'
const SITES = [MAIN, SHOP_ONE, SHOP_TWO]

describe.each(BACKENDS)('Cross-origin requests, on %s', backend => {
  const app = anApp({}, backend)

  function preflight(origin: string, path = '/api/data', headers: Record<string, string> = {}) {
    return app.request({
      method: 'OPTIONS',
      path,
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization,content-type',
        ...headers,
      },
    })
  }

  /** A real request: a refusal too has to be readable for the page that made it. */
  function readFrom(origin: string | undefined): Promise<TestResponse> {
    return app.request({ path: '/api/data', ...(origin && { headers: { Origin: origin } }) })
  }

  describe('OPTIONS (any path), cross-origin preflight', () => {
    it("Access-Control-Allow-Origin: the request's Origin", async () => {
      for (const origin of SITES) {
        const { status, headers, text } = await preflight(origin)
        const answer = [status, text, headers['access-control-allow-origin']]
        expect(answer).toEqual([204, '', origin])
      }
    })

    it('Access-Control-Allow-Methods: GET, POST, PUT, DELETE, PATCH', async () => {
      for (const origin of SITES)
        expect((await preflight(origin)).headers['access-control-allow-methods']).toBe(METHODS)
    })

    it('Access-Control-Allow-Headers: Content-Type, Authorization, X-Session-ID', async () => {
      expect((await preflight(SHOP_ONE)).headers['access-control-allow-headers']).toBe(
        'Content-Type, Authorization, X-Session-ID',
      )
    })

    it('Access-Control-Allow-Headers: without X-Session-ID for the main site', async () => {
      expect((await preflight(MAIN)).headers['access-control-allow-headers']).toBe(
        'Content-Type, Authorization',
      )
    })

    it('Access-Control-Max-Age: 86400 (24 hours)', async () => {
      for (const origin of SITES)
        expect((await preflight(origin)).headers['access-control-max-age']).toBe('86400')
    })

    it('is answered on any path', async () => {
      for (const path of ['/', '/api/login', '/api/webhooks/stripe', '/no/such/path']) {
        const { status, headers } = await preflight(SHOP_ONE, path)
        expect([path, status, headers['access-control-allow-origin']]).toEqual([path, 204, SHOP_ONE])
      }
    })

    it('without an Origin opens nothing to anybody', async () => {
      for (const headers of [{}, { 'Access-Control-Request-Method': 'POST' }] as Record<string, string>[]) {
        const answer = await app.request({ method: 'OPTIONS', path: '/api/data', headers })
        expect(outcome(answer)).toBe('404 NOT_FOUND')
        expect(Object.keys(answer.headers).filter(name => name.startsWith('access-control-'))).toEqual([])
      }
    })

    it('never echoes what was asked for', async () => {
      const asked = {
        'Access-Control-Request-Method': 'TRACE',
        'Access-Control-Request-Headers': 'x-evil',
      }
      const { headers } = await preflight(SHOP_ONE, '/api/data', asked)
      expect(headers['access-control-allow-methods']).toBe(METHODS)
      expect(headers['access-control-allow-headers']).not.toContain('x-evil')
    })
  })

  describe('Main site', () => {
    it('Access-Control-Allow-Origin is the exact main-site origin, never a wildcard', async () => {
      expect((await readFrom(MAIN)).headers['access-control-allow-origin']).toBe(MAIN)
    })

    it('Access-Control-Allow-Credentials: true', async () => {
      for (const { headers } of [await readFrom(MAIN), await preflight(MAIN)])
        expect(headers['access-control-allow-credentials']).toBe('true')
    })
  })

  describe('Satellite sites', () => {
    it('Allowed origin: one in the list of ALLOWED_ORIGINS, or the main site', async () => {
      for (const origin of SITES)
        expect((await readFrom(origin)).headers['access-control-allow-origin']).toBe(origin)
    })

    it('A request with no Origin header is allowed', async () => {
      const { accessToken } = await signIn(app, await anOwner(app), 'satellite')
      const { status, headers } = await app.request({ path: '/api/data', headers: bearer(accessToken) })
      expect(status).toBe(200)
      expect(Object.keys(headers).filter(name => name.startsWith('access-control-'))).toEqual([])
    })

    it("An origin not in the list is rejected with 'Not allowed by CORS'", async () => {
      for (const origin of [
        ...['https://evil.test', 'null', 'https://evil-shop-one.test', 'https://sub.shop-one.test'],
        ...[':443', ':8443', '/', '.evil.test', '.', ` ${SHOP_TWO}`].map(end => `${SHOP_ONE}${end}`),
        ...['https://SHOP-ONE.test', 'http://shop-one.test', 'http://www.main.test', 'https://main.test'],
      ])
        for (const answer of [await readFrom(origin), await preflight(origin)]) {
          const granted = Object.keys(answer.headers).filter(name => name.startsWith('access-control-'))
          const refusal = [outcome(answer), answer.json.detail, granted]
          expect([origin, ...refusal]).toEqual([origin, '403 ORIGIN_NOT_ALLOWED', 'Not allowed by CORS', []])
        }
    })

    it('a rejected request does nothing', async () => {
      const user = await anOwner(app)
      const answer = await sendLogin(app, user, { source: 'satellite', Origin: 'https://evil.test' })
      expect(outcome(answer)).toBe('403 ORIGIN_NOT_ALLOWED')
      expect(await app.auditRows({ userId: user.id, action: 'login' })).toEqual([])
    })

    it('a rejected request leaves a row in the audit log, and one that was not does not', async () => {
      await readFrom(SHOP_ONE)
      // Of a network of its own: so many were refused above that further ones of theirs are only counted.
      await app.request({
        method: 'PATCH',
        path: '/no/such/path',
        headers: { Origin: 'https://audit.evil.test' },
        localAddress: '127.77.0.1',
      })
      const rows = await app.auditRows({ action: 'origin' })
      expect(rows.filter(({ origin }) => origin === 'https://audit.evil.test')).toMatchObject([
        { outcome: 'refused', detail: { method: 'PATCH' }, ip: '127.77.0.1' },
      ])
      expect(rows.filter(({ origin }) => origin === SHOP_ONE)).toEqual([])
    })

    it('Credentials are not allowed', async () => {
      for (const { headers } of [await readFrom(SHOP_ONE), await preflight(SHOP_ONE)])
        expect(headers).not.toHaveProperty('access-control-allow-credentials')
    })
  })

  it('any listed page can read Retry-After and X-Request-Id', async () => {
    for (const origin of SITES)
      expect((await readFrom(origin)).headers['access-control-expose-headers']).toBe(
        'Retry-After, X-Request-Id',
      )
  })

  it('Vary: Origin stands on every answer', async () => {
    for (const origin of [undefined, MAIN, SHOP_ONE, 'https://evil.test'])
      expect((await readFrom(origin)).headers.vary).toMatch(/\bOrigin\b/)
  })
})
