import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals'
import { PaymentSandbox } from '../../sources.js'
import { ProviderTypes } from '../../support/provider-types.js'

const KEY = 'sk_test_for_the_sandbox'

let sandbox: PaymentSandbox
let types: ProviderTypes

beforeAll(async () => {
  types = ProviderTypes.load()
  sandbox = await PaymentSandbox.start({
    port: 0,
    secretKey: KEY,
    webhookUrl: 'http://127.0.0.1:9/nobody',
    webhookSecret: 'whsec_for_the_sandbox',
    priceIds: ['price_monthly', 'price_yearly', 'price_monthly_eur'],
  })
  await everythingHappens()
})

afterEach(() => {
  jest.restoreAllMocks()
})
afterAll(() => sandbox.stop())

/** As it goes over the wire: the package would turn decimals into objects. */
// biome-ignore lint/suspicious/noExplicitAny: JSON of every kind.
async function call(path: string, fields?: Record<string, string>): Promise<any> {
  const answer = await fetch(`${sandbox.url}/v1/${path}`, {
    headers: { Authorization: `Bearer ${KEY}` },
    ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
  })
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
  return answer.json()
}

async function checkout(fields: Record<string, string> = {}): Promise<string> {
  const { id: customer } = await call('customers', { email: 'owner@example.com' })
  const { id } = await call('checkout/sessions', {
    mode: 'subscription',
    customer,
    'line_items[0][price]': 'price_monthly',
    success_url: 'https://main.example/',
    ...fields,
  })
  return id
}

async function subscribed(fields: Record<string, string> = {}): Promise<string> {
  const id = await checkout(fields)
  await sandbox.simulate.pay(id)
  return (await call(`checkout/sessions/${id}`)).subscription
}

/** One of each of the lives that a subscription can have. */
async function everythingHappens(): Promise<void> {
  const plain = await subscribed({ 'line_items[1][price]': 'price_yearly' })
  await sandbox.simulate.failPayment(plain)
  await sandbox.simulate.recoverPayment(plain)
  await sandbox.simulate.refund(plain, 100)
  await sandbox.simulate.dispute(plain)
  const { customer, items } = await call(`subscriptions/${plain}`)
  await call(`subscriptions/${plain}`, {
    'items[0][id]': items.data[0].id,
    'items[0][quantity]': '4',
    proration_behavior: 'always_invoice',
  })
  const portal = await call('billing_portal/sessions', { customer, return_url: 'https://main.example/' })
  await fetch(`${portal.url}/cancel`, { method: 'POST', body: new URLSearchParams({ subscription: plain }) })
  const trial = await subscribed({ 'subscription_data[trial_period_days]': '7' })
  await sandbox.simulate.endTrialSoon(trial)
  await sandbox.simulate.cancel(trial)
  const classic = await subscribed({ 'subscription_data[billing_mode][type]': 'classic' })
  await sandbox.simulate.changeSubscription(classic, { cancel_at_period_end: true })
  await sandbox.simulate.deleteCustomer((await call(`subscriptions/${classic}`)).customer)
  await subscribed({ 'line_items[0][price]': 'price_monthly_eur' })
  const later = await checkout()
  await sandbox.simulate.payByBankDebit(later)
  await sandbox.simulate.settleBankDebit(later, 'failed')
  await sandbox.simulate.settleBankDebit(later, 'succeeded')
  const unconfirmed = await checkout()
  await sandbox.simulate.payUnconfirmed(unconfirmed)
  await sandbox.simulate.confirmBankDebit(unconfirmed)
  const declined = await checkout()
  await sandbox.simulate.declineCard(declined)
  await sandbox.simulate.expire(declined)
  await sandbox.simulate.declineCard(await checkout({ 'subscription_data[trial_period_days]': '7' }))
}

/** The events that this causes. */
async function eventsOf(happens: () => Promise<unknown>) {
  const before = sandbox.events().length
  await happens()
  return sandbox.events(before)
}

