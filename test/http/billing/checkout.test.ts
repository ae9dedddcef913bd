import { describe, expect, it, jest } from '@jest/globals'
import { and, eq, inArray } from 'drizzle-orm'
import Stripe from 'stripe'
import {
  BillingInbox,
  BillingReconciler,
  billingCustomers,
  checkouts,
  providerEvents,
} from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { anOwner, type SignedIn, signIn } from '../../support/people.js'
import { anApp, MAIN, SHOP_ONE, TestApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { bearer, outcome, readSubscription, subscribe } from '../support/api-calls.js'
import { postEvent } from '../support/signed-event.js'
import { creationOf, openCheckout, withoutWebhooks } from '../support/subscriber.js'
import { claimsOf } from '../support/token-claims.js'

describe('POST /api/subscription/create', () => {
  const app = anApp()

  function checkoutsOf({ accessToken }: SignedIn) {
    const { accountId } = claimsOf(accessToken)
    return app.sandbox.checkouts().filter(checkout => checkout.client_reference_id === accountId)
  }

  function openOnes(signedIn: SignedIn) {
    return checkoutsOf(signedIn).filter(({ status }) => status === 'open')
  }

  async function aPayer(): Promise<SignedIn> {
    return signIn(app, await anOwner(app), 'main')
  }

  it('ten times at once opens one checkout and gives one URL', async () => {
    const payer = await aPayer()
    const before = app.sandbox.requests.length
    const answers = await Promise.all(Array.from({ length: 10 }, () => subscribe(app, payer)))
    expect(answers.map(outcome)).toEqual(Array(10).fill('201'))
    expect(checkoutsOf(payer)).toHaveLength(1)
    const asked = app.sandbox.requests.slice(before).filter(({ method }) => method === 'POST')
    expect(asked.map(({ path }) => path)).toEqual([
      '/v1/customers',
      // Whom the receipts go to.
      expect.stringMatching(/^\/v1\/customers\/cus_\w+$/),
      '/v1/checkout/sessions',
    ])
    expect(new Set(answers.map(({ json }) => json.checkoutUrl))).toEqual(
      new Set([checkoutsOf(payer)[0]?.url]),
    )
  })

  it('opens one checkout for two people of one account', async () => {
    const owner = await anOwner(app)
    const first = await signIn(app, owner, 'main')
    const second = await signIn(app, owner, 'main')
    const answers = await Promise.all([subscribe(app, first), subscribe(app, second)])
    expect(answers[0]?.json).toEqual(answers[1]?.json)
    expect(checkoutsOf(first)).toHaveLength(1)
  })

  it.each([
    ['price', { priceId: 'price_yearly' }],
    ['return address', { return: `${SHOP_ONE}/thanks` }],
  ])('with another %s supersedes the open one', async (_, change) => {
    const payer = await aPayer()
    const first = await subscribe(app, payer)
    const second = await subscribe(app, payer, change)
    expect(outcome(second)).toBe('201')
    expect(second.json.checkoutUrl).not.toBe(first.json.checkoutUrl)
    expect(openOnes(payer).map(({ url }) => url)).toEqual([second.json.checkoutUrl])
  })

  it('gives no page that belongs to another key of the provider (B6)', async () => {
    const payer = await aPayer()
    const { json } = await subscribe(app, payer)
    const setOwner = (providerAccount: string, isLive: boolean) =>
      app.database.run(db =>
        db
          .update(billingCustomers)
          .set({ providerAccount, isLive })
          .where(eq(billingCustomers.accountId, claimsOf(payer.accessToken).accountId as string)),
      )
    await setOwner('acct_of_another_key', false)
    expect(outcome(await subscribe(app, payer))).toBe('503 PAYMENT_PROVIDER_REFUSED')
    await setOwner('acct_payment_sandbox', true)
    expect(outcome(await subscribe(app, payer))).toBe('503 PAYMENT_PROVIDER_REFUSED')
    await setOwner('acct_payment_sandbox', false)
    expect((await subscribe(app, payer)).json).toEqual(json)
  })

  it('a purchase asks the provider nothing about the page just paid, whichever event comes first (B9)', async () => {
    const payer = await aPayer()
    await subscribe(app, payer)
    const [page] = openOnes(payer)
    const { webhookUrl } = app.sandbox
    app.sandbox.webhookUrl = null
    await app.sandbox.simulate.pay(page?.id as string)
    const { customer, subscription } = checkoutsOf(payer)[0]!
    const before = app.sandbox.requests.length
    await postEvent(app, creationOf(app, subscription as string))
    app.sandbox.webhookUrl = webhookUrl
    await app.paymentsSettled()
    const asked = app.sandbox.requests.slice(before)
    expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /v1/subscriptions'])
    expect(new URLSearchParams(asked[0]?.query).get('customer')).toBe(customer)
    // What closed the page was no event, so it would be handed out again.
    await app.sandbox.simulate.cancel(subscription as string)
    await app.paymentsSettled()
    const again = await subscribe(app, payer)
    expect(again.json.checkoutUrl).toBe(openOnes(payer)[0]?.url)
    expect(openOnes(payer)[0]?.id).not.toBe(page?.id)
  })

  it('a page that expires asks the provider nothing, and the next click opens another (B9)', async () => {
    const payer = await aPayer()
    const first = await subscribe(app, payer)
    const before = app.sandbox.requests.length
    await app.sandbox.simulate.expire(openOnes(payer)[0]?.id as string)
    await app.paymentsSettled()
    expect(app.sandbox.requests.slice(before)).toEqual([])
    const event = app.sandbox.events().at(-1)!
    expect(event.type).toBe('checkout.session.expired')
    const stored = await app.database.run(db =>
      db.select().from(providerEvents).where(eq(providerEvents.id, event.id)),
    )
    expect(stored).toMatchObject([{ effect: 'none', event: null }])
    expect((await subscribe(app, payer)).json.checkoutUrl).not.toBe(first.json.checkoutUrl)
    // An operator may have it handled again, which finds nothing to do.
    expect(await app.get(BillingInbox).replay(event.id)).toBe(true)
    await app.paymentsSettled()
    expect(openOnes(payer)).toHaveLength(1)
  })

  it('of what the provider no longer sells is refused once and for all, and not shown any longer (B4)', async () => {
    const payer = await aPayer()
    const offered = async () => {
      const headers = bearer(payer.accessToken)
      const { json } = await app.request({ path: '/api/plans', headers })
      return json.plans.map(({ priceId }: { priceId: string }) => priceId)
    }
    expect(await offered()).toContain('price_yearly')
    app.sandbox.dashboard.archivedProducts.add('prod_yearly')
    try {
      const refused = await subscribe(app, payer, { priceId: 'price_yearly' })
      expect(outcome(refused)).toBe('409 PLAN_UNAVAILABLE')
      expect(refused.headers['retry-after']).toBeUndefined()
      expect(await offered()).toEqual(['price_monthly'])

      // What follows from the new customer is asked for in the background.
      await app.paymentsSettled()
      const asked = app.sandbox.requests.length
      expect(outcome(await subscribe(app, payer, { priceId: 'price_yearly' }))).toBe('409 PLAN_UNAVAILABLE')
      expect(app.sandbox.requests.slice(asked)).toEqual([])
      expect(outcome(await subscribe(app, payer))).toBe('201')

      const rows = await app.auditRows({ action: 'billing.refuse' })
      const reason = expect.stringContaining('its product is not active')
      expect(rows.filter(({ accountId }) => accountId !== null)).toEqual([])
      expect(rows.at(-1)).toMatchObject({ detail: { reason } })
    } finally {
      app.sandbox.dashboard.archivedProducts.clear()
    }
    app.clock.advance(61)
    expect(outcome(await subscribe(app, payer, { priceId: 'price_yearly' }))).toBe('201')
  })

  it('with another price, paid already but its event still on the way, is refused', async () => {
    const payer = await aPayer()
    await subscribe(app, payer)
    const [page] = openOnes(payer)
    const second = await withoutWebhooks(app, async () => {
      await app.sandbox.simulate.pay(page?.id as string)
      return subscribe(app, payer, { priceId: 'price_yearly' })
    })
    expect(outcome(second)).toBe('409 ALREADY_SUBSCRIBED')
    expect(openOnes(payer)).toEqual([])
  })

  it('is possible again after a subscription whose first event was lost', async () => {
    const payer = await aPayer()
    await subscribe(app, payer)
    const [paid] = openOnes(payer)
    await withoutWebhooks(app, () => app.sandbox.simulate.pay(paid?.id as string))
    const { subscription } = checkoutsOf(payer)[0]!
    await app.sandbox.simulate.cancel(subscription as string)
    await app.paymentsSettled()
    const again = await subscribe(app, payer, { priceId: 'price_yearly' })
    expect(outcome(again)).toBe('201')
    expect(openOnes(payer).map(({ url }) => url)).toEqual([again.json.checkoutUrl])
  })

  slow('after a page was paid and its event lost: the comparison closes it, however old it is', async () => {
    const payer = await aPayer()
    await subscribe(app, payer)
    const [paid] = openOnes(payer)
    await withoutWebhooks(app, () => app.sandbox.simulate.pay(paid?.id as string))
    app.clock.advance(25 * 60 * 60)
    await app.get(BillingReconciler).reconcile(1_000)
    const isClosed = and(eq(checkouts.providerId, paid?.id as string), eq(checkouts.isOpen, false))
    const count = () => app.database.run(db => db.$count(checkouts, isClosed))
    await eventually(async () => (await count()) === 1, { what: 'a closed page' })
    app.clock.advance(-25 * 60 * 60)
  })

  slow('with two prices at once leaves one checkout open', async () => {
    const payer = await aPayer()
    const bodies = Array.from({ length: 8 }, (_, index) => ({
      priceId: index % 2 === 0 ? 'price_monthly' : 'price_yearly',
    }))
    const answers = await Promise.all(bodies.map(body => subscribe(app, payer, body)))
    expect(answers.every(({ status }) => status === 201 || status === 503)).toBe(true)
    expect(openOnes(payer).length).toBeLessThanOrEqual(1)
  })

  slow('with another price while the provider is down leaves one checkout open in the end', async () => {
    const payer = await aPayer()
    await subscribe(app, payer)
    app.sandbox.fault = 'refuse'
    const refused = await subscribe(app, payer, { priceId: 'price_yearly' })
    app.sandbox.fault = null
    expect(outcome(refused)).toBe('503 PAYMENT_PROVIDER_UNAVAILABLE')
    const again = await subscribe(app, payer, { priceId: 'price_yearly' })
    expect(outcome(again)).toBe('201')
    expect(openOnes(payer).map(({ url }) => url)).toEqual([again.json.checkoutUrl])
  })

  it('with another price, while the provider refuses to expire the open one, opens no second', async () => {
    const payer = await aPayer()
    const first = await subscribe(app, payer)
    const refusal = new Stripe.errors.StripeInvalidRequestError({
      message: 'not now',
      statusCode: 400,
    } as never)
    jest.spyOn(app.get(Stripe).checkout.sessions, 'expire').mockRejectedValueOnce(refusal)
    const refused = await subscribe(app, payer, { priceId: 'price_yearly' })
    expect(outcome(refused)).toBe('503 PAYMENT_PROVIDER_UNAVAILABLE')
    expect(openOnes(payer).map(({ url }) => url)).toEqual([first.json.checkoutUrl])
    const again = await subscribe(app, payer, { priceId: 'price_yearly' })
    expect(openOnes(payer).map(({ url }) => url)).toEqual([again.json.checkoutUrl])
    jest.restoreAllMocks()
  })

  it('after the checkout ran out of time opens a new one', async () => {
    const payer = await aPayer()
    const first = await subscribe(app, payer)
    await app.sandbox.simulate.expire(checkoutsOf(payer)[0]?.id as string)
    await app.paymentsSettled()
    const second = await subscribe(app, payer)
    expect(second.json.checkoutUrl).not.toBe(first.json.checkoutUrl)
  })

  it('a day later opens a new one, and nobody can pay the old one too', async () => {
    app.clock.advance(-23 * 60 * 60 - 60)
    const owner = await anOwner(app)
    const yesterday = await subscribe(app, await signIn(app, owner, 'main'))
    app.clock.advance(23 * 60 * 60 + 60)
    const payer = await signIn(app, owner, 'main')
    const today = await subscribe(app, payer)
    expect(today.json.checkoutUrl).not.toBe(yesterday.json.checkoutUrl)
    expect(openOnes(payer).map(({ url }) => url)).toEqual([today.json.checkoutUrl])
  })

  it('changes nothing when the card is declined, and takes another card', async () => {
    const payer = await aPayer()
    const { checkoutUrl } = (await subscribe(app, payer)).json
    const before = (await readSubscription(app, payer.accessToken)).json
    const sent = app.sandbox.events().length
    const declined = await fetch(`${checkoutUrl}/decline`, { method: 'POST', redirect: 'manual' })
    expect(declined.status).toBe(303)
    await app.paymentsSettled()
    const events = app.sandbox.events(sent)
    expect(events.map(({ type }) => type)).toEqual([
      'payment_intent.created',
      'charge.failed',
      'payment_intent.payment_failed',
    ])
    const [, { data }] = events as [unknown, { data: { object: { billing_details: object } } }]
    expect(data.object).toMatchObject({
      billing_details: { email: expect.stringContaining('@') },
      payment_method_details: { card: { last4: '0002' } },
    })
    const ids = events.map(({ id }) => id)
    const stored = await app.database.run(db =>
      db.select().from(providerEvents).where(inArray(providerEvents.id, ids)),
    )
    // Taken, and of no interest: not even their text, which names people and cards, is kept.
    expect(stored.map(({ effect, event }) => [effect, event])).toEqual(ids.map(() => ['none', null]))
    expect((await readSubscription(app, payer.accessToken)).json).toEqual(before)
    expect(before).toMatchObject({ status: 'none', state: 'none' })
    expect((await subscribe(app, payer)).json.checkoutUrl).toBe(checkoutUrl)
    await fetch(`${checkoutUrl}/pay`, { method: 'POST', redirect: 'manual' })
    await app.paymentsSettled()
    expect((await readSubscription(app, payer.accessToken)).json.status).toBe('active')
  })

  it('makes one customer of an account at the provider', async () => {
    const payer = await aPayer()
    await subscribe(app, payer)
    await subscribe(app, payer, { priceId: 'price_yearly' })
    const { accountId } = claimsOf(payer.accessToken)
    const customers = app.sandbox.customers().filter(({ metadata }) => metadata.accountId === accountId)
    expect(customers).toHaveLength(1)
    expect(new Set(checkoutsOf(payer).map(({ customer }) => customer))).toEqual(new Set([customers[0]?.id]))
  })

  it.each([
    ['an unknown price', { priceId: 'price_free' }, '400 UNKNOWN_PRICE'],
    ['null', { priceId: null }, '400 INVALID_BODY'],
    ['an account', { accountId: 'other' }, '400 INVALID_BODY'],
    ['a return address elsewhere', { return: `${MAIN}@evil.test/` }, '400 INVALID_RETURN_URL'],
  ])('with %s reaches no provider', async (_, body, answer) => {
    const payer = await aPayer()
    expect(outcome(await subscribe(app, payer, body))).toBe(answer)
    expect(checkoutsOf(payer)).toEqual([])
  })
})

slow('a page of a price that is no longer on sale is closed at the next start (B7)', async () => {
  const first = await TestApp.start()
  const pages = [{ priceId: 'price_monthly' }, { priceId: 'price_yearly' }].map(async body =>
    openCheckout(first, await signIn(first, await anOwner(first), 'main'), body),
  )
  const [unsold, sold] = await Promise.all(pages)
  await first.app.close()
  const settings = { STRIPE_PRICE_IDS: 'price_yearly', STRIPE_API_URL: first.sandbox.url }
  const second = await TestApp.start({ ...first.stores, ...settings })
  try {
    const statusOf = (page?: string) => first.sandbox.checkouts().find(({ id }) => id === page)?.status
    await eventually(() => statusOf(unsold) === 'expired', { what: 'a closed page' })
    expect(statusOf(sold)).toBe('open')
  } finally {
    await second.stop()
    await first.stop()
  }
})
