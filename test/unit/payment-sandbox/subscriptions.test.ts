import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type Stripe from 'stripe'
import { monthsAfter, nowSeconds, type PaymentSandbox } from '../../sources.js'
import { SandboxStage } from './support/sandbox-stage.js'

const DAY_SECONDS = 24 * 60 * 60

let stage: SandboxStage
let sandbox: PaymentSandbox
let stripe: Stripe

beforeEach(async () => {
  stage = await SandboxStage.withoutWebhook()
  sandbox = stage.sandbox
  stripe = stage.stripe
})

afterEach(() => stage.close())

describe('Quantity', () => {
  it('comes from the checkout, and changes', async () => {
    const { id, items } = await stage.subscribe({ line_items: [{ price: 'price_small', quantity: 3 }] })
    const [item] = items.data
    expect(item).toMatchObject({ quantity: 3 })
    const changed = await stripe.subscriptions.update(id, { items: [{ id: item!.id, quantity: 5 }] })
    expect(changed.items.data[0]).toMatchObject({ quantity: 5, price: { id: 'price_small' } })
    const { data } = sandbox.events().at(-1)!
    expect(data.previous_attributes).toEqual({ items: items })
  })

  it.each([
    ['always_invoice', ['customer.subscription.updated', 'invoice.paid'], 2000],
    ['create_prorations', ['customer.subscription.updated'], 0],
    ['none', ['customer.subscription.updated'], 0],
  ] as const)('with proration_behavior %s', async (proration_behavior, types, billed) => {
    const { id, items, customer } = await stage.subscribe()
    const update = { items: [{ id: items.data[0]!.id, quantity: 3 }], proration_behavior }
    expect(await stage.eventTypes(() => stripe.subscriptions.update(id, update))).toEqual(types)
    const { data } = await stripe.invoices.list({ customer: customer as string })
    expect(data.slice(0, -1).reduce((sum, { total }) => sum + total, 0)).toBe(billed)
  })

  it('noted as a proration is on the next invoice', async () => {
    const { id, items, customer } = await stage.subscribe()
    await stripe.subscriptions.update(id, { items: [{ id: items.data[0]!.id, price: 'price_large' }] })
    await sandbox.simulate.changeSubscription(id, { items: [{ current_period_end: 1 }] })
    await stripe.subscriptions.retrieve(id)
    const { data } = await stripe.invoices.list({ customer: customer as string, limit: 1 })
    expect(data[0]).toMatchObject({ total: 3000, billing_reason: 'subscription_cycle' })
    expect(data[0]!.lines.data.map(({ amount }) => amount)).toEqual([2000, 1000])
  })
})

it('shows ten items, and all of them in pages (B11)', async () => {
  const { id } = await stage.subscribe()
  for (let added = 0; added < 11; added++) await sandbox.simulate.addItem(id, 'price_large')
  const { items } = await stripe.subscriptions.retrieve(id)
  expect([items.data.length, items.has_more]).toEqual([10, true])
  const { data } = sandbox.events().at(-1)!
  expect(data.object).toMatchObject({ items: { has_more: true } })
  const all = await stripe.subscriptionItems
    .list({ subscription: id, limit: 5 })
    .autoPagingToArray({ limit: 100 })
  expect(all.map(({ price }) => price.id)).toEqual([...Array(11).fill('price_large'), 'price_small'])
  await expect(stripe.subscriptionItems.list({} as never)).rejects.toMatchObject({ statusCode: 400 })
})

it.each([
  ['proration_behavior', { proration_behavior: 'sometimes' }],
  ['pause_collection[behavior]', { pause_collection: { behavior: 'x' } }],
] as const)('a change with an unknown %s is refused', async (param, change) => {
  const { id } = await stage.subscribe()
  const refused = stripe.subscriptions.update(id, change as Stripe.SubscriptionUpdateParams)
  await expect(refused).rejects.toMatchObject({ statusCode: 400, param })
  await expect(stripe.subscriptions.resume(id)).rejects.toMatchObject({ statusCode: 400 })
})

