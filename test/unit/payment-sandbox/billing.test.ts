import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type Stripe from 'stripe'
import { nowSeconds, type PaymentSandbox } from '../../sources.js'
import { type CheckoutTerms, SandboxStage } from './support/sandbox-stage.js'

let stage: SandboxStage
let sandbox: PaymentSandbox
let stripe: Stripe

beforeEach(async () => {
  stage = await SandboxStage.withoutWebhook()
  sandbox = stage.sandbox
  stripe = stage.stripe
})

afterEach(() => stage.close())

async function latestInvoice(id: string): Promise<Stripe.Invoice> {
  const { latest_invoice } = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
  return latest_invoice as Stripe.Invoice
}

describe('Invoices', () => {
  it('are kept, found and listed', async () => {
    const { customer, latest_invoice, id } = await stage.subscribe()
    await stage.subscribe()
    const invoice = await stripe.invoices.retrieve(latest_invoice as string)
    expect(invoice).toMatchObject({
      object: 'invoice',
      customer,
      status: 'paid',
      total: 1000,
      amount_paid: 1000,
      billing_reason: 'subscription_create',
      parent: { subscription_details: { subscription: id } },
    })
    expect(invoice.lines.data[0]).toMatchObject({ amount: 1000, quantity: 1 })
    const { data } = await stripe.invoices.list({ customer: customer as string })
    expect(data.map(each => each.id)).toEqual([invoice.id])
    expect((await stripe.invoices.list({ subscription: id, status: 'open' })).data).toEqual([])
    const missing = { statusCode: 404, code: 'resource_missing' }
    await expect(stripe.invoices.retrieve('in_x')).rejects.toMatchObject(missing)
    await stripe.customers.del(customer as string)
    expect((await stripe.invoices.list({ customer: customer as string })).data).toHaveLength(1)
    const unknown = { statusCode: 400, code: 'resource_missing', param: 'customer' }
    await expect(stripe.invoices.list({ customer: 'cus_x' })).rejects.toMatchObject(unknown)
  })
})

describe('A renewal', () => {
  it('that fails twice leaves one open invoice, and recovers', async () => {
    const { id } = await stage.subscribe()
    expect(await stage.eventTypes(() => sandbox.simulate.failPayment(id))).toEqual([
      'invoice.payment_failed',
      'customer.subscription.updated',
    ])
    expect(sandbox.events().at(-1)!.data).toMatchObject({
      object: { status: 'past_due' },
      previous_attributes: { status: 'active' },
    })
    expect(await stage.eventTypes(() => sandbox.simulate.failPayment(id))).toEqual(['invoice.payment_failed'])
    const open = {
      status: 'open',
      attempt_count: 2,
      amount_remaining: 1000,
      billing_reason: 'subscription_cycle',
    }
    expect(await latestInvoice(id)).toMatchObject(open)
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'past_due' })
    expect(await stage.eventTypes(() => sandbox.simulate.recoverPayment(id))).toEqual([
      'invoice.paid',
      'customer.subscription.updated',
    ])
    expect(await latestInvoice(id)).toMatchObject({ status: 'paid', amount_paid: 1000, amount_remaining: 0 })
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'active' })
    await expect(sandbox.simulate.recoverPayment(id)).rejects.toThrow('no open invoice')
  })

  it('that is paid while a later one is due leaves the subscription as it is', async () => {
    const { id } = await stage.subscribe()
    await sandbox.simulate.failPayment(id)
    await sandbox.simulate.changeSubscription(id, { status: 'unpaid', items: [{ current_period_end: 1 }] })
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'unpaid' })
    expect(await latestInvoice(id)).toMatchObject({ status: 'draft', amount_due: 1000 })
    expect(await stage.eventTypes(() => sandbox.simulate.recoverPayment(id))).toEqual(['invoice.paid'])
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'unpaid' })
  })

  it('that is due is forgotten when an invoice for a change is paid', async () => {
    const { id, items } = await stage.subscribe()
    await sandbox.simulate.failPayment(id)
    const [item] = items.data
    await stripe.subscriptions.update(id, {
      items: [{ id: item!.id, quantity: 2 }],
      proration_behavior: 'always_invoice',
    })
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'active' })
    expect((await stripe.invoices.list({ subscription: id, status: 'open' })).data).toHaveLength(1)
  })

  it('may need the customer', async () => {
    const { id } = await stage.subscribe()
    expect(await stage.eventTypes(() => sandbox.simulate.requireAction(id))).toEqual([
      'invoice.payment_action_required',
      'customer.subscription.updated',
    ])
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'past_due' })
  })

  it('that fails ends a trial with a bill', async () => {
    const { id } = await stage.subscribe({ subscription_data: { trial_period_days: 7 } })
    await sandbox.simulate.failPayment(id)
    expect(await latestInvoice(id)).toMatchObject({ status: 'open', amount_due: 1000 })
  })

  it('does not come after the end', async () => {
    const { id } = await stage.subscribe()
    await sandbox.simulate.cancel(id)
    await expect(sandbox.simulate.failPayment(id)).rejects.toThrow('has ended')
  })
})

