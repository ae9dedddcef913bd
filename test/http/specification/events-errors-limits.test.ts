import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { anOwner, aSignedInOwner, signIn } from '../../support/people.js'
import { BACKENDS, MAIN, SHOP_ONE, TestApp } from '../../support/test-app.js'
import {
  bearer,
  outcome,
  readData,
  readSubscription,
  refreshByCookie,
  refreshByHeader,
  subscribe,
} from '../support/api-calls.js'
import { claimsOf } from '../support/token-claims.js'

const DAYS_30 = 30 * 24 * 60 * 60

describe.each(BACKENDS)('On %s', backend => {
  let app: TestApp
  let shortLived: TestApp
  beforeAll(async () => {
    app = await TestApp.startOn(backend)
    shortLived = await TestApp.startOn(backend, {
      ACCESS_TOKEN_TTL_SECONDS: '60',
      SESSION_TTL_SECONDS: '3600',
    })
  })
  afterAll(() => Promise.all([app.stop(), shortLived.stop()]))

  describe('Events', () => {
    it('Inbound: when a payment completes the webhook updates the subscription status', async () => {
      const owner = await aSignedInOwner(app)
      await subscribe(app, owner)
      expect((await readSubscription(app, owner.accessToken)).json.status).toBe('none')
      const checkout = app.sandbox.checkouts().find(each => each.client_reference_id === owner.accountId)
      await app.sandbox.simulate.pay(checkout?.id as string)
      await app.paymentsSettled()
      expect((await readSubscription(app, owner.accessToken)).json).toMatchObject({
        status: 'active',
        plan: 'price_monthly',
      })
    })

    it('An audit log entry is kept for sensitive operations', async () => {
      const owner = await anOwner(app)
      await subscribe(app, await signIn(app, owner, 'main'))
      const actions = (await app.auditRows({ accountId: owner.accountId })).map(
        ({ action, outcome: result }) => `${action} ${result}`,
      )
      expect(actions).toEqual(['account.create ok', 'login ok', 'checkout.create ok'])
    })
  })

  describe('Errors', () => {
    it('Payment operation without the sessionId cookie: 403', async () => {
      const { accessToken } = await signIn(app, await anOwner(app), 'main')
      const answer = await app.post('/api/subscription/create', {}, { Origin: MAIN, ...bearer(accessToken) })
      expect(outcome(answer)).toBe('403 SESSION_COOKIE_REQUIRED')
    })

    it.each([
      ['a missing session identifier', ''],
      ['an unknown session identifier', randomUUID()],
      ['a malformed session identifier', 'junk'],
    ])('Satellite request with %s (at refresh): 401', async (_, sessionId) => {
      expect(outcome(await refreshByHeader(app, sessionId))).toBe('401 SESSION_NOT_FOUND')
    })

    it('Satellite request with missing X-Session-ID header (at refresh): 401', async () => {
      const answer = await app.post('/api/refresh', undefined, { Origin: SHOP_ONE })
      expect(outcome(answer)).toBe('401 SESSION_NOT_FOUND')
    })

    it("Request origin not in the allow list: rejected with the message 'Not allowed by CORS'", async () => {
      const answer = await app.request({ path: '/api/data', headers: { Origin: 'https://evil.test' } })
      expect(outcome(answer)).toBe('403 ORIGIN_NOT_ALLOWED')
      expect(answer.json.detail).toBe('Not allowed by CORS')
    })

    it('Preflight for an origin not allowed: preflight fails', async () => {
      const answer = await preflight('https://evil.test', 'authorization')
      expect(answer.status).toBe(403)
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
    })

    it.each([
      [SHOP_ONE, 'x-other'],
      [MAIN, 'x-session-id'],
    ])(
      'Preflight from %s for the header %s, which is not allowed: it is not granted, so preflight fails',
      async (origin, header) => {
        const { headers } = await preflight(origin, header)
        const granted = (headers['access-control-allow-headers'] ?? '').toLowerCase().split(', ')
        expect(granted).not.toContain(header)
        expect(granted).not.toContain('*')
      },
    )

    function preflight(origin: string, header: string) {
      return app.request({
        method: 'OPTIONS',
        path: '/api/data',
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': 'GET',
          'Access-Control-Request-Headers': header,
        },
      })
    }
  })

  describe('Limits', () => {
    it('Access token lifetime: 15 minutes', async () => {
      const { iat, exp } = claimsOf((await signIn(app, await anOwner(app), 'main')).accessToken)
      expect((exp as number) - (iat as number)).toBe(900)
    })

    it('Session lifetime: 30 days', async () => {
      const { sessionId } = await signIn(app, await anOwner(app), 'satellite')
      app.clock.advance(DAYS_30 - 60)
      expect(outcome(await refreshByHeader(app, sessionId))).toBe('200')
      app.clock.advance(60)
      expect(outcome(await refreshByHeader(app, sessionId))).toBe('401 SESSION_NOT_FOUND')
    })

    it('Both lifetimes: configurable per environment', async () => {
      const { accessToken, sessionId, answer } = await signIn(shortLived, await anOwner(shortLived), 'main')
      expect(answer.setCookies[0]).toContain('Max-Age=3600')
      shortLived.clock.advance(55)
      expect(outcome(await readData(shortLived, accessToken))).toBe('200')
      shortLived.clock.advance(12)
      expect(outcome(await readData(shortLived, accessToken))).toBe('401 INVALID_ACCESS_TOKEN')
      expect(outcome(await refreshByCookie(shortLived, sessionId))).toBe('200')
      shortLived.clock.advance(3600)
      expect(outcome(await refreshByCookie(shortLived, sessionId))).toBe('401 SESSION_NOT_FOUND')
    })

    it('Session cookie max age: 30 days', async () => {
      const { answer } = await signIn(app, await anOwner(app), 'main')
      expect(answer.setCookies[0]).toContain(`Max-Age=${DAYS_30}`)
    })

    it('Preflight cache: 86400 seconds', async () => {
      const { headers } = await app.request({
        method: 'OPTIONS',
        path: '/api/data',
        headers: { Origin: SHOP_ONE, 'Access-Control-Request-Method': 'GET' },
      })
      expect(headers['access-control-max-age']).toBe('86400')
    })
  })
})
