import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import Stripe from 'stripe'
import { nowSeconds, PaymentSandbox, type PaymentSandboxOptions } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { slow } from '../../support/tiers.js'

const SECRET_KEY = 'sk_test_for_the_sandbox'
const WEBHOOK_SECRET = 'whsec_for_the_sandbox'
/** Not before the test is over. */
const NOT_SOON_MS = 10 * 60_000

let sandbox: PaymentSandbox
let stripe: Stripe
let webhook: Server
let received: Stripe.Event[]

beforeEach(async () => {
  received = []
  webhook = createServer(async (request, reply) => {
    const signature = request.headers['stripe-signature'] as string
    received.push(stripe.webhooks.constructEvent(await text(request), signature, WEBHOOK_SECRET))
    reply.end()
  })
  await new Promise<void>(resolve => webhook.listen(0, '127.0.0.1', resolve))
  await start()
})

afterEach(async () => {
  webhook.close()
  await sandbox.stop()
})

async function start(options: Partial<PaymentSandboxOptions> = {}): Promise<void> {
  await sandbox?.stop()
  sandbox = await PaymentSandbox.start({
    port: 0,
    secondaryEvents: false,
    secretKey: SECRET_KEY,
    webhookUrl: `http://127.0.0.1:${(webhook.address() as AddressInfo).port}/`,
    webhookSecret: WEBHOOK_SECRET,
    priceIds: ['price_small', 'price_large'],
    ...options,
  })
  const { hostname, port } = new URL(sandbox.url)
  stripe = new Stripe(SECRET_KEY, {
    host: hostname,
    port: Number(port),
    protocol: 'http',
    maxNetworkRetries: 0,
    timeout: 20_000,
  })
}

/** The id of a new subscription; three events. */
async function subscribed(): Promise<string> {
  const customer = await stripe.customers.create({ email: 'owner@example.com' })
  const { id } = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer: customer.id,
    line_items: [{ price: 'price_small', quantity: 1 }],
    success_url: 'https://main.example/done',
  })
  await sandbox.simulate.pay(id)
  return (await stripe.checkout.sessions.retrieve(id)).subscription as string
}

function ids(events: readonly { id: string }[]): string[] {
  return events.map(({ id }) => id)
}

describe('Events', () => {
  it('are found, and listed newest first, page by page', async () => {
    for (let count = 0; count < 4; count++) await subscribed()
    const all = ids(sandbox.events()).reverse()
    const page = await stripe.events.list({ limit: 5 })
    expect([ids(page.data), page.has_more]).toEqual([all.slice(0, 5), true])
    const next = await stripe.events.list({ limit: 5, starting_after: all[4]! })
    expect(ids(next.data)).toEqual(all.slice(5, 10))
    expect(ids(await stripe.events.list().autoPagingToArray({ limit: 100 }))).toEqual(all)
    expect(await stripe.events.retrieve(all[3]!)).toMatchObject({ object: 'event', id: all[3] })
    await expect(stripe.events.retrieve('evt_x')).rejects.toMatchObject({ statusCode: 404 })
  })

  it('are listed by type, time and delivery', async () => {
    await sandbox.simulate.cancel(await subscribed())
    await sandbox.settled()
    sandbox.webhookUrl = 'http://127.0.0.1:9/'
    await subscribed()
    const count = async (params: Stripe.EventListParams) => (await stripe.events.list(params)).data.length
    expect(await count({ type: 'invoice.paid' })).toBe(2)
    expect(await count({ type: 'customer.subscription.*' })).toBe(3)
    expect(await count({ types: ['invoice.paid', 'customer.subscription.deleted'] })).toBe(3)
    expect(await count({ created: { gte: nowSeconds() - 10, lte: nowSeconds() } })).toBe(7)
    expect(await count({ created: { lt: nowSeconds() - 10 } })).toBe(0)
    expect(await count({ created: { gt: nowSeconds() } })).toBe(0)
    expect(await count({ delivery_success: false })).toBe(3)
    expect(await count({ delivery_success: true })).toBe(4)
  })

  it('are forgotten from the oldest on', async () => {
    await start({ maxEvents: 4, webhookUrl: null })
    await subscribed()
    const [first] = sandbox.events()
    await subscribed()
    expect(sandbox.events()).toHaveLength(4)
    await expect(stripe.events.retrieve(first!.id)).rejects.toMatchObject({ statusCode: 404 })
  })

  it('claim to be live when told', async () => {
    sandbox.livemode = true
    const id = await subscribed()
    await sandbox.settled()
    expect(received.map(({ livemode }) => livemode)).toEqual([true, true, true])
    expect(received[0]!.data.object).toMatchObject({ livemode: true })
    sandbox.livemode = false
    await sandbox.simulate.cancel(id)
    expect(sandbox.events().at(-1)).toMatchObject({ livemode: false })
  })
})

