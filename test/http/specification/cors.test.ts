import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { TestResponse } from '../../support/http-request.js'
import { anOwner, PASSWORD, signIn } from '../../support/people.js'
import { BACKENDS, MAIN, SHOP_ONE, SHOP_TWO, TestApp } from '../../support/test-app.js'
import { bearer, outcome } from '../support/api-calls.js'

const METHODS = 'GET, POST, PUT, DELETE, PATCH'
const SITES = [MAIN, SHOP_ONE, SHOP_TWO]

describe.each(BACKENDS)('Cross-origin requests, on %s', backend => {
  let app: TestApp
  beforeAll(async () => {
    app = await TestApp.startOn(backend)
  })
  afterAll(() => app.stop())

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
    it.each(SITES)("Access-Control-Allow-Origin: the request's Origin %s", async origin => {
      const { status, headers, text } = await preflight(origin)
      expect({ status, text }).toEqual({ status: 204, text: '' })
      expect(headers['access-control-allow-origin']).toBe(origin)
    })

    it.each(SITES)('Access-Control-Allow-Methods: GET, POST, PUT, DELETE, PATCH for %s', async origin => {
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

    it.each(SITES)('Access-Control-Max-Age: 86400 (24 hours) for %s', async origin => {
      expect((await preflight(origin)).headers['access-control-max-age']).toBe('86400')
    })

    it.each([
      '/',
      '/api/login',
      '/api/refresh',
      '/api/subscription/create',
      '/api/webhooks/stripe',
      '/no/such/path',
    ])('is answered on %s', async path => {
      const { status, headers } = await preflight(SHOP_ONE, path)
      expect({ status, origin: headers['access-control-allow-origin'] }).toEqual({
        status: 204,
        origin: SHOP_ONE,
      })
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
    it.each(SITES)(
      'Allowed origin: %s is in the list of ALLOWED_ORIGINS or is the main site',
      async origin => {
        expect((await readFrom(origin)).headers['access-control-allow-origin']).toBe(origin)
      },
    )

    it('A request with no Origin header is allowed', async () => {
      const { accessToken } = await signIn(app, await anOwner(app), 'satellite')
      const { status, headers } = await app.request({ path: '/api/data', headers: bearer(accessToken) })
      expect(status).toBe(200)
      expect(Object.keys(headers).filter(name => name.startsWith('access-control-'))).toEqual([])
    })

    it.each([
      'https://evil.test',
      'null',
      `${SHOP_ONE}:443`,
      `${SHOP_ONE}:8443`,
      `${SHOP_ONE}/`,
      `${SHOP_ONE}.evil.test`,
      `${SHOP_ONE}.`,
      'https://evil-shop-one.test',
      'https://sub.shop-one.test',
      'https://SHOP-ONE.test',
      'http://shop-one.test',
      'http://www.main.test',
      'https://main.test',
      `${SHOP_ONE} ${SHOP_TWO}`,
    ])("An origin not in the list, %s, is rejected with 'Not allowed by CORS'", async origin => {
      for (const answer of [await readFrom(origin), await preflight(origin)]) {
        expect(outcome(answer)).toBe('403 ORIGIN_NOT_ALLOWED')
        expect(answer.json.detail).toBe('Not allowed by CORS')
        expect(Object.keys(answer.headers).filter(name => name.startsWith('access-control-'))).toEqual([])
      }
    })

    it('a rejected request does nothing', async () => {
      const user = await anOwner(app)
      const answer = await app.request({
        method: 'POST',
        path: '/api/login',
        headers: { Origin: 'https://evil.test' },
        body: { email: user.email, password: PASSWORD, source: 'satellite' },
      })
      expect(outcome(answer)).toBe('403 ORIGIN_NOT_ALLOWED')
      const rows = (await app.auditRows()).filter(({ userId }) => userId === user.id)
      expect(rows.filter(({ action }) => action === 'login')).toEqual([])
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
      const rows = (await app.auditRows()).filter(({ action }) => action === 'origin')
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

  it.each(SITES)('a page of %s can read Retry-After and X-Request-Id', async origin => {
    const { headers } = await readFrom(origin)
    expect(headers['access-control-expose-headers']).toBe('Retry-After, X-Request-Id')
  })

  it.each([undefined, MAIN, SHOP_ONE, 'https://evil.test'])(
    'Vary: Origin stands on every answer, also to %s',
    async origin => {
      expect((await readFrom(origin)).headers.vary).toMatch(/\bOrigin\b/)
    },
  )
})
