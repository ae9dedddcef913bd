import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type Stripe from 'stripe'
import { monthsAfter } from '../../sources.js'
import { checkoutTerms, clickOnPage, SandboxStage } from './support/sandbox-stage.js'

let stage: SandboxStage

beforeEach(async () => {
  stage = await SandboxStage.open()
})

afterEach(() => stage.close())

describe('API', () => {
  it('makes a customer and finds it again', async () => {
    const made = await stage.stripe.customers.create({
      email: 'owner@example.com',
      metadata: { accountId: 'account-1' },
    })
    expect(made.lastResponse.requestId).toMatch(/^req_/)
    expect(await stage.stripe.customers.retrieve(made.id)).toMatchObject({
      object: 'customer',
      email: 'owner@example.com',
      metadata: { accountId: 'account-1' },
      livemode: false,
    })
  })

  it('makes an open, unpaid checkout', async () => {
    const checkout = await stage.openCheckout()
    expect(checkout).toMatchObject({
      object: 'checkout.session',
      status: 'open',
      payment_status: 'unpaid',
      livemode: false,
      subscription: null,
      client_reference_id: 'account-1',
      metadata: { accountId: 'account-1' },
      url: `${stage.sandbox.url}/pay/${checkout.id}`,
    })
    expect(checkout.id).toMatch(/^cs_test_/)
    expect(checkout.customer).toMatch(/^cus_/)
    const { data } = await stage.stripe.checkout.sessions.list({ customer: checkout.customer as string })
    expect(data.map(({ id }) => id)).toEqual([checkout.id])
  })

  it.each([
    ['unknown customer', { customer: 'cus_unknown' }, 'resource_missing', 'customer'],
    ['unknown price', { line_items: [{ price: 'price_x' }] }, 'resource_missing', 'line_items[0][price]'],
    ['no lines', { line_items: undefined }, 'parameter_missing', 'line_items'],
    ['no success_url', { success_url: undefined }, 'parameter_missing', 'success_url'],
    ['a script as URL', { cancel_url: 'javascript:alert(1)' }, 'url_invalid', 'cancel_url'],
    [
      'too short a life',
      { expires_at: Math.floor(Date.now() / 1000) + 60 },
      'parameter_invalid',
      'expires_at',
    ],
  ])('refuses a checkout: %s', async (_, change, code, param) => {
    const refused = stage.stripe.checkout.sessions.create({
      ...checkoutTerms(),
      ...change,
    } as Stripe.Checkout.SessionCreateParams)
    await expect(refused).rejects.toMatchObject({
      type: 'StripeInvalidRequestError',
      statusCode: 400,
      code,
      param,
    })
    expect(stage.sandbox.checkouts()).toEqual([])
  })

  it('does not know an id', async () => {
    const missing = { type: 'StripeInvalidRequestError', statusCode: 404, code: 'resource_missing' }
    await expect(stage.stripe.customers.retrieve('cus_x')).rejects.toMatchObject(missing)
    await expect(stage.stripe.checkout.sessions.retrieve('cs_x')).rejects.toMatchObject(missing)
    await expect(stage.stripe.subscriptions.retrieve('sub_x')).rejects.toMatchObject(missing)
    await expect(stage.stripe.subscriptions.cancel('sub_x')).rejects.toMatchObject(missing)
  })

  it('refuses a wrong key', async () => {
    const refused = stage.client('sk_test_wrong').customers.create({})
    await expect(refused).rejects.toMatchObject({ type: 'StripeAuthenticationError', statusCode: 401 })
    expect(stage.sandbox.customers()).toEqual([])
  })

  it('expires an open checkout only', async () => {
    const { id, url } = await stage.openCheckout()
    expect(await stage.stripe.checkout.sessions.expire(id)).toMatchObject({ status: 'expired', url: null })
    await expect(stage.stripe.checkout.sessions.expire(id)).rejects.toMatchObject({ statusCode: 400 })
    expect((await clickOnPage(url, 'pay')).status).toBe(410)
    expect(stage.sandbox.subscriptions()).toEqual([])
    await stage.sandbox.settled()
    expect(stage.received.map(({ type }) => type)).toEqual(['checkout.session.expired'])
  })

  it('changes, ends with the period and cancels a subscription', async () => {
    const { id, customer, items } = await stage.subscribe()
    const item = { id: items.data[0]!.id, price: 'price_large' }
    const larger = await stage.stripe.subscriptions.update(id, { items: [item], cancel_at_period_end: true })
    expect(larger.items.data[0]!.price).toMatchObject({ id: 'price_large', unit_amount: 2000 })
    expect(larger).toMatchObject({ status: 'active', cancel_at: items.data[0]!.current_period_end })
    expect(await stage.stripe.subscriptions.update(id, { cancel_at_period_end: false })).toMatchObject({
      cancel_at: null,
    })
    expect(await stage.stripe.subscriptions.cancel(id)).toMatchObject({ status: 'canceled' })

    const list = async (status?: 'all' | 'canceled' | 'active') =>
      (await stage.stripe.subscriptions.list({ customer: customer as string, status })).data.length
    expect([await list(), await list('active'), await list('canceled'), await list('all')]).toEqual([
      0, 0, 1, 1,
    ])
    await expect(stage.stripe.subscriptions.cancel(id)).rejects.toMatchObject({ code: 'resource_missing' })
    await stage.sandbox.settled()
    expect(stage.received.map(({ type }) => type)).toContain('customer.subscription.deleted')
  })

  it('renews or ends a subscription whose period is over', async () => {
    const over = { items: [{ current_period_end: 1 }] }
    const [renewed, ended] = [await stage.subscribe(), await stage.subscribe()]
    await stage.sandbox.simulate.changeSubscription(renewed.id, over)
    await stage.sandbox.simulate.changeSubscription(ended.id, over)
    await stage.stripe.subscriptions.update(renewed.id, { metadata: {} })
    const { items } = await stage.stripe.subscriptions.retrieve(renewed.id)
    expect(items.data[0]!.current_period_end).toBeGreaterThan(Date.now() / 1000)
    await stage.sandbox.simulate.changeSubscription(ended.id, {
      cancel_at_period_end: true,
      items: [{ current_period_end: 1 }],
    })
    expect(await stage.stripe.subscriptions.retrieve(ended.id)).toMatchObject({
      status: 'canceled',
      ended_at: 1,
    })
  })

  it('counts months from the day of the first payment', () => {
    const months = [1, 2, 12].map(count => monthsAfter(Date.UTC(2027, 0, 31, 23, 59) / 1000, count))
    const days = months.map(seconds => new Date(seconds * 1000).toISOString())
    expect(days).toEqual(['2027-02-28T23:59:00.000Z', '2027-03-31T23:59:00.000Z', '2028-01-31T23:59:00.000Z'])
  })
})