describe('Refunds and disputes', () => {
  it('refunds in parts', async () => {
    const { id, customer } = await stage.subscribe()
    expect(await stage.eventTypes(() => sandbox.simulate.refund(id, 400))).toEqual(['charge.refunded'])
    const charge = sandbox.events().at(-1)!.data.object as Stripe.Charge
    expect(charge).toMatchObject({ customer, amount: 1000, amount_refunded: 400, refunded: false })
    await sandbox.simulate.refund(id)
    expect(await stripe.charges.retrieve(charge.id)).toMatchObject({ amount_refunded: 1000, refunded: true })
    await expect(sandbox.simulate.refund(id)).rejects.toThrow('Only 0 cents')
  })

  it('refunds no more than is left, and nothing that is disputed', async () => {
    const { id } = await stage.subscribe()
    const disputeId = await sandbox.simulate.dispute(id)
    const { payment_intent } = await stripe.disputes.retrieve(disputeId)
    const refund = (amount?: number) =>
      stripe.refunds.create({ payment_intent: payment_intent as string, amount })
    const disputed = { statusCode: 400, code: 'charge_disputed' }
    await expect(refund()).rejects.toMatchObject(disputed)
    await sandbox.simulate.closeDispute(disputeId, 'won')
    await expect(refund(1_001)).rejects.toMatchObject({ statusCode: 400, param: 'amount' })
    expect(await refund()).toMatchObject({ amount: 1_000 })
    await expect(refund()).rejects.toMatchObject({ statusCode: 400, code: 'charge_already_refunded' })
  })

  it.each(['won', 'lost'] as const)('a dispute is %s', async outcome => {
    const { id, customer, latest_invoice } = await stage.subscribe()
    const disputeId = await sandbox.simulate.dispute(id)
    expect(sandbox.events().at(-1)).toMatchObject({ type: 'charge.dispute.created' })
    const dispute = await stripe.disputes.retrieve(disputeId, { expand: ['charge'] })
    expect(dispute).toMatchObject({ status: 'needs_response', charge: { customer, disputed: true } })
    const payment = { type: 'payment_intent' as const, payment_intent: dispute.payment_intent as string }
    const { data } = await stripe.invoicePayments.list({ payment })
    expect(data.map(({ invoice }) => invoice)).toEqual([latest_invoice])
    await expect(sandbox.simulate.dispute(id)).rejects.toThrow('already been disputed')
    expect(await stage.eventTypes(() => sandbox.simulate.closeDispute(disputeId, outcome))).toEqual([
      'charge.dispute.closed',
    ])
    expect(await stripe.disputes.retrieve(disputeId)).toMatchObject({ status: outcome })
    await expect(sandbox.simulate.closeDispute(disputeId, 'won')).rejects.toThrow(outcome)
  })

  it('need a payment', async () => {
    const { id } = await stage.subscribe({ subscription_data: { trial_period_days: 7 } })
    await expect(sandbox.simulate.refund(id)).rejects.toThrow('Nothing was paid')
    await expect(stripe.charges.retrieve('ch_x')).rejects.toMatchObject({ statusCode: 404 })
  })
})

