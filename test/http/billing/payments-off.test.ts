import { describe, expect, it } from '@jest/globals'
import { eq } from 'drizzle-orm'
import Stripe from 'stripe'
import {
  accounts,
  billingCustomers,
  EntitlementSweep,
  PERMISSIONS,
  permissionsOf,
  subscriptions,
  Users,
} from '../../sources.js'
import { scrape } from '../../support/metrics.js'
import { aMember, anOwner, aSignedInOwner, signIn } from '../../support/people.js'
import { runInProcess } from '../../support/processes/run-in-process.js'
import { MAIN, SHOP_ONE } from '../../support/test-app.js'
import { ConsoleUser, withConsole } from '../operators/console-calls.js'
import { bearer, cookie, outcome, subscribe } from '../support/api-calls.js'
import { aLeavingOwner, ask, run } from '../support/leaving-accounts.js'
import { anAppWithPlans, PLANS, permissionsAfterRefresh } from '../support/paying.js'
import { aProvenOwner, onMainSite } from '../support/reauthenticate.js'

describe('payments off', () => {
  const environment = { PAYMENTS: 'off', METRICS_PORT: '0', DELETION_GRACE_SECONDS: '0' }
  const app = anAppWithPlans(PLANS, withConsole(environment))

  it('checks a payment as the specification says, and then answers 403 PAYMENTS_OFF', async () => {
    const owner = await aSignedInOwner(app)
    const { accessToken, sessionId } = owner
    const create = (headers: Record<string, string>) => app.post('/api/subscription/create', {}, headers)
    expect(outcome(await create({ Origin: MAIN, ...cookie(sessionId) }))).toBe('401 ACCESS_TOKEN_REQUIRED')
    expect(outcome(await create({ Origin: MAIN, ...bearer(accessToken) }))).toBe(
      '403 SESSION_COOKIE_REQUIRED',
    )
    const elsewhere = await signIn(app, owner, 'satellite')
    expect(outcome(await subscribe(app, elsewhere))).toBe('403 MAIN_SOURCE_REQUIRED')
    const member = await signIn(app, await aMember(app, owner), 'main')
    expect(outcome(await subscribe(app, member))).toBe('403 PAYMENTS_PERMISSION_REQUIRED')
    const refused = await subscribe(app, owner)
    expect(outcome(refused)).toBe('403 PAYMENTS_OFF')
    expect(refused.json.detail).toBe('This service takes no payments')
  })

  it('answers the same at all other routes of payments', async () => {
    const owner = await aSignedInOwner(app)
    for (const [method, path] of [
      ['POST', '/api/subscription/portal'],
      ['GET', '/api/subscription'],
      ['GET', '/api/invoices'],
      ['GET', '/api/plans'],
    ] as const) {
      expect([path, outcome(await onMainSite(app, owner, method, path))]).toEqual([path, '403 PAYMENTS_OFF'])
      const without = await app.request({ method, path, headers: { Origin: SHOP_ONE } })
      expect([path, outcome(without)]).toEqual([path, '401 ACCESS_TOKEN_REQUIRED'])
    }
    const event = { method: 'POST', path: '/api/webhooks/stripe', body: { id: 'evt_1' } } as const
    expect(outcome(await app.request(event))).toBe('403 PAYMENTS_OFF')
  })

  it('asks no provider, and has nothing that could', async () => {
    expect(() => app.app.get(Stripe)).toThrow()
    expect(app.sandbox.requests).toEqual([])
  })

  it('grants what was granted, whatever the plans file says', async () => {
    const owner = await aSignedInOwner(app)
    expect(await permissionsAfterRefresh(app, owner)).toEqual(PERMISSIONS)
  })

  it('gives back what a plan withheld when payments were on, and mails nobody about it', async () => {
    const owner = await aSignedInOwner(app)
    const isOwn = eq(accounts.id, owner.accountId)
    const withheld = {
      entitled: permissionsOf(['payments', 'accountSettings']),
      entitledBy: 'the rules of then',
      entitledUntil: app.clock.now(),
      limits: { satellites: 0, seats: 1 },
    }
    await app.database.run(db => db.update(accounts).set(withheld).where(isOwn))
    await app.get(EntitlementSweep).run()
    expect(await permissionsAfterRefresh(app, owner)).toEqual(PERMISSIONS)
    const [account] = await app.database.run(db => db.select().from(accounts).where(isOwn))
    expect(account).toMatchObject({ entitled: null, entitledBy: null, entitledUntil: null, limits: null })
    expect(await app.mailsTo(owner.email)).toEqual([])
  })

  it('deletes an account, but none that the provider still bills', async () => {
    const { owner } = await aLeavingOwner(app)
    await run(app)
    expect(await app.get(Users).findByEmail(owner.email)).toBeNull()
    const billed = await aProvenOwner(app)
    const { accountId } = billed
    await app.database.transaction(async db => {
      const ofThen = { accountId, customerId: 'cus_of_then', isLive: false, providerAccount: null }
      await db.insert(billingCustomers).values(ofThen)
      const rest = { cancelAtPeriodEnd: false, seenAt: app.clock.now() }
      const live = { accountId, status: 'active', providerId: 'sub_of_then', ...rest }
      await db.insert(subscriptions).values(live)
    })
    expect(outcome(await ask(app, billed))).toBe('409 SUBSCRIPTION_LIVE')
  })

  it('leaves payments out of health, metrics and the operator console', async () => {
    expect((await app.request({ path: '/health/status' })).json.status).toBe('ok')
    const { text } = await scrape(app)
    expect(text).toContain('mainstay_part_up')
    expect(text).not.toContain('billing')
    const operator = await ConsoleUser.loggedIn(app)
    expect((await operator.get('health')).json).toMatchObject({ status: 'ok', billing: null })
    expect(outcome(await operator.get('events'))).toBe('404 NOT_FOUND')
    const { accountId } = await anOwner(app)
    expect((await operator.get(`accounts/${accountId}`)).json).toMatchObject({ subscription: null })
  })

  it('says so at the command line, and leaves other commands alone', async () => {
    const environment = { NODE_ENV: 'test', PAYMENTS: 'off' }
    const status = await runInProcess(['billing:status'], environment)
    expect(status).toMatchObject({ code: 1, errors: expect.stringContaining('Payments are off') })
    const doctor = await runInProcess(['doctor', '--json'], environment)
    expect(JSON.parse(doctor.output)).toContainEqual({
      check: 'payments',
      status: 'skipped',
      saw: 'they are off',
    })
  })
})
