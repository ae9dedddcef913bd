import { describe, expect, it, jest } from '@jest/globals'
import {
  billingWork,
  SERVICE,
  Seats,
  SessionChanges,
  UserAdministration,
  UserChanges,
} from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { aMember, anOwner, signIn } from '../../support/people.js'
import { MAIN, SHOP_ONE, TestApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { bearer, outcome, readSubscription, subscribe } from '../support/api-calls.js'
import { anAppWithPlans, click, openPortal, quantityOf } from '../support/paying.js'
import {
  anotherSubscription,
  aSubscriber,
  openCheckout,
  type Subscriber,
  withoutWebhooks,
} from '../support/subscriber.js'

describe('who pays already', () => {
  const app = anAppWithPlans()

  async function subscription({ signedIn }: Pick<Subscriber, 'signedIn'>) {
    await app.paymentsSettled()
    return (await readSubscription(app, signedIn.accessToken)).json
  }

  function subscriptionsOf({ customerId }: Subscriber) {
    return app.sandbox.subscriptions().filter(({ customer }) => customer === customerId)
  }

  /** Whether the provider bills so many seats, before long. */
  function billed({ subscriptionId }: Subscriber, seats: number) {
    return eventually(() => quantityOf(app, subscriptionId) === seats, { what: `${seats} seats` })
  }

  it('changes the plan on a page of the provider: there is never a second subscription', async () => {
    const payer = await aSubscriber(app)
    const answer = await subscribe(app, payer.signedIn, {
      priceId: 'price_yearly',
      return: `${SHOP_ONE}/back`,
    })
    expect(outcome(answer)).toBe('201')
    expect(answer.json.checkoutUrl).toMatch(`${app.sandbox.url}/portal/`)
    expect(await subscription(payer)).toMatchObject({ plan: 'price_monthly' })
    await click(answer.json.checkoutUrl, 'confirm')
    expect(await subscription(payer)).toMatchObject({
      state: 'active',
      plan: 'price_yearly',
      planName: 'Team',
    })
    expect(subscriptionsOf(payer)).toHaveLength(1)
    expect(outcome(await subscribe(app, payer.signedIn, { priceId: 'price_yearly' }))).toBe(
      '409 ALREADY_SUBSCRIBED',
    )
  })

  slow('keeps a quantity that was agreed by hand, once the subscription says so (B10)', async () => {
    const payer = await aSubscriber(app)
    const setQuantity = async (quantity: number, metadata = {}) => {
      const items = [{ quantity }]
      await app.sandbox.simulate.changeSubscription(payer.subscriptionId, { items, metadata })
      return subscription(payer)
    }
    expect(await setQuantity(5, { quantity: 'fixed' })).toMatchObject({ quantity: 5 })
    expect(quantityOf(app, payer.subscriptionId)).toBe(5)
    await setQuantity(5, { quantity: '' })
    await billed(payer, 1)
  })

  it('is not led to a change of plan that was made a moment ago, before its event', async () => {
    const payer = await aSubscriber(app)
    const change = () => subscribe(app, payer.signedIn, { priceId: 'price_yearly' })
    await withoutWebhooks(app, async () => {
      await click((await change()).json.checkoutUrl, 'confirm')
      expect(outcome(await change())).toBe('409 ALREADY_SUBSCRIBED')
    })
  })

  it('billing 2: cancels and resumes in the portal, which shows here with the day it ends', async () => {
    const payer = await aSubscriber(app)
    const { currentPeriodEnd } = await subscription(payer)
    const answer = await openPortal(app, payer.signedIn, { return: `${MAIN}/account` })
    expect(outcome(answer)).toBe('201')
    await click(answer.json.url, 'cancel', { subscription: payer.subscriptionId })
    // Flexible billing mode: the date is set, the flag is not.
    const [atProvider] = subscriptionsOf(payer)
    expect(atProvider).toMatchObject({ cancel_at: expect.any(Number), cancel_at_period_end: false })
    expect(await subscription(payer)).toMatchObject({
      state: 'active',
      cancelAtPeriodEnd: true,
      endsAt: currentPeriodEnd,
      renewsAt: null,
    })
    await click(answer.json.url, 'resume', { subscription: payer.subscriptionId })
    expect(await subscription(payer)).toMatchObject({
      state: 'active',
      cancelAtPeriodEnd: false,
      endsAt: null,
      renewsAt: currentPeriodEnd,
    })
  })

  slow.each([
    ['the flag of classic billing mode', { cancel_at_period_end: true }, false],
    ['a date', { cancel_at: 4_000_000_000 }, true],
  ])('billing 2: shows the end that %s sets, and when it has ended', async (_, patch, isChargedAgain) => {
    const payer = await aSubscriber(app)
    const { currentPeriodEnd } = await subscription(payer)
    await app.sandbox.simulate.changeSubscription(payer.subscriptionId, patch)
    const { cancel_at } = subscriptionsOf(payer)[0]!
    const endsAt = new Date((cancel_at as number) * 1000).toISOString()
    const renewsAt = isChargedAgain ? currentPeriodEnd : null
    expect(await subscription(payer)).toMatchObject({ cancelAtPeriodEnd: true, endsAt, renewsAt })
    await app.sandbox.simulate.cancel(payer.subscriptionId)
    const ended = await subscription(payer)
    expect(ended).toMatchObject({ state: 'canceled', cancelAtPeriodEnd: false, renewsAt: null })
    expect(Math.abs(Date.parse(ended.endsAt) - Date.now())).toBeLessThan(60_000)
  })

  it('opens no portal that leads elsewhere', async () => {
    const payer = await aSubscriber(app)
    const returnUrl = `${MAIN}@evil.test/`
    expect(outcome(await openPortal(app, payer.signedIn, { return: returnUrl }))).toBe(
      '400 INVALID_RETURN_URL',
    )
  })

  it('opens a portal only with the permission for payments, on the main site', async () => {
    const payer = await aSubscriber(app)
    const member = await signIn(app, await aMember(app, payer.owner), 'main')
    expect(outcome(await openPortal(app, member))).toBe('403 PAYMENTS_PERMISSION_REQUIRED')
    const elsewhere = await signIn(app, payer.owner, 'satellite')
    expect(outcome(await openPortal(app, elsewhere))).toBe('403 MAIN_SOURCE_REQUIRED')
    const signedIn = await signIn(app, await anOwner(app), 'main')
    expect(outcome(await openPortal(app, signedIn))).toBe('409 NEVER_SUBSCRIBED')
  })

  slow('pays for each active member where the plan says so, the owner too', async () => {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    const payer = await aSubscriber(app, owner, { priceId: 'price_yearly' })
    expect(quantityOf(app, payer.subscriptionId)).toBe(2)
    const accounts = app.get(UserAdministration)
    const second = await aMember(app, owner)
    await billed(payer, 3)
    await accounts.disable(member)
    await billed(payer, 2)
    await accounts.enable(member)
    await billed(payer, 3)
    const userChanges = app.get(UserChanges)
    await app.get(SessionChanges).commit(transaction => userChanges.remove(transaction, second, SERVICE))
    await billed(payer, 2)
    expect(await subscription(payer)).toMatchObject({ quantity: 2 })
  })

  slow('billing 11: pays for a new seat although its customer had been given up', async () => {
    const owner = await anOwner(app)
    const payer = await aSubscriber(app, owner, { priceId: 'price_yearly' })
    const parked = {
      customerId: payer.customerId,
      dueAt: new Date(),
      parkedAt: new Date(),
      attempts: 20,
      lastError: 'The provider was down',
    }
    await app.database.run(db => db.insert(billingWork).values(parked))
    await app.paymentsSettled()
    await aMember(app, owner)
    await billed(payer, 2)
  })

  slow('pays once after a change from a plan with seats to one without', async () => {
    const owner = await anOwner(app)
    await aMember(app, owner)
    const payer = await aSubscriber(app, owner, { priceId: 'price_yearly' })
    expect(quantityOf(app, payer.subscriptionId)).toBe(2)
    // As in the portal, which keeps the quantity.
    const items = [{ price: 'price_monthly' }]
    await app.sandbox.simulate.changeSubscription(payer.subscriptionId, { items })
    await billed(payer, 1)
    expect(await subscription(payer)).toMatchObject({ plan: 'price_monthly', quantity: 1 })
  })

  slow(
    'pays for the right number of seats after the answer of the provider was lost, asked under one key',
    async () => {
      const owner = await anOwner(app)
      const payer = await aSubscriber(app, owner, { priceId: 'price_yearly' })
      const seats = app.get(Seats)
      const bring = seats.sync.bind(seats)
      seats.sync = async change => {
        seats.sync = bring
        app.sandbox.fault = 'answer-then-reset'
        await bring(change).finally(() => {
          app.sandbox.fault = null
        })
      }
      await aMember(app, owner)
      await eventually(async () => (await subscription(payer)).quantity === 2, { timeoutMs: 20_000 })
      const keys = app.sandbox.requests.flatMap(({ idempotencyKey }) =>
        idempotencyKey?.startsWith(`seats-${payer.subscriptionId}`) ? idempotencyKey : [],
      )
      expect(keys).toEqual(Array(3).fill(keys[0]))
    },
  )

  slow(
    'billing 3: pays for its seats although somebody lowers their number the moment it was told',
    async () => {
      const payer = await aSubscriber(app, undefined, { priceId: 'price_yearly' })
      const seats = app.get(Seats)
      const bring = seats.sync.bind(seats)
      jest.spyOn(seats, 'sync').mockImplementationOnce(async change => {
        await bring(change)
        // As in the portal, before we have seen that the provider did what it was told.
        await app.sandbox.simulate.changeSubscription(payer.subscriptionId, { items: [{ quantity: 1 }] })
      })
      await aMember(app, payer.owner)
      const tellsTwice = () => jest.mocked(seats.sync).mock.calls.length >= 2
      await eventually(() => tellsTwice() && quantityOf(app, payer.subscriptionId) === 2, {
        timeoutMs: 20_000,
      })
      await app.paymentsSettled()
      expect(quantityOf(app, payer.subscriptionId)).toBe(2)
    },
  )

  slow('shows what the provider has although it refuses the seats', async () => {
    const owner = await anOwner(app)
    const payer = await aSubscriber(app, owner, { priceId: 'price_yearly' })
    const seats = app.get(Seats)
    const bring = seats.sync
    seats.sync = () => Promise.reject(new Error('refused'))
    await aMember(app, owner)
    await app.sandbox.simulate.changeSubscription(payer.subscriptionId, { cancel_at_period_end: true })
    expect(await subscription(payer)).toMatchObject({ cancelAtPeriodEnd: true, quantity: 1 })
    seats.sync = bring
    await eventually(async () => (await subscription(payer)).quantity === 2)
  })

  slow(
    'whose customer was deleted has nothing any more, and subscribes again as another customer',
    async () => {
      const payer = await aSubscriber(app)
      await app.sandbox.simulate.deleteCustomer(payer.customerId)
      expect(await subscription(payer)).toMatchObject({ state: 'canceled' })
      const checkoutId = await openCheckout(app, payer.signedIn)
      await app.sandbox.simulate.pay(checkoutId)
      expect(await subscription(payer)).toMatchObject({ state: 'active' })
      const paid = app.sandbox.checkouts().find(({ id }) => id === checkoutId)
      expect(paid?.customer).not.toBe(payer.customerId)
    },
  )

  slow('whose customer was deleted without an event learns of it by the click that fails', async () => {
    const payer = await aSubscriber(app)
    await app.sandbox.simulate.cancel(payer.subscriptionId)
    await app.paymentsSettled()
    await withoutWebhooks(app, async () => {
      await app.sandbox.simulate.deleteCustomer(payer.customerId)
      expect(outcome(await subscribe(app, payer.signedIn))).toBe('502 PAYMENT_PROVIDER_FAILED')
      await eventually(async () => outcome(await subscribe(app, payer.signedIn)) === '201')
    })
    await app.sandbox.settled()
  })

  slow(
    'whose customer was deleted without an event learns of it by the portal that does not open',
    async () => {
      const payer = await aSubscriber(app)
      await withoutWebhooks(app, async () => {
        await app.sandbox.simulate.deleteCustomer(payer.customerId)
        const open = async () => outcome(await openPortal(app, payer.signedIn))
        expect(await open()).toBe('502 PAYMENT_PROVIDER_FAILED')
        await eventually(async () => (await open()) === '409 NEVER_SUBSCRIBED')
        expect(await subscription(payer)).toMatchObject({ state: 'canceled' })
      })
      await app.sandbox.settled()
    },
  )
})

slow(
  'a change of plan that the portal does not offer leads to its front page, if there is one (B4)',
  async () => {
    const app = await TestApp.start()
    try {
      const { signedIn } = await aSubscriber(app)
      const { portal } = app.sandbox.dashboard
      portal.features.subscription_update.enabled = false
      const change = () => subscribe(app, signedIn, { priceId: 'price_yearly' })
      const { json } = await change()
      expect(await (await fetch(json.checkoutUrl)).text()).toContain('/cancel"')

      portal.active = false
      for (const refused of [await change(), await openPortal(app, signedIn)]) {
        expect(outcome(refused)).toBe('503 PAYMENT_PROVIDER_REFUSED')
        expect(refused.headers['retry-after']).toBeUndefined()
      }
    } finally {
      await app.stop()
    }
  },
)

slow(
  'who pays in one currency is told that a plan in another cannot be bought, once asked (B4)',
  async () => {
    const prices = { STRIPE_PRICE_IDS: 'price_monthly,price_monthly_eur' }
    const app = await TestApp.start({ ...prices })
    try {
      const payer = await aSubscriber(app)
      const inEuros = { priceId: 'price_monthly_eur' }
      expect(outcome(await subscribe(app, payer.signedIn, inEuros))).toBe('409 CURRENCY_FIXED')
      expect(outcome(await openPortal(app, payer.signedIn))).toBe('201')
      const asked = () => app.sandbox.requests.filter(({ path }) => path.startsWith('/v1/prices/')).length
      const before = asked()
      expect(outcome(await subscribe(app, payer.signedIn, inEuros))).toBe('409 CURRENCY_FIXED')
      expect(asked()).toBe(before)

      // What was never paid is in nobody's way (B12).
      const unpaid = await signIn(app, await anOwner(app), 'main')
      await app.sandbox.simulate.payUnconfirmed(await openCheckout(app, unpaid))
      await app.paymentsSettled()
      expect(outcome(await subscribe(app, unpaid, inEuros))).toBe('201')

      // Nor with a subscription of which we do not know yet.
      const signedIn = await signIn(app, await anOwner(app), 'main')
      const page = await openCheckout(app, signedIn)
      const customer = app.sandbox.checkouts().find(({ id }) => id === page)?.customer as string
      app.sandbox.webhookUrl = null
      await anotherSubscription(app, customer)
      expect(outcome(await subscribe(app, signedIn, inEuros))).toBe('409 CURRENCY_FIXED')
    } finally {
      await app.stop()
    }
  },
)

slow('what is billed by usage is bought, and changed to, without a quantity (W3)', async () => {
  const app = await TestApp.start({ STRIPE_PRICE_IDS: 'price_monthly,price_metered' })
  try {
    const metered = { priceId: 'price_metered' }
    const buyer = await aSubscriber(app, undefined, metered)
    const { json } = await readSubscription(app, buyer.signedIn.accessToken)
    expect(json).toMatchObject({ state: 'active', plan: 'price_metered', quantity: null })

    const changer = await aSubscriber(app)
    const page = await subscribe(app, changer.signedIn, metered)
    expect(outcome(page)).toBe('201')
    await click(page.json.checkoutUrl, 'confirm')
    await app.paymentsSettled()
    expect(quantityOf(app, changer.subscriptionId)).toBeUndefined()
    // Back to what has one.
    await click((await subscribe(app, changer.signedIn)).json.checkoutUrl, 'confirm')
    expect(quantityOf(app, changer.subscriptionId)).toBe(1)

    const path = '/api/plans'
    const plans = await app.request({ path, headers: bearer(changer.signedIn.accessToken) })
    expect(plans.json.plans.map(({ amount }: { amount: number | null }) => amount)).toEqual([1000, null])
  } finally {
    await app.stop()
  }
})