describe('What the sandbox sends is what the types of the provider’s package say', () => {
  it.each([
    ['customers'],
    ['checkout/sessions'],
    ['checkout/sessions?expand[]=data.subscription&expand[]=data.invoice&expand[]=data.customer'],
    ['subscriptions?status=all'],
    ['subscriptions?status=all&expand[]=data.latest_invoice&expand[]=data.customer'],
    ['invoices'],
  ])('in a list of %s', async path => {
    const { data } = await call(`${path}${path.includes('?') ? '&' : '?'}limit=100`)
    expect(data.length).toBeGreaterThan(1)
    expect(data.flatMap((object: { object: string }) => types.faultsOf(object))).toEqual([])
  })

  it('in single objects', async () => {
    const [{ id: invoice }] = (await call('invoices?status=paid')).data
    const payments = 'invoice_payments?expand[]=data.payment.payment_intent&expand[]=data.invoice'
    const [{ id: unpaid }] = (await call('invoices?status=open')).data
    const [payment, waiting] = [
      ...(await call(`${payments}&invoice=${invoice}`)).data,
      ...(await call(`${payments}&invoice=${unpaid}`)).data,
    ]
    const [{ id: dispute }] = sandbox
      .events()
      .filter(({ type }) => type === 'charge.dispute.created')
      .map(({ data }) => data.object as { id: string }) as [{ id: string }]
    const [customer] = sandbox.customers()
    const objects = [
      payment,
      waiting,
      await call(`charges/${invoice.replace('in_', 'ch_')}`),
      await call(`disputes/${dispute}?expand[]=charge`),
      await call('prices/price_yearly?expand[]=product'),
      await call('products/prod_yearly'),
      await call('billing_portal/sessions', { customer: customer!.id }),
      ...(await call('billing_portal/configurations')).data,
      ...(await call('webhook_endpoints')).data,
    ]
    expect(objects).toHaveLength(9)
    expect(objects.flatMap(object => types.faultsOf(object))).toEqual([])
  })

  it('in every event', () => {
    const events = sandbox.events()
    expect(new Set(events.map(({ type }) => type)).size).toBeGreaterThan(24)
    expect(events.flatMap(({ data }) => types.faultsOf(data.object as { object: string }))).toEqual([])
  })

  it('billing sandbox: a checkout sends what it sends at the provider', async () => {
    const typesOf = async (happens: () => Promise<unknown>) =>
      (await eventsOf(happens)).map(({ type }) => type).sort()
    expect(await typesOf(() => subscribed())).toEqual([
      'charge.succeeded',
      'checkout.session.completed',
      'customer.created',
      'customer.subscription.created',
      'customer.updated',
      'invoice.created',
      'invoice.finalized',
      'invoice.paid',
      'invoice.payment_succeeded',
      'payment_intent.created',
      'payment_intent.succeeded',
      'payment_method.attached',
    ])
    expect(await typesOf(() => subscribed({ 'subscription_data[trial_period_days]': '7' }))).toEqual([
      'checkout.session.completed',
      'customer.created',
      'customer.subscription.created',
      'customer.updated',
      'invoice.created',
      'invoice.finalized',
      'invoice.paid',
      'invoice.payment_succeeded',
      'payment_method.attached',
      'setup_intent.created',
      'setup_intent.succeeded',
    ])
  })

  describe('billing sandbox: a declined card sends what it sends at the provider', () => {
    type Sent = { id: string; created: number; payment_method?: string | null }

    it('in a checkout, which has no subscription and no invoice yet: each attempt with the intent that is paid in the end', async () => {
      const id = await checkout()
      const events = await eventsOf(async () => {
        await sandbox.simulate.declineCard(id)
        await sandbox.simulate.declineCard(id)
      })
      expect(events.map(({ type }) => type)).toEqual([
        'payment_intent.created',
        ...['charge.failed', 'payment_intent.payment_failed'],
        ...['charge.failed', 'payment_intent.payment_failed'],
      ])
      const [intent, first, failed, second] = events.map(({ data }) => data.object as Sent)
      expect(failed).toMatchObject({
        id: intent!.id,
        amount_received: 0,
        last_payment_error: { code: 'card_declined', decline_code: 'generic_decline', charge: first!.id },
        latest_charge: first!.id,
        status: 'requires_payment_method',
      })
      expect(first).toMatchObject({
        ...{ amount_captured: 0, captured: false, failure_code: 'card_declined', paid: false },
        ...{ payment_intent: intent!.id, status: 'failed' },
      })
      // As Stripe sends it of its card 4000 0000 0000 0002.
      const network = { advice_code: 'try_again_later', network_decline_code: '01' }
      const card = { brand: 'visa', last4: '0002' }
      expect(failed).toMatchObject({
        last_payment_error: {
          ...network,
          doc_url: 'https://stripe.com/docs/error-codes/card-declined',
          payment_method: { id: first!.payment_method, card, customer: null },
        },
        payment_method: null,
      })
      expect(first).toMatchObject({
        billing_details: { email: 'owner@example.com' },
        outcome: { ...network, network_status: 'declined_by_network', type: 'issuer_declined' },
        payment_method: expect.stringMatching(/^pm_/),
        payment_method_details: { type: 'card', card },
      })
      expect(second!.id).not.toBe(first!.id)
      const open = { status: 'open', payment_status: 'unpaid', subscription: null, invoice: null }
      expect(await call(`checkout/sessions/${id}`)).toMatchObject(open)
      const paid = await eventsOf(() => sandbox.simulate.pay(id))
      expect(paid.map(({ type }) => type)).not.toContain('payment_intent.created')
      const succeeded = paid.find(({ type }) => type === 'payment_intent.succeeded')
      expect(succeeded?.data.object).toMatchObject({ id: intent!.id })
      await expect(sandbox.simulate.declineCard(id)).rejects.toThrow('complete')
    })

    it.each(['at once', 'by bank debit'])(
      'with an intent that is as old as its first attempt, paid %s',
      async how => {
        const id = await checkout()
        const now = Date.now()
        const clock = jest.spyOn(Date, 'now').mockReturnValue(now)
        const events = await eventsOf(async () => {
          await sandbox.simulate.declineCard(id)
          clock.mockReturnValue(now + 60_000)
          await sandbox.simulate.declineCard(id)
          clock.mockReturnValue(now + 120_000)
          if (how === 'at once') await sandbox.simulate.pay(id)
          else {
            await sandbox.simulate.payByBankDebit(id)
            clock.mockReturnValue(now + 180_000)
            await sandbox.simulate.settleBankDebit(id, 'succeeded')
          }
        })
        const intents = events.filter(({ type }) => type.startsWith('payment_intent.'))
        expect(intents.map(({ type }) => type.replace('payment_intent.', ''))).toEqual(
          how === 'at once'
            ? ['created', 'payment_failed', 'payment_failed', 'succeeded']
            : ['created', 'payment_failed', 'payment_failed', 'processing', 'succeeded'],
        )
        const created = intents.map(({ data }) => (data.object as Sent).created)
        expect(created).toEqual(created.map(() => Math.floor(now / 1000)))
      },
    )

    it('in a setup, and nothing where nothing is due and no card is saved', async () => {
      const { id: customer } = await call('customers', { email: 'owner@example.com' })
      const page = { customer, success_url: 'https://main.example/', currency: 'usd' }
      const { id: setup } = await call('checkout/sessions', { ...page, mode: 'setup' })
      const events = await eventsOf(() => sandbox.simulate.declineCard(setup))
      expect(events.map(({ type }) => type)).toEqual(['setup_intent.created', 'setup_intent.setup_failed'])
      const gift = {
        'line_items[0][price_data][currency]': 'usd',
        'line_items[0][price_data][unit_amount]': '0',
        'line_items[0][price_data][product_data][name]': 'Gift',
      }
      const { id, url } = await call('checkout/sessions', { ...page, ...gift, mode: 'payment' })
      expect(
        await eventsOf(() => expect(sandbox.simulate.declineCard(id)).rejects.toThrow('no card')),
      ).toEqual([])
      expect(await (await fetch(url)).text()).not.toContain('/decline')
    })

    it('at the start of a trial, when a card is only saved', async () => {
      const id = await checkout({ 'subscription_data[trial_period_days]': '7' })
      const events = await eventsOf(() => sandbox.simulate.declineCard(id))
      expect(events.map(({ type }) => type)).toEqual(['setup_intent.created', 'setup_intent.setup_failed'])
      expect(events[1]?.data.object).toMatchObject({
        last_setup_error: { code: 'card_declined', payment_method: { card: { last4: '0002' } } },
        status: 'requires_payment_method',
      })
    })

    it('at a renewal, attempt by attempt, until it is paid', async () => {
      const id = await subscribed()
      const events = await eventsOf(() => sandbox.simulate.failPayment(id))
      const failed = ['charge.failed', 'payment_intent.payment_failed', 'invoice.payment_failed']
      expect(events.map(({ type }) => type)).toEqual([
        ...['invoice.created', 'invoice.finalized', 'payment_intent.created'],
        ...failed,
        'customer.subscription.updated',
      ])
      const { customer, latest_invoice } = await call(`subscriptions/${id}`)
      expect(events.slice(0, 2).map(({ data }) => data.object)).toMatchObject([
        {
          id: latest_invoice,
          status: 'draft',
          attempted: false,
          attempt_count: 0,
          next_payment_attempt: null,
        },
        {
          id: latest_invoice,
          status: 'open',
          attempted: false,
          attempt_count: 0,
          next_payment_attempt: null,
        },
      ])
      const card = { customer, card: { last4: '0002' } }
      expect(events[4]?.data.object).toMatchObject({
        id: latest_invoice.replace('in_', 'pi_'),
        last_payment_error: { payment_method: card },
      })
      const again = await eventsOf(() => sandbox.simulate.failPayment(id))
      expect(again.map(({ type }) => type)).toEqual(failed)
      const recovered = await eventsOf(() => sandbox.simulate.recoverPayment(id))
      expect(recovered.map(({ type }) => type)).toEqual([
        ...['charge.succeeded', 'payment_intent.succeeded', 'invoice.payment_succeeded'],
        ...['invoice.paid', 'customer.subscription.updated'],
      ])
    })
  })

  it('billing sandbox: a renewal that is paid sends what it sends at the provider', async () => {
    const id = await subscribed()
    await sandbox.simulate.changeSubscription(id, { items: [{ current_period_end: 1 }] } as never)
    const events = await eventsOf(() => call(`subscriptions/${id}`))
    expect(events.map(({ type }) => type)).toEqual([
      ...['invoice.created', 'invoice.finalized', 'payment_intent.created'],
      ...['charge.succeeded', 'payment_intent.succeeded', 'invoice.payment_succeeded'],
      ...['customer.subscription.updated', 'invoice.paid'],
    ])
  })

  it('and a field that is missing, unknown or of another type would be noticed', () => {
    const [sent] = sandbox.subscriptions()
    const { latest_invoice: _, ...withoutOne } = sent!
    const { plan: __, ...itemWithoutPlan } = sent!.items.data[0]!
    const items = { ...sent!.items, data: [itemWithoutPlan] }
    expect(types.faultsOf(withoutOne)).toEqual(['subscription.latest_invoice is missing'])
    expect(types.faultsOf({ ...sent!, items } as never)).toEqual([
      'subscription.items.data[0].plan is missing',
    ])
    expect(types.faultsOf({ ...sent!, cancelAt: 1 } as never)).toEqual(['subscription.cancelAt is no field'])
    expect(types.faultsOf({ ...sent!, cancel_at: '1' } as never)).toHaveLength(1)
  })
})