describe('A payment that takes days', () => {
  it('is seen in the payment of its invoice, as it stands', async () => {
    const { id } = await stage.openCheckout()
    expect(await stage.eventTypes(() => sandbox.simulate.payUnconfirmed(id))).toEqual([
      'checkout.session.completed',
      'customer.subscription.created',
      'invoice.payment_action_required',
    ])
    const made = await stripe.checkout.sessions.retrieve(id)
    expect(made).toMatchObject({ status: 'complete', payment_status: 'unpaid' })
    const invoice = made.invoice as string
    const seen = async (status?: 'open' | 'paid' | 'canceled') => {
      const expand = ['data.payment.payment_intent', 'data.invoice']
      const { data } = await stripe.invoicePayments.list({ invoice, status, expand })
      return data.map(({ status, payment, invoice }) => [
        status,
        (payment.payment_intent as Stripe.PaymentIntent).status,
        (invoice as Stripe.Invoice).hosted_invoice_url,
      ])
    }
    const page = `${sandbox.url}/invoice/${invoice}`
    expect(await seen()).toEqual([['open', 'requires_action', page]])
    await sandbox.simulate.failPayment(made.subscription as string)
    expect(await seen('open')).toEqual([['open', 'requires_payment_method', page]])
    expect(await (await fetch(page)).text()).toContain('/pay"')
    await fetch(`${page}/pay`, { method: 'POST' })
    expect(await seen()).toEqual([['paid', 'succeeded', page]])
    expect(await seen('open')).toEqual([])
    expect(await (await fetch(page)).text()).not.toContain('/pay"')
    expect(await stripe.subscriptions.retrieve(made.subscription as string)).toMatchObject({
      status: 'active',
    })
    const later = await stage.openCheckout()
    await sandbox.simulate.payByBankDebit(later.id)
    const { invoice: open } = await stripe.checkout.sessions.retrieve(later.id)
    const list = (params: object) => stripe.invoicePayments.list({ invoice: open as string, ...params })
    const { data } = await list({ expand: ['data.payment.payment_intent'] })
    expect(data).toMatchObject([{ amount_paid: null, payment: { payment_intent: { status: 'processing' } } }])
    await expect(stripe.invoices.voidInvoice(open as string)).rejects.toMatchObject({ statusCode: 400 })
    expect((await list({})).data).toMatchObject([{ status: 'open' }])
    await sandbox.simulate.settleBankDebit(later.id, 'failed')
    await stripe.invoices.voidInvoice(open as string)
    expect((await list({})).data).toMatchObject([{ status: 'canceled' }])
    const refused = { statusCode: 400, code: 'parameter_invalid' }
    await expect(list({ expand: ['data.payment_intent'] })).rejects.toMatchObject(refused)
    await expect(list({ expand: ['payment.payment_intent'] })).rejects.toMatchObject(refused)
    await expect(list({ status: 'void' })).rejects.toMatchObject(refused)
  })

  it('succeeds', async () => {
    const { id } = await stage.openCheckout()
    expect(await stage.eventTypes(() => sandbox.simulate.payByBankDebit(id))).toEqual([
      'checkout.session.completed',
      'customer.subscription.created',
    ])
    const waiting = await stripe.checkout.sessions.retrieve(id, { expand: ['subscription', 'invoice'] })
    expect(waiting).toMatchObject({
      status: 'complete',
      payment_status: 'unpaid',
      subscription: { status: 'incomplete' },
      invoice: { status: 'open' },
    })
    expect(await stage.eventTypes(() => sandbox.simulate.settleBankDebit(id, 'succeeded'))).toEqual([
      'checkout.session.async_payment_succeeded',
      'customer.subscription.updated',
      'invoice.paid',
    ])
    expect(
      await stripe.checkout.sessions.retrieve(id, { expand: ['subscription', 'invoice'] }),
    ).toMatchObject({
      payment_status: 'paid',
      subscription: { status: 'active' },
      invoice: { status: 'paid' },
    })
    await expect(sandbox.simulate.settleBankDebit(id, 'failed')).rejects.toThrow('no pending payment')
  })

  it('fails', async () => {
    const { id } = await stage.openCheckout()
    await sandbox.simulate.payByBankDebit(id)
    expect(await stage.eventTypes(() => sandbox.simulate.settleBankDebit(id, 'failed'))).toEqual([
      'checkout.session.async_payment_failed',
      'invoice.payment_failed',
    ])
    expect(await stripe.checkout.sessions.retrieve(id, { expand: ['subscription'] })).toMatchObject({
      payment_status: 'unpaid',
      subscription: { status: 'incomplete' },
    })
  })

  it('is the only one of its invoice while it is on its way, and none is left afterwards', async () => {
    const { id } = await stage.openCheckout()
    await sandbox.simulate.payByBankDebit(id)
    const made = await stripe.checkout.sessions.retrieve(id)
    const [subscription, invoice] = [made.subscription as string, made.invoice as string]
    await expect(sandbox.simulate.recoverPayment(subscription)).rejects.toThrow('on its way')
    const page = `${sandbox.url}/invoice/${invoice}`
    expect(await (await fetch(page)).text()).not.toContain('/pay"')
    await fetch(`${page}/pay`, { method: 'POST' })
    expect(await stripe.invoices.retrieve(invoice)).toMatchObject({ status: 'open' })
    await expect(sandbox.simulate.confirmBankDebit(id)).rejects.toThrow('to be confirmed')
    await sandbox.simulate.settleBankDebit(id, 'failed')
    await sandbox.simulate.recoverPayment(subscription)
    for (const outcome of ['succeeded', 'failed'] as const)
      await expect(sandbox.simulate.settleBankDebit(id, outcome)).rejects.toThrow('no pending payment')
    const paid = sandbox.events().filter(({ type }) => type === 'invoice.paid')
    expect(paid.filter(({ data }) => (data.object as Stripe.Invoice).id === invoice)).toHaveLength(1)
  })

  it('begins when the customer has confirmed it', async () => {
    const { id } = await stage.openCheckout()
    await sandbox.simulate.payUnconfirmed(id)
    expect(await stage.eventTypes(() => sandbox.simulate.confirmBankDebit(id))).toEqual([
      'payment_intent.processing',
    ])
    await sandbox.simulate.settleBankDebit(id, 'succeeded')
    expect(await stripe.checkout.sessions.retrieve(id)).toMatchObject({ payment_status: 'paid' })
  })

  it('and never comes ends its subscription for good', async () => {
    const { id: checkoutId, customer } = await stage.openCheckout()
    await sandbox.simulate.payByBankDebit(checkoutId)
    const { subscription } = await stripe.checkout.sessions.retrieve(checkoutId)
    const id = subscription as string
    await sandbox.simulate.expireFirstPayment(id)
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'incomplete_expired' })
    await expect(stripe.subscriptions.cancel(id)).rejects.toMatchObject({ code: 'resource_missing' })
    await expect(stripe.subscriptions.update(id, { cancel_at_period_end: true })).rejects.toMatchObject({
      statusCode: 400,
    })
    expect(await stripe.customers.del(customer as string)).toMatchObject({ deleted: true })
  })
})

