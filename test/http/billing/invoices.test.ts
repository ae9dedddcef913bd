import { afterEach, describe, expect, it } from '@jest/globals'
import { eq } from 'drizzle-orm'
import { billingCustomers } from '../../sources.js'
import { aMember, anOwner, type SignedIn, signIn } from '../../support/people.js'
import { anApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { bearer, outcome } from '../support/api-calls.js'
import { onMainSite } from '../support/reauthenticate.js'
import { aSubscriber } from '../support/subscriber.js'

describe('GET /api/invoices', () => {
  const app = anApp()
  afterEach(() => {
    app.sandbox.fault = null
  })

  function readInvoices(session: SignedIn) {
    return onMainSite(app, session, 'GET', '/api/invoices')
  }

  /** How often the provider has been asked for somebody's invoices. */
  function questions(customer?: string): number {
    return app.sandbox.requests.filter(
      ({ path, query }) => path.startsWith('/v1/invoices') && (!customer || query.includes(customer)),
    ).length
  }

  it('has number, date, amount, status and addresses of those issued, the newest first, and of no other account', async () => {
    const payer = await aSubscriber(app)
    await app.sandbox.simulate.failPayment(payer.subscriptionId)
    const other = await aSubscriber(app)
    const { invoices } = (await readInvoices(payer.signedIn)).json
    expect(invoices).toHaveLength(2)
    const [open, paid] = invoices
    expect(open).toMatchObject({ status: 'open', amount: 1000, currency: 'usd' })
    expect(paid).toEqual({
      id: expect.stringMatching(/^in_/),
      number: expect.stringMatching(/^SANDBOX-/),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      amount: 1000,
      currency: 'usd',
      status: 'paid',
      url: `${app.sandbox.url}/invoice/${paid.id}`,
      pdfUrl: `${app.sandbox.url}/invoice/${paid.id}/pdf`,
    })
    const theirs = (await readInvoices(other.signedIn)).json.invoices
    expect(theirs).toHaveLength(1)
    expect(invoices.map(({ id }: { id: string }) => id)).not.toContain(theirs[0].id)
  })

  it('is empty before the first payment, and the provider is not asked', async () => {
    const before = questions()
    const owner = await signIn(app, await anOwner(app), 'main')
    expect((await readInvoices(owner)).json).toEqual({ invoices: [] })
    expect(questions()).toBe(before)
  })

  it('is refused without the payments permission, to satellites, and without the cookie', async () => {
    const { owner, signedIn } = await aSubscriber(app)
    const before = questions()
    const member = await signIn(app, await aMember(app, owner), 'main')
    expect(outcome(await readInvoices(member))).toBe('403 PAYMENTS_PERMISSION_REQUIRED')
    const satellite = await signIn(app, owner, 'satellite')
    expect(outcome(await readInvoices(satellite))).toBe('403 MAIN_SOURCE_REQUIRED')
    const bare = await app.request({ path: '/api/invoices', headers: bearer(signedIn.accessToken) })
    expect(outcome(bare)).toBe('403 SESSION_COOKIE_REQUIRED')
    expect(questions()).toBe(before)
  })

  it('asks the provider once for what many ask at the same time', async () => {
    const { signedIn, customerId } = await aSubscriber(app)
    const before = questions()
    const answers = await Promise.all(Array.from({ length: 10 }, () => readInvoices(signedIn)))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(questions() - before).toBe(1)
    expect(questions(customerId)).toBeLessThanOrEqual(1)
  })

  slow('is 502 or 503 while the provider is away, and there as soon as it is back', async () => {
    const { signedIn } = await aSubscriber(app)
    app.sandbox.fault = 'error-500'
    expect(outcome(await readInvoices(signedIn))).toMatch(/^50[23] PAYMENT_PROVIDER_/)
    app.sandbox.fault = 'hang'
    expect(outcome(await readInvoices(signedIn))).toBe('503 PAYMENT_PROVIDER_UNAVAILABLE')
    app.sandbox.fault = null
    expect((await readInvoices(signedIn)).json.invoices).toHaveLength(1)
  })

  it('is empty for a customer that the provider no longer knows', async () => {
    const { signedIn, customerId } = await aSubscriber(app)
    const unknown = { customerId: `${customerId}_of_another_key` }
    const isThis = eq(billingCustomers.customerId, customerId)
    await app.database.run(db => db.update(billingCustomers).set(unknown).where(isThis))
    expect((await readInvoices(signedIn)).json).toEqual({ invoices: [] })
    expect(questions(unknown.customerId)).toBe(1)
  })
})