describe('Metadata', () => {
  it('is joined; an empty text removes its key', async () => {
    const { id } = await stage.subscribe({ subscription_data: { metadata: { a: '1', b: '2' } } })
    const changed = await stripe.subscriptions.update(id, { metadata: { b: '', c: '3' } })
    expect(changed.metadata).toEqual({ a: '1', c: '3' })
  })
})

describe('Paused collection', () => {
  it('keeps the status, and is no customer.subscription.paused', async () => {
    const { id } = await stage.subscribe()
    const pause_collection = { behavior: 'void' as const, resumes_at: nowSeconds() + DAY_SECONDS }
    expect(await stage.eventTypes(() => stripe.subscriptions.update(id, { pause_collection }))).toEqual([
      'customer.subscription.updated',
    ])
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'active', pause_collection })
    const again = await stripe.subscriptions.update(id, { pause_collection: '' })
    expect(again.pause_collection).toBeNull()
  })

  it('renews without a payment, and ends by itself', async () => {
    const { id } = await stage.subscribe()
    await stripe.subscriptions.update(id, { pause_collection: { behavior: 'keep_as_draft' } })
    await sandbox.simulate.changeSubscription(id, { items: [{ current_period_end: 1 }] })
    expect(await stage.eventTypes(() => stripe.subscriptions.retrieve(id))).toEqual([
      'customer.subscription.updated',
    ])
    const { latest_invoice } = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
    expect(latest_invoice).toMatchObject({ status: 'draft', amount_paid: 0 })
    await sandbox.simulate.changeSubscription(id, { pause_collection: { behavior: 'void', resumes_at: 1 } })
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ pause_collection: null })
  })
})

describe('Paused subscription', () => {
  it('resumes with a new paid period', async () => {
    const { id } = await stage.subscribe()
    expect(await stage.eventTypes(() => stripe.subscriptions.pause(id))).toEqual([
      'customer.subscription.paused',
      'customer.subscription.updated',
    ])
    await sandbox.simulate.changeSubscription(id, { items: [{ current_period_end: 1 }] })
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'paused' })
    expect(
      await stage.eventTypes(() =>
        stripe.subscriptions.resume(id, { billing_cycle_anchor: { type: 'now' } }),
      ),
    ).toEqual(['customer.subscription.resumed', 'customer.subscription.updated', 'invoice.paid'])
    const { status, items } = await stripe.subscriptions.retrieve(id)
    expect(status).toBe('active')
    expect(items.data[0]!.current_period_end).toBeGreaterThan(nowSeconds())
  })

  it('resumes in the period that it had, without a payment', async () => {
    const { id, items } = await stage.subscribe()
    await stripe.subscriptions.pause(id)
    const resume = () => stripe.subscriptions.resume(id, { billing_cycle_anchor: { type: 'unchanged' } })
    expect(await stage.eventTypes(resume)).not.toContain('invoice.paid')
    const resumed = await stripe.subscriptions.retrieve(id)
    expect([resumed.status, resumed.items.data[0]!.current_period_end]).toEqual([
      'active',
      items.data[0]!.current_period_end,
    ])
  })
})

