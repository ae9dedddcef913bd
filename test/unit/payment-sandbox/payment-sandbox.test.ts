import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import Stripe from 'stripe'
import { PaymentSandbox } from '../../../dev/payment-sandbox/payment-sandbox.js'
import { monthsAfter } from '../../../dev/payment-sandbox/state/clock.js'

const SECRET_KEY = 'sk_test_for_the_sandbox'
const WEBHOOK_SECRET = 'whsec_for_the_sandbox'

let sandbox: PaymentSandbox
let stripe: Stripe
let webhook: Server
let webhookUrl: string
let received: Stripe.Event[]
/** Statuses that the webhook answers with, first to last; 200 when there are none left. */
let statuses: number[]

beforeEach(async () => {
  received = []
  statuses = []
  webhook = createServer(async (request, reply) => {
    const signature = request.headers['stripe-signature'] as string
    received.push(stripe.webhooks.constructEvent(await text(request), signature, WEBHOOK_SECRET))
    reply.writeHead(statuses.shift() ?? 200).end()
  })
  await new Promise<void>(resolve => webhook.listen(0, '127.0.0.1', resolve))
  webhookUrl = `http://127.0.0.1:${(webhook.address() as AddressInfo).port}/`
  await start()
})

afterEach(async () => {
  webhook.close()
  await sandbox.stop()
})

async function start(stateFile?: string): Promise<void> {
  await sandbox?.stop()
  sandbox = await PaymentSandbox.start({
    port: 0,
    secondaryEvents: false,
    secretKey: SECRET_KEY,
    webhookUrl,
    webhookSecret: WEBHOOK_SECRET,
    priceIds: ['price_small', 'price_large'],
    stateFile,
  })
  stripe = client(SECRET_KEY)
}

function client(key: string): Stripe {
  const { hostname, port } = new URL(sandbox.url)
  return new Stripe(key, {
    host: hostname,
    port: Number(port),
    protocol: 'http',
    maxNetworkRetries: 0,
    timeout: 500,
  })
}

function terms(customer?: string): Stripe.Checkout.SessionCreateParams {
  return {
    mode: 'subscription',
    customer,
    client_reference_id: 'account-1',
    line_items: [{ price: 'price_small', quantity: 1 }],
    success_url: 'https://main.example/done?checkout={CHECKOUT_SESSION_ID}',
    cancel_url: 'https://main.example/cancelled',
    metadata: { accountId: 'account-1' },
    subscription_data: { metadata: { accountId: 'account-1' } },
  }
}

async function open(): Promise<Stripe.Checkout.Session> {
  const customer = await stripe.customers.create({ email: 'owner@example.com' })
  return stripe.checkout.sessions.create(terms(customer.id))
}

async function subscribed(): Promise<Stripe.Subscription> {
  const { id } = await open()
  await sandbox.simulate.pay(id)
  const paid = await stripe.checkout.sessions.retrieve(id, { expand: ['subscription'] })
  return paid.subscription as Stripe.Subscription
}

function click(url: string | null, button: 'pay' | 'cancel'): Promise<Response> {
  return fetch(`${url}/${button}`, { method: 'POST', redirect: 'manual' })
}

