import { describe, expect, it, jest } from '@jest/globals'
import { eq } from 'drizzle-orm'
import Stripe from 'stripe'
import {
  BillingInbox,
  BillingQueue,
  BillingWorker,
  CustomerSnapshots,
  CustomerSync,
  unavailable,
  users,
} from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { anOwner, signIn } from '../../support/people.js'
import { anApp, MAIN } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { outcome, readSubscription, subscribe } from '../support/api-calls.js'
import { anEvent, keptEvents, postEvent } from '../support/signed-event.js'
import { aSubscriber, openCheckout, statusOf } from '../support/subscriber.js'
import { claimsOf } from '../support/token-claims.js'

/** What other people's billing does wrong. Each test has the name of its bug. */
describe('billing mistakes that must not happen', () => {
  const app = anApp()

  function customersOf(accountId: unknown) {
    return app.sandbox.customers().filter(({ metadata }) => metadata.accountId === accountId)
  }

  it('answers 503 when the event could not be stored', async () => {
    const inbox = app.get(BillingInbox)
    const store = inbox.store
    const event = anEvent()
    inbox.store = () => Promise.reject(unavailable('DATABASE_UNAVAILABLE'))
    const failed = await postEvent(app, event)
    inbox.store = store
    expect(outcome(failed)).toBe('503 DATABASE_UNAVAILABLE')
    expect(await keptEvents(app, event.id)).toEqual([])
    expect(outcome(await postEvent(app, event))).toBe('200')
    expect(await keptEvents(app, event.id)).toHaveLength(1)
  })

  /** The next look at the provider is written only once `write` is called; `seen` is what it saw, once it has. */
  function slowLook() {
    const looks = app.get(CustomerSnapshots)
    const { fetch: look } = looks
    const slow: { seen?: Awaited<ReturnType<typeof look>>; write: () => void } = { write: () => {} }
    jest.spyOn(looks, 'fetch').mockImplementationOnce(async (...asked) => {
      const early = await look.apply(looks, asked)
      slow.seen = early
      await new Promise<void>(resolve => {
        slow.write = resolve
      })
      return early
    })
    return slow
  }

  slow('never prefers what it saw earlier to what it has seen since', async () => {
    const payer = await aSubscriber(app)
    const slow = slowLook()
    const synced = app.get(CustomerSync).syncNow(payer.customerId)
    await eventually(() => slow.seen)
    await app.sandbox.simulate.cancel(payer.subscriptionId)
    await app.paymentsSettled()
    expect(await statusOf(app, payer.signedIn)).toBe('canceled')
    slow.write()
    await synced
    expect(slow.seen?.subscriptions.map(({ status }) => status)).toEqual(['active'])
    expect(await statusOf(app, payer.signedIn)).toBe('canceled')
  })

  slow('tells the provider what is due although a browser overtakes the worker', async () => {
    const payer = await aSubscriber(app)
    const slow = slowLook()
    await app.database.run(db => db.update(users).set({ name: 'Ada' }).where(eq(users.id, payer.owner.id)))
    await app.get(BillingQueue).add(payer.customerId)
    app.get(BillingWorker).nudge()
    await eventually(() => slow.seen)
    await app.get(CustomerSync).syncNow(payer.customerId)
    slow.write()
    const nameAtProvider = () => app.sandbox.customers().find(({ id }) => id === payer.customerId)?.name
    await eventually(() => nameAtProvider() === 'Ada', { what: 'the provider to know the new name' })
  })

  it('does not bill an account twice', async () => {
    const payer = await aSubscriber(app)
    const bodies = [{}, { priceId: 'price_yearly' }, { priceId: 'price_yearly', return: `${MAIN}/again` }]
    for (const body of bodies) {
      const { status, json } = await subscribe(app, payer.signedIn, body)
      // The page of a plan change has no checkout that could be paid.
      if (status === 201) expect(json.checkoutUrl).toContain('/portal/')
    }
    const { customerId } = payer
    expect(app.sandbox.subscriptions().filter(({ customer }) => customer === customerId)).toHaveLength(1)
    const open = app.sandbox
      .checkouts()
      .filter(({ customer, status }) => customer === customerId && status === 'open')
    expect(open).toEqual([])
  })

  it('does not bill an account twice when two pages are both paid', async () => {
    const signedIn = await signIn(app, await anOwner(app), 'main')
    const first = await openCheckout(app, signedIn)
    const second = await openCheckout(app, signedIn, { priceId: 'price_yearly' })
    await expect(app.sandbox.simulate.pay(first)).rejects.toThrow()
    await app.sandbox.simulate.pay(second)
    await app.paymentsSettled()
    expect((await readSubscription(app, signedIn.accessToken)).json).toMatchObject({ plan: 'price_yearly' })
  })

  it('does not bill an account twice when two clicks share a key at the provider', async () => {
    const payer = await signIn(app, await anOwner(app), 'main')
    const { sessions } = app.get(Stripe).checkout
    const busy = new Stripe.errors.StripeIdempotencyError({ message: 'key in use', statusCode: 409 } as never)
    jest.spyOn(sessions, 'create').mockRejectedValueOnce(busy)
    const before = app.sandbox.checkouts().length
    expect(outcome(await subscribe(app, payer))).toBe('503 PAYMENT_PROVIDER_UNAVAILABLE')
    const [first, second] = [await subscribe(app, payer), await subscribe(app, payer)]
    expect(outcome(first)).toBe('201')
    expect(second.json.checkoutUrl).toBe(first.json.checkoutUrl)
    const used = jest.mocked(sessions.create).mock.calls.map(([, options]) => options?.idempotencyKey)
    expect(new Set(used).size).toBe(1)
    expect(app.sandbox.checkouts()).toHaveLength(before + 1)
    jest.restoreAllMocks()
  })

  it('does not match customers by e-mail address', async () => {
    const owner = await anOwner(app)
    const stranger = await app.get(Stripe).customers.create({ email: owner.email })
    const payer = await aSubscriber(app, owner)
    expect(payer.customerId).not.toBe(stranger.id)
    expect(customersOf(owner.accountId).map(({ id }) => id)).toEqual([payer.customerId])
  })

  slow('ignores an account that the metadata of an event names', async () => {
    const payer = await aSubscriber(app)
    const victim = await aSubscriber(app)
    const { accountId } = claimsOf(victim.signedIn.accessToken)
    const object = {
      object: 'subscription',
      id: payer.subscriptionId,
      customer: payer.customerId,
      status: 'canceled',
      metadata: { accountId },
    }
    const event = anEvent({ type: 'customer.subscription.deleted', data: { object } })
    expect(outcome(await postEvent(app, event))).toBe('200')
    await app.paymentsSettled()
    expect(await statusOf(app, victim.signedIn)).toBe('active')
    expect(await statusOf(app, payer.signedIn)).toBe('active')
  })

  it('creates one customer, however many requests come at once', async () => {
    const owner = await anOwner(app)
    const sessions = [await signIn(app, owner, 'main'), await signIn(app, owner, 'main')]
    await Promise.all(sessions.map(session => subscribe(app, session)))
    expect(customersOf(owner.accountId)).toHaveLength(1)
  })

  slow('creates one customer after the provider has failed, and at once', async () => {
    const owner = await anOwner(app)
    const signedIn = await signIn(app, owner, 'main')
    app.sandbox.fault = 'error-500'
    expect(outcome(await subscribe(app, signedIn))).toBe('502 PAYMENT_PROVIDER_FAILED')
    app.sandbox.fault = null
    const before = app.sandbox.requests.length
    expect(outcome(await subscribe(app, signedIn))).toBe('201')
    expect(customersOf(owner.accountId)).toHaveLength(1)
    const made = app.sandbox.requests.slice(before).find(({ path }) => path === '/v1/customers')
    expect(made?.idempotencyKey).toBe(`customer-${owner.accountId}-2`)
  })

  it('does not take a one-off purchase for a subscription', async () => {
    const payer = await aSubscriber(app)
    await app.sandbox.simulate.cancel(payer.subscriptionId)
    await app.paymentsSettled()
    const price_data = { currency: 'usd', unit_amount: 500, product_data: { name: 'A mug' } }
    const { sessions } = app.get(Stripe).checkout
    const base = { customer: payer.customerId, success_url: `${MAIN}/` }
    const bought = await sessions.create({
      ...base,
      mode: 'payment',
      line_items: [{ price_data, quantity: 1 }],
    })
    const saved = await sessions.create({ ...base, mode: 'setup', currency: 'usd' })
    for (const { id } of [bought, saved]) await app.sandbox.simulate.pay(id)
    await app.paymentsSettled()
    expect(await statusOf(app, payer.signedIn)).toBe('canceled')
  })

  it('does not count an unpaid checkout as paid', async () => {
    const signedIn = await signIn(app, await anOwner(app), 'main')
    const checkoutId = await openCheckout(app, signedIn)
    await app.sandbox.simulate.payByBankDebit(checkoutId)
    await app.paymentsSettled()
    const state = async () => (await readSubscription(app, signedIn.accessToken)).json.state
    expect(await state()).toBe('pending')
    await app.sandbox.simulate.settleBankDebit(checkoutId, 'failed')
    await app.paymentsSettled()
    expect(await state()).toBe('none')
  })

  it('records refunds and disputes', async () => {
    const payer = await aSubscriber(app)
    const { accountId } = claimsOf(payer.signedIn.accessToken)
    await app.sandbox.simulate.refund(payer.subscriptionId, 100)
    await app.sandbox.simulate.dispute(payer.subscriptionId)
    await app.paymentsSettled()
    const noted = (await app.auditRows()).filter(
      row => row.accountId === accountId && row.detail.effect === 'noted',
    )
    const types = noted.map(({ detail }) => detail.type)
    expect(types).toEqual(expect.arrayContaining(['charge.refunded', 'charge.dispute.created']))
    expect(noted.every(({ detail }) => typeof detail.about === 'string')).toBe(true)
    expect(await statusOf(app, payer.signedIn)).toBe('active')
  })

  it('refuses events of the other mode', async () => {
    const event = anEvent({ livemode: true })
    expect(outcome(await postEvent(app, event))).toBe('400 WRONG_MODE')
    expect(await keptEvents(app, event.id)).toEqual([])
  })
})