describe('Other checkouts', () => {
  const line = { price_data: { currency: 'usd', unit_amount: 700, product: 'prod_x' }, quantity: 2 }

  it('pays once, without a subscription', async () => {
    const { id, amount_total } = await stage.openCheckout({ mode: 'payment', line_items: [line] })
    expect(amount_total).toBe(1400)
    expect(await stage.eventTypes(() => sandbox.simulate.pay(id))).toEqual(['checkout.session.completed'])
    expect(await stripe.checkout.sessions.retrieve(id)).toMatchObject({
      mode: 'payment',
      payment_status: 'paid',
      subscription: null,
      invoice: null,
      payment_intent: expect.stringMatching(/^pi_/),
    })
  })

  it('pays once, later', async () => {
    const { id } = await stage.openCheckout({ mode: 'payment', line_items: [line] })
    await sandbox.simulate.payByBankDebit(id)
    expect(await stage.eventTypes(() => sandbox.simulate.settleBankDebit(id, 'succeeded'))).toEqual([
      'checkout.session.async_payment_succeeded',
    ])
  })

  it('saves a payment method only', async () => {
    const { id, amount_total, url } = await stage.openCheckout({
      mode: 'setup',
      line_items: undefined,
      currency: 'usd',
    })
    expect(amount_total).toBeNull()
    expect(await (await fetch(url!)).text()).toContain('Save a payment method')
    await expect(sandbox.simulate.payByBankDebit(id)).rejects.toThrow('No payment is due')
    expect(await stage.eventTypes(() => sandbox.simulate.pay(id))).toEqual(['checkout.session.completed'])
    expect(await stripe.checkout.sessions.retrieve(id)).toMatchObject({
      mode: 'setup',
      payment_status: 'no_payment_required',
      subscription: null,
      setup_intent: expect.stringMatching(/^seti_/),
    })
  })

  it.each([
    ['unknown mode', { mode: 'gift' }, 'mode'],
    ['lines in a setup', { mode: 'setup' }, 'line_items'],
    ['a monthly price in a payment', { mode: 'payment' }, 'line_items[0][price_data][unit_amount]'],
  ])('refuses: %s', async (_, terms, param) => {
    await expect(stage.openCheckout(terms as CheckoutTerms)).rejects.toMatchObject({ statusCode: 400, param })
  })
})