describe('API', () => {
  it('makes a customer and finds it again', async () => {
    const made = await stripe.customers.create({
      email: 'owner@example.com',
      metadata: { accountId: 'account-1' },
    })
    expect(made.lastResponse.requestId).toMatch(/^req_/)
    expect(await stripe.customers.retrieve(made.id)).toMatchObject({
      object: 'customer',
      email: 'owner@example.com',
      metadata: { accountId: 'account-1' },
      livemode: false,
    })
  })

  it('makes an open, unpaid checkout', async () => {
    const checkout = await open()
    expect(checkout).toMatchObject({
      object: 'checkout.session',
      status: 'open',
      payment_status: 'unpaid',
      livemode: false,
      subscription: null,
      client_reference_id: 'account-1',
      metadata: { accountId: 'account-1' },
      url: `${sandbox.url}/pay/${checkout.id}`,
    })
    expect(checkout.id).toMatch(/^cs_test_/)
    expect(checkout.customer).toMatch(/^cus_/)
    const { data } = await stripe.checkout.sessions.list({ customer: checkout.customer as string })
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
    const refused = stripe.checkout.sessions.create({
      ...terms(),
      ...change,
    } as Stripe.Checkout.SessionCreateParams)
    await expect(refused).rejects.toMatchObject({
      type: 'StripeInvalidRequestError',
      statusCode: 400,
      code,
      param,
    })
    expect(sandbox.checkouts()).toEqual([])
  })

  it('does not know an id', async () => {
    const missing = { type: 'StripeInvalidRequestError', statusCode: 404, code: 'resource_missing' }
    await expect(stripe.customers.retrieve('cus_x')).rejects.toMatchObject(missing)
    await expect(stripe.checkout.sessions.retrieve('cs_x')).rejects.toMatchObject(missing)
    await expect(stripe.subscriptions.retrieve('sub_x')).rejects.toMatchObject(missing)
    await expect(stripe.subscriptions.cancel('sub_x')).rejects.toMatchObject(missing)
  })

  it('refuses a wrong key', async () => {
    const refused = client('sk_test_wrong').customers.create({})
    await expect(refused).rejects.toMatchObject({ type: 'StripeAuthenticationError', statusCode: 401 })
    expect(sandbox.customers()).toEqual([])
  })

  it('expires an open checkout only', async () => {
    const { id, url } = await open()
    expect(await stripe.checkout.sessions.expire(id)).toMatchObject({ status: 'expired', url: null })
    await expect(stripe.checkout.sessions.expire(id)).rejects.toMatchObject({ statusCode: 400 })
    expect((await click(url, 'pay')).status).toBe(410)
    expect(sandbox.subscriptions()).toEqual([])
    await sandbox.settled()
    expect(received.map(({ type }) => type)).toEqual(['checkout.session.expired'])
  })

  it('changes, ends with the period and cancels a subscription', async () => {
    const { id, customer, items } = await subscribed()
    const item = { id: items.data[0]!.id, price: 'price_large' }
    const larger = await stripe.subscriptions.update(id, { items: [item], cancel_at_period_end: true })
    expect(larger.items.data[0]!.price).toMatchObject({ id: 'price_large', unit_amount: 2000 })
    expect(larger).toMatchObject({ status: 'active', cancel_at: items.data[0]!.current_period_end })
    expect(await stripe.subscriptions.update(id, { cancel_at_period_end: false })).toMatchObject({
      cancel_at: null,
    })
    expect(await stripe.subscriptions.cancel(id)).toMatchObject({ status: 'canceled' })

    const list = async (status?: 'all' | 'canceled' | 'active') =>
      (await stripe.subscriptions.list({ customer: customer as string, status })).data.length
    expect([await list(), await list('active'), await list('canceled'), await list('all')]).toEqual([
      0, 0, 1, 1,
    ])
    await expect(stripe.subscriptions.cancel(id)).rejects.toMatchObject({ code: 'resource_missing' })
    await sandbox.settled()
    expect(received.map(({ type }) => type)).toContain('customer.subscription.deleted')
  })

  it('renews or ends a subscription whose period is over', async () => {
    const over = { items: [{ current_period_end: 1 }] }
    const [renewed, ended] = [await subscribed(), await subscribed()]
    await sandbox.simulate.changeSubscription(renewed.id, over)
    await sandbox.simulate.changeSubscription(ended.id, over)
    await stripe.subscriptions.update(renewed.id, { metadata: {} })
    const { items } = await stripe.subscriptions.retrieve(renewed.id)
    expect(items.data[0]!.current_period_end).toBeGreaterThan(Date.now() / 1000)
    await sandbox.simulate.changeSubscription(ended.id, {
      cancel_at_period_end: true,
      items: [{ current_period_end: 1 }],
    })
    expect(await stripe.subscriptions.retrieve(ended.id)).toMatchObject({ status: 'canceled', ended_at: 1 })
  })

  it('counts months from the day of the first payment', () => {
    const months = [1, 2, 12].map(count => monthsAfter(Date.UTC(2027, 0, 31, 23, 59) / 1000, count))
    const days = months.map(seconds => new Date(seconds * 1000).toISOString())
    expect(days).toEqual(['2027-02-28T23:59:00.000Z', '2027-03-31T23:59:00.000Z', '2028-01-31T23:59:00.000Z'])
  })
})