describe('Delivery', () => {
  it('twice', async () => {
    sandbox.deliveryMode = 'twice'
    await subscribed()
    await sandbox.settled()
    expect(ids(received).sort()).toEqual(ids([...sandbox.events(), ...sandbox.events()]).sort())
  })

  it('late', async () => {
    sandbox.deliveryMode = 'late'
    sandbox.lateMs = 10
    await subscribed()
    await sandbox.settled()
    expect(received).toHaveLength(3)
    sandbox.lateMs = NOT_SOON_MS
    await subscribed()
    sandbox.deliveryMode = 'normal'
    await subscribed()
    await eventually(() => received.length >= 6)
    const [, second, third] = [0, 3, 6].map(from => ids(sandbox.events()).slice(from, from + 3))
    expect(ids(received.slice(3)).sort()).toEqual(third?.sort())
    expect(second).toHaveLength(3)
  })

  it('shuffled', async () => {
    sandbox.deliveryMode = 'shuffled'
    for (let count = 0; count < 10; count++) await subscribed()
    await sandbox.settled()
    expect(ids(received)).not.toEqual(ids(sandbox.events()))
    expect(ids(received).sort()).toEqual(ids(sandbox.events()).sort())
  })
})

describe('The fault slow', () => {
  it('answers after a while', async () => {
    sandbox.fault = 'slow'
    sandbox.slowMs = 10
    await stripe.customers.create()
    sandbox.slowMs = NOT_SOON_MS
    const slow = stripe.customers.create({ name: 'slow' }).catch(() => 'never answered')
    await eventually(() => sandbox.requests.length === 2)
    sandbox.fault = null
    await stripe.customers.create()
    expect(sandbox.customers().map(({ name }) => name)).toEqual([null, null])
    await sandbox.stop()
    expect(await slow).toBe('never answered')
  })

  it('does what was asked though the client has gone', async () => {
    sandbox.fault = 'slow'
    sandbox.slowMs = 200
    const options = { idempotencyKey: 'key-1' }
    await expect(stripe.customers.create({}, { ...options, timeout: 50 })).rejects.toMatchObject({
      type: 'StripeConnectionError',
    })
    await eventually(() => sandbox.customers().length === 1)
    sandbox.fault = null
    await stripe.customers.create({}, options)
    expect(sandbox.customers()).toHaveLength(1)
  })
})

describe('The fault late-answer', () => {
  it('answers after a while what was true before', async () => {
    const id = await subscribed()
    sandbox.fault = 'late-answer'
    sandbox.slowMs = 150
    const asked = sandbox.requests.length
    const answer = stripe.subscriptions.retrieve(id)
    await eventually(() => sandbox.requests.length > asked)
    await sandbox.simulate.cancel(id)
    expect(await answer).toMatchObject({ status: 'active' })
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'canceled' })
  })
})

describe('Speed', () => {
  slow('takes 10,000 events of 200 customers, and lists them', async () => {
    await start({ webhookUrl: null })
    const subscriptions: string[] = []
    for (let count = 0; count < 200; count++) subscriptions.push(await subscribed())
    for (let round = 0; round < 47; round++) {
      for (const id of subscriptions)
        await sandbox.simulate.changeSubscription(id, { items: [{ quantity: (round % 5) + 1 }] })
    }
    for (const { id, customer } of sandbox.subscriptions()) {
      const { data } = await stripe.subscriptions.list({ customer, status: 'all' })
      expect(ids(data)).toEqual([id])
    }
    const listed = await stripe.events.list({ limit: 100 }).autoPagingToArray({ limit: 10_000 })
    expect(new Set(ids(listed)).size).toBe(10_000)
    expect(sandbox.requests.length).toBeLessThanOrEqual(1_000)
  })
})