describe('Customers', () => {
  it('have one currency while they have a subscription or could buy one', async () => {
    await stage.start(undefined, ['price_small', 'price_eur'])
    const { stripe } = stage
    const { id: customer } = await stripe.customers.create({})
    const open = (price: string) => stage.openCheckout({ customer, line_items: [{ price, quantity: 1 }] })
    const refusal = { statusCode: 400, message: expect.stringContaining('You cannot combine currencies') }
    const page = await open('price_small')
    await expect(open('price_eur')).rejects.toMatchObject(refusal)
    await stage.sandbox.simulate.pay(page.id)
    await expect(open('price_eur')).rejects.toMatchObject(refusal)
    const [subscription] = stage.sandbox.subscriptions()
    const items = [{ id: subscription!.items.data[0]!.id, price: 'price_eur' }]
    const flow_data = {
      type: 'subscription_update_confirm' as const,
      subscription_update_confirm: { subscription: subscription!.id, items },
    }
    const otherWords = {
      statusCode: 400,
      message: expect.stringContaining("doesn't match the expected currency"),
    }
    await expect(stripe.billingPortal.sessions.create({ customer, flow_data })).rejects.toMatchObject(
      otherWords,
    )
    expect((await stripe.customers.retrieve(customer)) as Stripe.Customer).toMatchObject({ currency: 'usd' })
    const price = await stripe.prices.retrieve('price_eur', { expand: ['currency_options'] })
    expect(price).toMatchObject({ currency: 'eur', currency_options: { eur: { unit_amount: 2000 } } })
    expect(await stripe.prices.retrieve('price_eur')).not.toHaveProperty('currency_options')
    await stage.sandbox.simulate.cancel(subscription!.id)
    expect(await open('price_eur')).toMatchObject({ currency: 'eur' })
  })

  it('are listed, newest first, by address and time', async () => {
    const since = nowSeconds()
    const made = []
    for (const name of ['a', 'b', 'c'])
      made.push(await stripe.customers.create({ email: `${name}@example.com` }))
    const ids = made.map(({ id }) => id).reverse()
    const all = await stripe.customers.list({ limit: 2 }).autoPagingToArray({ limit: 10 })
    expect(all.map(({ id }) => id)).toEqual(ids)
    expect((await stripe.customers.list({ email: 'b@example.com' })).data).toHaveLength(1)
    expect((await stripe.customers.list({ created: { gte: since } })).data).toHaveLength(3)
    expect((await stripe.customers.list({ created: { lt: since } })).data).toEqual([])
  })

  it.each(['API', 'sandbox'])('are deleted with what they have, through the %s', async through => {
    const { id, customer } = await stage.subscribe()
    const { id: checkoutId } = await stripe.checkout.sessions.create({
      mode: 'subscription',
      customer: customer as string,
      line_items: [{ price: 'price_small' }],
      success_url: 'https://main.example/done',
    })
    const remove = () =>
      through === 'API'
        ? stripe.customers.del(customer as string)
        : sandbox.simulate.deleteCustomer(customer as string)
    expect(await stage.eventTypes(remove)).toEqual([
      'customer.subscription.deleted',
      'checkout.session.expired',
      'customer.deleted',
    ])
    expect(sandbox.events().at(-1)!.data.object).toMatchObject({ id: customer, email: 'owner@example.com' })
    expect(await stripe.customers.retrieve(customer as string)).toMatchObject({ id: customer, deleted: true })
    const { status, customer: left } = await stripe.subscriptions.retrieve(id, { expand: ['customer'] })
    expect([status, left]).toEqual(['canceled', { id: customer, object: 'customer', deleted: true }])
    expect(await stripe.checkout.sessions.retrieve(checkoutId)).toMatchObject({ status: 'expired' })
    expect((await stripe.customers.list()).data).toEqual([])
    await expect(stripe.customers.del(customer as string)).rejects.toMatchObject({ statusCode: 404 })
    await expect(stage.openCheckout({ customer: customer as string })).rejects.toMatchObject({
      code: 'resource_missing',
    })
  })
})