describe('Idempotency-Key', () => {
  const options = { idempotencyKey: 'key-1' }

  it('gives the first answer again', async () => {
    const first = await stripe.checkout.sessions.create(terms(), options)
    await sandbox.simulate.pay(first.id)
    const again = await stripe.checkout.sessions.create(terms(), options)
    expect(again).toEqual(first)
    expect(again.lastResponse.headers['idempotent-replayed']).toBe('true')
    expect(sandbox.checkouts()).toHaveLength(1)
  })

  it('refuses other parameters under the same key', async () => {
    await stripe.customers.create({ email: 'a@example.com' }, options)
    const refused = stripe.customers.create({ email: 'b@example.com' }, options)
    await expect(refused).rejects.toMatchObject({ type: 'StripeIdempotencyError', statusCode: 400 })
  })

  it('refuses a second request while the first is under way, and takes it afterwards', async () => {
    sandbox.fault = 'hang'
    const first = stripe.customers.create({}, options).catch((error: Error) => error)
    while (sandbox.requests.length === 0) await new Promise(resolve => setTimeout(resolve, 5))
    sandbox.fault = null
    const second = stripe.customers.create({}, options)
    await expect(second).rejects.toMatchObject({ statusCode: 409, code: 'idempotency_key_in_use' })
    expect(await first).toMatchObject({ type: 'StripeConnectionError' })
    await stripe.customers.create({}, options)
    expect(sandbox.customers()).toHaveLength(1)
  })

  it('keeps a refusal of a missing thing, but not of a bad parameter', async () => {
    await expect(stripe.checkout.sessions.create(terms('cus_x'), options)).rejects.toThrow()
    const replayed = stripe.checkout.sessions.create(terms('cus_x'), options)
    await expect(replayed).rejects.toMatchObject({ headers: { 'idempotent-replayed': 'true' } })
    const bad = { ...terms(), success_url: 'nowhere' }
    await expect(stripe.checkout.sessions.create(bad, { idempotencyKey: 'key-2' })).rejects.toThrow()
    await stripe.checkout.sessions.create(terms(), { idempotencyKey: 'key-2' })
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
    sandbox.fault = fault
    const options = { idempotencyKey: 'key-1' }
    await expect(stripe.customers.create({}, options)).rejects.toMatchObject({ type })
    expect(sandbox.customers()).toHaveLength(made)
    expect(sandbox.requests[0]).toMatchObject({ path: '/v1/customers', idempotencyKey: 'key-1' })
    sandbox.fault = null
    await stripe.customers.create({}, options)
    expect(sandbox.customers()).toHaveLength(1)
  })
})

describe('Pages', () => {
  it('pays: completes the checkout once and leads to the success URL', async () => {
    const { id, url } = await open()
    const clicks = [await click(url, 'pay'), await click(url, 'pay')]
    expect(clicks.map(({ status }) => status)).toEqual([303, 303])
    expect(clicks[1]!.headers.get('location')).toBe(`https://main.example/done?checkout=${id}`)
    expect(sandbox.subscriptions()).toHaveLength(1)
    const paid = await stripe.checkout.sessions.retrieve(id, { expand: ['subscription'] })
    expect(paid).toMatchObject({ status: 'complete', payment_status: 'paid', url: null })
    expect(paid.subscription).toMatchObject({ status: 'active', metadata: { accountId: 'account-1' } })
    const [item] = (paid.subscription as Stripe.Subscription).items.data
    expect(item!.current_period_end).toBe(monthsAfter(item!.current_period_start, 1))
    expect(await (await fetch(url!)).text()).toContain('This checkout is complete')
  })

  it('cancels: leads to the cancel URL and leaves the checkout open', async () => {
    const { id, url } = await open()
    expect((await click(url, 'cancel')).headers.get('location')).toBe('https://main.example/cancelled')
    expect(await stripe.checkout.sessions.retrieve(id)).toMatchObject({ status: 'open' })
  })

  it('makes the customer when the checkout was started without one', async () => {
    const { id } = await stripe.checkout.sessions.create({ ...terms(), customer_email: 'new@example.com' })
    await sandbox.simulate.pay(id)
    const [customer] = sandbox.customers()
    expect(customer).toMatchObject({ email: 'new@example.com' })
    expect(sandbox.subscriptions()[0]!.customer).toBe(customer!.id)
    await expect(sandbox.simulate.pay(id)).rejects.toThrow('complete')
  })

  it('escapes hostile text and allows no script', async () => {
    const hostile = '"><script>alert(1)</script>\'&'
    const customer = await stripe.customers.create({ email: hostile })
    const cancelUrl = 'https://main.example/?x="><script>alert(1)</script>'
    const { id, url } = await stripe.checkout.sessions.create({
      ...terms(customer.id),
      cancel_url: cancelUrl,
    })
    const page = await fetch(url!)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    const body = await page.text()
    expect(body).toContain('no real money')
    expect(body).toContain('&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;&#39;&#38;')
    await sandbox.simulate.expire(id)
    const closed = await (await fetch(url!)).text()
    expect(closed).toContain('This checkout has expired')
    expect(body + closed).not.toContain('<script')
  })

  it('knows no other page', async () => {
    const { url } = await open()
    const paths = ['/other', '/pay', '/pay/cs_test_<script>', `${new URL(url!).pathname}/other`]
    const pages = await Promise.all(paths.map(path => fetch(sandbox.url + path)))
    expect(pages.map(({ status }) => status)).toEqual([404, 404, 404, 404])
  })
})

