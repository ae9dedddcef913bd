import { describe, expect, it } from '@jest/globals'
import { sql } from 'drizzle-orm'
import { handleOf, SessionChanges, type SessionId, UserAdministration } from '../../sources.js'
import type { TestResponse } from '../../support/http-request.js'
import { anEmail, anOwner, PASSWORD, type SignedIn, signIn } from '../../support/people.js'
import { anApp, MAIN, SHOP_ONE, SHOP_TWO } from '../../support/test-app.js'
import { bearer, logOut, refreshByHeader, subscribe } from '../support/api-calls.js'
import { claimsOf } from '../support/token-claims.js'

describe('The audit log', () => {
  const app = anApp()

  /** The rows of one request. */
  async function rowsOf({ headers }: TestResponse) {
    return app.auditRows({ requestId: headers['x-request-id'] })
  }

  /** What the rows say of who it was. */
  function whoIs({ accessToken }: SignedIn) {
    const { userId, accountId, sid } = claimsOf(accessToken)
    return { userId, accountId, sid }
  }

  function logIn(body: object, headers: Record<string, string> = {}): Promise<TestResponse> {
    return app.post('/api/login', body, headers)
  }

  describe('has a row', () => {
    it('of a login', async () => {
      const signedIn = await signIn(app, await anOwner(app), 'main')
      expect(await rowsOf(signedIn.answer)).toEqual([
        expect.objectContaining({
          action: 'login',
          outcome: 'ok',
          ...whoIs(signedIn),
          ip: '127.0.0.1',
          origin: MAIN,
          detail: { source: 'main', methods: ['pwd'] },
        }),
      ])
    })

    it('for a failed login, with who was meant and the user agent', async () => {
      const { id, accountId, email } = await anOwner(app)
      const body = { email, password: 'wrong', source: 'satellite' }
      const answer = await logIn(body, { Origin: SHOP_ONE, 'User-Agent': 'Guesser/1.0' })
      expect(await rowsOf(answer)).toEqual([
        expect.objectContaining({
          action: 'login',
          outcome: 'failed',
          userId: id,
          accountId,
          origin: SHOP_ONE,
          userAgent: 'Guesser/1.0',
          detail: { reason: 'wrong password', email },
        }),
      ])
    })

    it('for a failed login of an unknown user', async () => {
      const email = anEmail()
      const answer = await logIn({ email, password: 'wrong', source: 'satellite' })
      expect(await rowsOf(answer)).toEqual([
        expect.objectContaining({
          outcome: 'failed',
          userId: null,
          detail: { reason: 'unknown user', email },
        }),
      ])
    })

    it('of a logout', async () => {
      const signedIn = await signIn(app, await anOwner(app), 'main')
      expect(await rowsOf(await logOut(app, signedIn.accessToken))).toEqual([
        expect.objectContaining({ action: 'logout', outcome: 'ok', ...whoIs(signedIn) }),
      ])
    })

    it('for a refused refresh', async () => {
      const signedIn = await signIn(app, await anOwner(app), 'satellite')
      const elsewhere = await refreshByHeader(app, signedIn.sessionId, { Origin: SHOP_TWO })
      expect(await rowsOf(elsewhere)).toEqual([
        expect.objectContaining({
          action: 'refresh',
          outcome: 'refused',
          ...whoIs(signedIn),
          origin: SHOP_TWO,
          detail: { reason: 'other origin' },
        }),
      ])
      expect(await rowsOf(await refreshByHeader(app, 'junk'))).toEqual([
        expect.objectContaining({ action: 'refresh', outcome: 'refused', userId: null }),
      ])
    })

    it.each(['', '?optional=true'])('for a refresh that another site caused %s', async query => {
      const { sessionId } = await signIn(app, await anOwner(app), 'main')
      const headers = { Cookie: `sessionId=${sessionId}`, 'Sec-Fetch-Site': 'cross-site' }
      const answer = await app.post(`/api/refresh${query}`, undefined, headers)
      expect(answer.json.code).toBe('CROSS_SITE_REFUSED')
      expect(await rowsOf(answer)).toEqual([
        expect.objectContaining({ outcome: 'refused', userId: null, detail: { reason: 'not presented' } }),
      ])
    })

    it('for no refresh that succeeded', async () => {
      const { sessionId } = await signIn(app, await anOwner(app), 'satellite')
      expect(await rowsOf(await refreshByHeader(app, sessionId))).toEqual([])
    })

    it('for the end of a session, whoever ended it', async () => {
      const owner = await anOwner(app)
      const signedIn = await signIn(app, owner, 'main')
      const session = {
        sid: handleOf(signedIn.sessionId as SessionId),
        userId: owner.id,
        accountId: owner.accountId,
      }
      await app.get(SessionChanges).end(session, null, 'stolen laptop')
      await app.get(UserAdministration).endSessions(owner)
      await app.get(UserAdministration).disable(owner)
      const rows = (await app.auditRows({ userId: owner.id })).slice(-3)
      expect(rows).toEqual([
        expect.objectContaining({
          action: 'session.revoke',
          outcome: 'ok',
          ...whoIs(signedIn),
          ip: null,
          detail: { reason: 'stolen laptop' },
        }),
        expect.objectContaining({ action: 'session.revoke', detail: { all: true } }),
        expect.objectContaining({ action: 'user.disable', outcome: 'ok' }),
      ])
    })

    it('of a checkout, and of the webhook that it led to', async () => {
      const signedIn = await signIn(app, await anOwner(app), 'main')
      const answer = await subscribe(app, signedIn)
      const checkout = app.sandbox.checkouts().at(-1)?.id as string
      expect(await rowsOf(answer)).toEqual([
        expect.objectContaining({
          action: 'checkout.create',
          outcome: 'ok',
          ...whoIs(signedIn),
          detail: { checkout, priceId: 'price_monthly' },
        }),
      ])
      await app.sandbox.simulate.pay(checkout)
      await app.paymentsSettled()
      const { accountId } = whoIs(signedIn)
      const rows = await app.auditRows({ accountId, action: 'webhook' })
      expect(rows.map(({ outcome, detail }) => ({ outcome, type: detail.type }))).toEqual(
        expect.arrayContaining([{ outcome: 'ok', type: 'customer.subscription.created' }]),
      )
    })

    it('for a webhook that the provider did not sign', async () => {
      const answer = await app.post('/api/webhooks/stripe', { id: 'evt_1' }, {})
      expect(await rowsOf(answer)).toEqual([
        expect.objectContaining({ action: 'webhook', outcome: 'refused', ip: '127.0.0.1' }),
      ])
    })
  })

  it('holds no secret', async () => {
    const user = await anOwner(app)
    const main = await signIn(app, user, 'main')
    const satellite = await signIn(app, user, 'satellite')
    await refreshByHeader(app, satellite.sessionId, { Origin: SHOP_TWO, ...bearer(main.accessToken) })
    await refreshByHeader(app, main.sessionId)
    await logOut(app, main.accessToken)
    const text = JSON.stringify(await app.auditRows())
    for (const secret of [
      PASSWORD,
      main.accessToken,
      main.sessionId,
      satellite.accessToken,
      satellite.sessionId,
    ])
      expect(text).not.toContain(secret)
  })

  it.each([`UPDATE audit_log SET outcome = 'ok'`, 'DELETE FROM audit_log', 'TRUNCATE audit_log'])(
    'is append-only: the database refuses %s',
    async statement => {
      await signIn(app, await anOwner(app), 'main')
      const before = await app.auditRows()
      const attempt = app.query(sql.raw(statement))
      await expect(attempt).rejects.toMatchObject({ cause: { message: 'audit_log is append-only' } })
      expect(await app.auditRows()).toEqual(before)
    },
  )
})
