import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type Stripe from 'stripe'
import { monthsAfter } from '../../sources.js'
import { type CheckoutTerms, checkoutTerms, clickOnPage, SandboxStage } from './support/sandbox-stage.js'

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
    ['misspelt', { succes_url: 'https://main.example/' }, 'succes_url'],
    ['removed', { payment_method_types: ['card'] }, 'payment_method_types[0]'],
    ['nested', { subscription_data: { trial_days: 3 } }, 'subscription_data[trial_days]'],
  ])('refuses a %s parameter, and repeats no such refusal (B5)', async (_, change, param) => {
    const { id } = await stage.stripe.customers.create()
    const key = { idempotencyKey: 'checkout-1' }
    const params = { ...checkoutTerms(id), ...change } as Stripe.Checkout.SessionCreateParams
    await expect(stage.stripe.checkout.sessions.create(params, key)).rejects.toMatchObject({
      type: 'StripeInvalidRequestError',
      statusCode: 400,
      code: 'parameter_unknown',
      param,
      doc_url: 'https://stripe.com/docs/error-codes/parameter-unknown',
      message: `Received unknown parameter: ${param}`,
    })
    expect((await stage.stripe.checkout.sessions.create(checkoutTerms(id), key)).status).toBe('open')
  })

  it('refuses parameters of other routes, all of them by name (B5)', async () => {
    const { id } = await stage.subscribe()
    const params = { trial_period_days: 3, price: 'price_large' } as Stripe.SubscriptionUpdateParams
    await expect(stage.stripe.subscriptions.update(id, params)).rejects.toThrow(
      'Received unknown parameters: trial_period_days, price',
    )
    await expect(stage.stripe.prices.retrieve('price_small', { limit: 3 } as never)).rejects.toThrow(
      'Received unknown parameter: limit',
    )
  })

  it.each<[string, CheckoutTerms, RegExp, string | undefined]>([
    [
      'tax without an address to save',
      { automatic_tax: { enabled: true } },
      /requires a valid address on the Customer/,
      'customer_tax_location_invalid',
    ],
    [
      'tax ids without a name to save',
      { tax_id_collection: { enabled: true }, customer_update: { address: 'auto' } },
      /^Tax ID collection requires updating business name on the customer/,
      'parameter_invalid',
    ],
    [
      'an update of nobody',
      { customer: '', customer_update: { name: 'auto' } },
      /^`customer_update` can only be used with `customer`/,
      'parameter_invalid',
    ],
    [
      'a trial of no days',
      { subscription_data: { trial_period_days: 0 } },
      /^The minimum number of trial period days is 1\.$/,
      'parameter_invalid_integer',
    ],
    [
      'a trial of three years',
      { subscription_data: { trial_period_days: 731 } },
      /^The maximum number of trial period days is 730/,
      'parameter_invalid_integer',
    ],
    [
      'a bad address',
      { customer: '', customer_email: 'nobody' },
      /^Invalid email address: nobody$/,
      'email_invalid',
    ],
    [
      'long metadata',
      { metadata: { note: 'x'.repeat(501) } },
      /^Metadata values can have up to 500 characters, but you passed in a value that is 501 characters/,
      'parameter_invalid_string',
    ],
    [
      'a long key',
      { subscription_data: { metadata: { ['k'.repeat(41)]: '1' } } },
      /^Metadata keys can have up to 40 characters, but you passed in a key that is 41 characters/,
      'parameter_invalid_string',
    ],
    [
      'too many keys',
      { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`key${index}`, '1'])) },
      /50 keys/,
      'parameter_invalid',
    ],
    [
      'no payment method',
      { excluded_payment_method_types: ['card', 'us_bank_account'] },
      /^No valid payment/,
      undefined,
    ],
  ])('refuses %s with the words of Stripe (B5)', async (_, terms, message, code) => {
    const customer = terms.customer ?? (await stage.stripe.customers.create()).id
    const refused = stage.stripe.checkout.sessions.create({
      ...checkoutTerms(customer),
      ...terms,
      customer: customer || undefined,
    })
    await expect(refused).rejects.toMatchObject({ statusCode: 400, message: expect.stringMatching(message) })
    await expect(refused).rejects.toHaveProperty('code', code)
  })

  it('refuses a bad e-mail address of a customer, and an end in the past (B5)', async () => {
    const { id, customer } = await stage.subscribe()
    for (const bad of [
      stage.stripe.customers.create({ email: 'nobody' }),
      stage.stripe.customers.update(customer as string, { email: 'nobody' }),
    ])
      await expect(bad).rejects.toMatchObject({ statusCode: 400, code: 'email_invalid', param: 'email' })
    await expect(stage.stripe.subscriptions.update(id, { cancel_at: 1 })).rejects.toMatchObject({
      statusCode: 400,
      code: 'parameter_invalid_integer',
      param: 'cancel_at',
    })
    expect(await stage.stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'active', cancel_at: null })
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

describe('Faults', () => {
  it.each([
    ['refuse', 'StripeConnectionError', 0],
    ['hang', 'StripeConnectionError', 0],
    ['error-500', 'StripeAPIError', 0],
    ['rate-limit', 'StripeRateLimitError', 0],
    ['answer-then-reset', 'StripeConnectionError', 1],
  ] as const)('%s', async (fault, type, made) => {
    stage.sandbox.fault = fault
    const options = { idempotencyKey: 'key-1' }
    await expect(stage.stripe.customers.create({}, options)).rejects.toMatchObject({ type })
    expect(stage.sandbox.customers()).toHaveLength(made)
    expect(stage.sandbox.requests[0]).toMatchObject({ path: '/v1/customers', idempotencyKey: 'key-1' })
    stage.sandbox.fault = null
    await stage.stripe.customers.create({}, options)
    expect(stage.sandbox.customers()).toHaveLength(1)
  })
})

describe('Idempotency-Key', () => {
  const options = { idempotencyKey: 'key-1' }

  it('gives the first answer again', async () => {
    const first = await stage.stripe.checkout.sessions.create(checkoutTerms(), options)
    await stage.sandbox.simulate.pay(first.id)
    const again = await stage.stripe.checkout.sessions.create(checkoutTerms(), options)
    expect(again).toEqual(first)
    expect(again.lastResponse.headers['idempotent-replayed']).toBe('true')
    expect(stage.sandbox.checkouts()).toHaveLength(1)
  })

  it('refuses other parameters under the same key', async () => {
    await stage.stripe.customers.create({ email: 'a@example.com' }, options)
    const refused = stage.stripe.customers.create({ email: 'b@example.com' }, options)
    await expect(refused).rejects.toMatchObject({ type: 'StripeIdempotencyError', statusCode: 400 })
  })

  it('refuses a second request while the first is under way, and takes it afterwards', async () => {
    stage.sandbox.fault = 'hang'
    const first = stage.stripe.customers.create({}, options).catch((error: Error) => error)
    while (stage.sandbox.requests.length === 0) await new Promise(resolve => setTimeout(resolve, 5))
    stage.sandbox.fault = null
    const second = stage.stripe.customers.create({}, options)
    await expect(second).rejects.toMatchObject({ statusCode: 409, code: 'idempotency_key_in_use' })
    expect(await first).toMatchObject({ type: 'StripeConnectionError' })
    await stage.stripe.customers.create({}, options)
    expect(stage.sandbox.customers()).toHaveLength(1)
  })

  it('keeps a refusal of a missing thing, but not of a bad parameter', async () => {
    await expect(stage.stripe.checkout.sessions.create(checkoutTerms('cus_x'), options)).rejects.toThrow()
    const replayed = stage.stripe.checkout.sessions.create(checkoutTerms('cus_x'), options)
    await expect(replayed).rejects.toMatchObject({ headers: { 'idempotent-replayed': 'true' } })
    const bad = { ...checkoutTerms(), success_url: 'nowhere' }
    await expect(stage.stripe.checkout.sessions.create(bad, { idempotencyKey: 'key-2' })).rejects.toThrow()
    await stage.stripe.checkout.sessions.create(checkoutTerms(), { idempotencyKey: 'key-2' })
  })
})

it('refuses a quantity of what is billed by usage, with its message (W3)', async () => {
  await stage.start(undefined, ['price_small', 'price_metered'])
  const lines = (price: string, quantity?: number) => ({
    ...checkoutTerms(),
    line_items: [{ price, quantity }],
  })
  const { sessions } = stage.stripe.checkout
  const message =
    'Quantity should not be specified where usage_type is `metered`. Remove quantity from `line_items[0]`'
  await expect(sessions.create(lines('price_metered', 1))).rejects.toMatchObject({ message, statusCode: 400 })
  expect(await sessions.create(lines('price_metered'))).toMatchObject({ amount_total: 0 })

  const { id: subscription, customer, items: before } = await stage.subscribe()
  const items = [{ id: before.data[0]!.id, price: 'price_metered', quantity: 1 }]
  await expect(stage.stripe.subscriptions.update(subscription, { items })).rejects.toMatchObject({
    statusCode: 400,
  })
  const update = { subscription, items }
  const flow_data = { type: 'subscription_update_confirm', subscription_update_confirm: update } as const
  await expect(
    stage.stripe.billingPortal.sessions.create({ customer: customer as string, flow_data }),
  ).rejects.toMatchObject({
    statusCode: 400,
  })
})

describe('Webhooks', () => {
  it('sends signed events after a payment', async () => {
    const { id, subscription } = await stage.openCheckout().then(async ({ id, url }) => {
      await clickOnPage(url, 'pay')
      return stage.stripe.checkout.sessions.retrieve(id)
    })
    await stage.sandbox.settled()
    const byType = Object.fromEntries(stage.received.map(event => [event.type, event.data.object]))
    expect(Object.keys(byType).sort()).toEqual([
      'checkout.session.completed',
      'customer.subscription.created',
      'invoice.paid',
    ])
    expect(byType['checkout.session.completed']).toMatchObject({ id, status: 'complete', subscription })
    expect(byType['customer.subscription.created']).toMatchObject({ id: subscription, status: 'active' })
    const { parent } = byType['invoice.paid'] as Stripe.Invoice
    expect(parent!.subscription_details!.subscription).toBe(subscription)
    expect(stage.received[0]).toMatchObject({ object: 'event', livemode: false, pending_webhooks: 1 })
    expect(stage.sandbox.events().map(event => event.pending_webhooks)).toEqual([0, 0, 0])
  })

  it('tries again after a 500, and sends a duplicate when asked', async () => {
    stage.statuses = [500]
    await stage.sandbox.simulate.expire((await stage.openCheckout()).id)
    await stage.sandbox.settled()
    expect(stage.received.map(({ id }) => id)).toEqual(Array(2).fill(stage.sandbox.events()[0]!.id))
    expect(await stage.sandbox.deliver(stage.sandbox.events()[0]!)).toBe(true)
    expect(stage.received).toHaveLength(3)
  })

  it('names the request that caused an event', async () => {
    await stage.stripe.checkout.sessions.expire(
      (await stage.openCheckout()).id,
      {},
      { idempotencyKey: 'key-1' },
    )
    await stage.sandbox.settled()
    expect(stage.received[0]!.request).toEqual({
      id: expect.stringMatching(/^req_/),
      idempotency_key: 'key-1',
    })
  })

  it('sends nothing without a URL', async () => {
    stage.sandbox.webhookUrl = null
    await stage.sandbox.simulate.pay((await stage.openCheckout()).id)
    stage.sandbox.webhookUrl = stage.webhookUrl
    await stage.sandbox.settled()
    expect(stage.sandbox.events()).toHaveLength(3)
    expect(stage.received).toEqual([])
  })
})