describe('Webhooks', () => {
  it('sends signed events after a payment', async () => {
    const { id, subscription } = await open().then(async ({ id, url }) => {
      await click(url, 'pay')
      return stripe.checkout.sessions.retrieve(id)
    })
    await sandbox.settled()
    const byType = Object.fromEntries(received.map(event => [event.type, event.data.object]))
    expect(Object.keys(byType).sort()).toEqual([
      'checkout.session.completed',
      'customer.subscription.created',
      'invoice.paid',
    ])
    expect(byType['checkout.session.completed']).toMatchObject({ id, status: 'complete', subscription })
    expect(byType['customer.subscription.created']).toMatchObject({ id: subscription, status: 'active' })
    const { parent } = byType['invoice.paid'] as Stripe.Invoice
    expect(parent!.subscription_details!.subscription).toBe(subscription)
    expect(received[0]).toMatchObject({ object: 'event', livemode: false, pending_webhooks: 1 })
    expect(sandbox.events().map(event => event.pending_webhooks)).toEqual([0, 0, 0])
  })

  it('tries again after a 500, and sends a duplicate when asked', async () => {
    statuses = [500]
    await sandbox.simulate.expire((await open()).id)
    await sandbox.settled()
    expect(received.map(({ id }) => id)).toEqual(Array(2).fill(sandbox.events()[0]!.id))
    expect(await sandbox.deliver(sandbox.events()[0]!)).toBe(true)
    expect(received).toHaveLength(3)
  })

  it('names the request that caused an event', async () => {
    await stripe.checkout.sessions.expire((await open()).id, {}, { idempotencyKey: 'key-1' })
    await sandbox.settled()
    expect(received[0]!.request).toEqual({ id: expect.stringMatching(/^req_/), idempotency_key: 'key-1' })
  })

  it('sends nothing without a URL', async () => {
    sandbox.webhookUrl = null
    await sandbox.simulate.pay((await open()).id)
    sandbox.webhookUrl = webhookUrl
    await sandbox.settled()
    expect(sandbox.events()).toHaveLength(3)
    expect(received).toEqual([])
  })
})

describe('State file', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'payment-sandbox-'))
  })
  afterEach(async () => {
    await sandbox.stop()
    await rm(folder, { recursive: true })
  })

  it('survives a restart: objects, keys, and events that have not arrived', async () => {
    const file = join(folder, 'data', 'state.json')
    await start(file)
    const customer = await stripe.customers.create({ name: 'Zoë' }, { idempotencyKey: 'key-1' })
    const checkout = await open()
    statuses = Array(100).fill(500)
    const { id } = await subscribed()
    const before = sandbox.subscriptions()
    await start(file)
    expect(await readdir(join(folder, 'data'))).toEqual(['state.json'])
    expect(sandbox.subscriptions()).toEqual(before)
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'active' })
    expect(await stripe.customers.create({ name: 'Zoë' }, { idempotencyKey: 'key-1' })).toEqual(customer)
    const { url } = await stripe.checkout.sessions.retrieve(checkout.id)
    expect((await fetch(url!)).status).toBe(200)
    statuses = []
    await sandbox.settled()
    expect(sandbox.events().map(event => event.pending_webhooks)).toEqual([0, 0, 0])
  })

  it('refuses a file that is not its own', async () => {
    const file = join(folder, 'state.json')
    await writeFile(file, '{"customers":')
    await expect(start(file)).rejects.toThrow('delete it to start afresh')
  })
})