describe('Trial', () => {
  const terms = { subscription_data: { trial_period_days: 14 } }

  it('begins at checkout, free and without a payment', async () => {
    const checkout = await stage.openCheckout(terms)
    expect(checkout.amount_total).toBe(0)
    await sandbox.simulate.pay(checkout.id)
    const paid = await stripe.checkout.sessions.retrieve(checkout.id, { expand: ['subscription', 'invoice'] })
    expect(paid).toMatchObject({
      payment_status: 'no_payment_required',
      invoice: { total: 0, status: 'paid' },
    })
    const { status, trial_end, items } = paid.subscription as Stripe.Subscription
    expect(status).toBe('trialing')
    expect(trial_end).toBe(items.data[0]!.current_period_start + 14 * DAY_SECONDS)
    expect(items.data[0]!.current_period_end).toBe(trial_end)
  })

  it('ends soon, and then becomes active and paid', async () => {
    const { id } = await stage.subscribe(terms)
    expect(await stage.eventTypes(() => sandbox.simulate.endTrialSoon(id))).toEqual([
      'customer.subscription.trial_will_end',
    ])
    const { trial_end } = await stripe.subscriptions.retrieve(id)
    expect(trial_end! - nowSeconds()).toBeLessThanOrEqual(3 * DAY_SECONDS)
    await sandbox.simulate.changeSubscription(id, { items: [{ current_period_end: 1 }] })
    expect(await stage.eventTypes(() => stripe.subscriptions.retrieve(id))).toEqual([
      'customer.subscription.updated',
      'invoice.paid',
    ])
    const { status, latest_invoice } = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
    expect([status, latest_invoice]).toEqual(['active', expect.objectContaining({ amount_paid: 1000 })])
    await expect(sandbox.simulate.endTrialSoon(id)).rejects.toThrow('not on trial')
  })

  it.each([
    ['cancel', 'canceled', ['customer.subscription.deleted'], null],
    [
      'pause',
      'paused',
      ['customer.subscription.paused', 'customer.subscription.updated'],
      'trial_end_without_payment_method',
    ],
    [undefined, 'past_due', ['invoice.payment_failed', 'customer.subscription.updated'], null],
  ] as const)(
    'ends without a card as its settings say: %s (B15)',
    async (missing, status, events, reason) => {
      const { id } = await stage.subscribe({
        payment_method_collection: 'if_required',
        subscription_data: {
          trial_period_days: 14,
          ...(missing && { trial_settings: { end_behavior: { missing_payment_method: missing } } }),
        },
      })
      const before = await stripe.subscriptions.retrieve(id)
      expect(before.trial_settings?.end_behavior.missing_payment_method).toBe(missing)
      expect(await stage.eventTypes(() => sandbox.simulate.endTrial(id))).toEqual(events)
      const after = await stripe.subscriptions.retrieve(id)
      expect(after.status).toBe(status)
      expect(after.status_details?.paused?.subscription?.type ?? null).toBe(reason)
      if (status !== 'paused') return
      await expect(sandbox.simulate.resume(id)).rejects.toThrow('no attached payment source')
      const portal = await stripe.billingPortal.sessions.create({ customer: after.customer as string })
      await fetch(`${portal.url}/method`, { method: 'POST' })
      await sandbox.simulate.resume(id)
      expect((await stripe.subscriptions.retrieve(id)).status).toBe('active')
    },
  )

  it('with a card becomes active and paid, whatever its settings say (B15)', async () => {
    const { id } = await stage.subscribe({
      subscription_data: {
        trial_period_days: 14,
        trial_settings: { end_behavior: { missing_payment_method: 'cancel' } },
      },
    })
    await sandbox.simulate.endTrial(id)
    expect((await stripe.subscriptions.retrieve(id)).status).toBe('active')
    await expect(sandbox.simulate.endTrial(id)).rejects.toThrow('not on trial')
  })

  it('can be set and cut short', async () => {
    const { id } = await stage.subscribe()
    const trial_end = nowSeconds() + 5 * DAY_SECONDS
    expect(await stripe.subscriptions.update(id, { trial_end })).toMatchObject({
      status: 'trialing',
      trial_end,
    })
    expect(await stage.eventTypes(() => stripe.subscriptions.update(id, { trial_end: 'now' }))).toEqual([
      'customer.subscription.updated',
      'invoice.paid',
    ])
    const { status, items } = await stripe.subscriptions.retrieve(id)
    expect(status).toBe('active')
    const [item] = items.data
    expect(item!.current_period_end).toBe(monthsAfter(item!.current_period_start, 1))
    const past = stripe.subscriptions.update(id, { trial_end: 1 })
    await expect(past).rejects.toMatchObject({ statusCode: 400, param: 'trial_end' })
  })
})
