import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type Stripe from 'stripe'
import type { PaymentSandbox } from '../../sources.js'
import { SandboxStage } from './support/sandbox-stage.js'

type Flow = Stripe.BillingPortal.SessionCreateParams.FlowData

let stage: SandboxStage
let sandbox: PaymentSandbox
let stripe: Stripe
let customer: string
let subscription: Stripe.Subscription

beforeEach(async () => {
  stage = await SandboxStage.withoutWebhook()
  sandbox = stage.sandbox
  stripe = stage.stripe
  subscription = await stage.subscribe()
  customer = subscription.customer as string
})

afterEach(() => stage.close())

function portal(flow_data?: Flow): Promise<Stripe.BillingPortal.Session> {
  return stripe.billingPortal.sessions.create({
    customer,
    return_url: 'https://main.example/billing',
    flow_data,
  })
}

function confirmFlow(): Flow {
  const items = [{ id: subscription.items.data[0]!.id, price: 'price_large', quantity: 2 }]
  return {
    type: 'subscription_update_confirm',
    subscription_update_confirm: { subscription: subscription.id, items },
  }
}

async function page(url: string): Promise<string> {
  return (await fetch(url)).text()
}

function click(url: string, action: string, fields: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/${action}`, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
}

function now(): Promise<Stripe.Subscription> {
  return stripe.subscriptions.retrieve(subscription.id)
}

describe('A session', () => {
  it('is as Stripe makes it', async () => {
    const session = await portal(confirmFlow())
    expect(session).toMatchObject({
      object: 'billing_portal.session',
      customer,
      livemode: false,
      return_url: 'https://main.example/billing',
      url: `${sandbox.url}/portal/${session.id}`,
      flow: {
        type: 'subscription_update_confirm',
        after_completion: { type: 'portal_homepage', redirect: null },
        subscription_cancel: null,
        subscription_update_confirm: {
          subscription: subscription.id,
          items: [{ price: 'price_large', quantity: 2 }],
        },
      },
    })
    expect((await portal()).flow).toBeNull()
  })

  it.each<[string, object, string]>([
    ['no customer', { customer: undefined }, 'customer'],
    ['an unknown customer', { customer: 'cus_x' }, 'customer'],
    ['a script as URL', { return_url: 'javascript:alert(1)' }, 'return_url'],
    ['an unknown flow', { flow_data: { type: 'x' } }, 'flow_data[type]'],
    [
      'a redirect to nowhere',
      { flow_data: { type: 'payment_method_update', after_completion: { type: 'redirect' } } },
      'flow_data[after_completion][redirect][return_url]',
    ],
  ])('is refused: %s', async (_, change, param) => {
    const refused = stripe.billingPortal.sessions.create({ customer, ...change })
    await expect(refused).rejects.toMatchObject({ statusCode: 400, param })
  })

  it("is refused about somebody else's subscription", async () => {
    const other = await stage.subscribe()
    const refused = portal({
      type: 'subscription_cancel',
      subscription_cancel: { subscription: other.id },
    })
    const param = 'flow_data[subscription_cancel][subscription]'
    await expect(refused).rejects.toMatchObject({ statusCode: 400, code: 'resource_missing', param })
  })
})

describe('The home page', () => {
  it('shows subscription and invoices, cancels and resumes', async () => {
    const { url } = await portal()
    expect(await page(url)).toMatch(/Small.*active.*Renews on.*Cancel at period end.*paid.*\$10\.00.*Back/s)
    const about = { subscription: subscription.id }
    const answer = await click(url, 'cancel', about)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, url])
    expect(await now()).toMatchObject({
      status: 'active',
      cancel_at: expect.any(Number),
      cancel_at_period_end: false,
    })
    expect(await page(url)).toMatch(/Ends on.*Resume subscription/s)
    const events = sandbox.events().length
    await click(url, 'cancel', about)
    expect(sandbox.events()).toHaveLength(events)
    await click(url, 'resume', about)
    expect(await now()).toMatchObject({ cancel_at_period_end: false })
  })

  it('shows an invoice line by line, and only its own', async () => {
    const { url } = await portal()
    const [invoice] = (await stripe.invoices.list({ customer })).data
    expect(await page(url)).toContain(
      `href="/portal/${new URL(url).pathname.split('/').at(-1)}/${invoice!.id}"`,
    )
    expect(await page(`${url}/${invoice!.id}`)).toMatch(
      /Invoice SANDBOX-.*Monthly subscription.*Total.*\$10\.00.*Amount due.*\$0\.00/s,
    )
    await stage.subscribe()
    const [others] = (await stripe.invoices.list()).data
    const statuses = [`${url}/${others!.id}`, `${url}/in_x`].map(async each => (await fetch(each)).status)
    expect(await Promise.all(statuses)).toEqual([404, 404])
  })

  it('pays an open invoice once', async () => {
    await sandbox.simulate.failPayment(subscription.id)
    const { url } = await portal()
    expect(await page(url)).toMatch(/past due.*open.*Pay \$10\.00/s)
    const [invoice] = (await stripe.invoices.list({ customer, status: 'open' })).data
    await click(url, 'pay', { invoice: invoice!.id })
    await click(url, 'pay', { invoice: invoice!.id })
    expect(await now()).toMatchObject({ status: 'active' })
    expect(sandbox.events().filter(({ type }) => type === 'invoice.paid')).toHaveLength(2)
  })

  it("does nothing to somebody else's subscription", async () => {
    const other = await stage.subscribe()
    const { url } = await portal()
    expect(await page(url)).not.toContain(other.id)
    await click(url, 'cancel', { subscription: other.id })
    expect(await stripe.subscriptions.retrieve(other.id)).toMatchObject({ cancel_at_period_end: false })
  })

  it('is gone with its customer, and unknown ones are 404', async () => {
    const { url } = await portal()
    await sandbox.simulate.deleteCustomer(customer)
    const urls = [url, `${sandbox.url}/portal/bps_x`, `${sandbox.url}/portal`]
    expect(await Promise.all(urls.map(async each => (await fetch(each)).status))).toEqual([410, 404, 404])
  })
})

describe('A flow', () => {
  it('confirms a change once', async () => {
    const { url } = await portal(confirmFlow())
    expect(await page(url)).toMatch(/Confirm the change.*Small.*Large × 2.*\$40\.00/s)
    expect((await click(url, 'cancel', { subscription: subscription.id })).status).toBe(404)
    const clicks = [await click(url, 'confirm'), await click(url, 'confirm')]
    expect(clicks.map(({ headers }) => headers.get('location'))).toEqual([url, url])
    expect((await now()).items.data[0]).toMatchObject({ price: { id: 'price_large' }, quantity: 2 })
    const { data } = await stripe.invoices.list({ customer })
    expect(data.map(({ total }) => total)).toEqual([3000, 1000])
    expect(await page(url)).toContain('Your billing')
  })

  it('leads where it was told to', async () => {
    const redirect = { return_url: 'https://main.example/changed' }
    const { url } = await portal({ ...confirmFlow(), after_completion: { type: 'redirect', redirect } })
    expect((await click(url, 'confirm')).headers.get('location')).toBe(redirect.return_url)
  })

  it('cancels, with a word at the end', async () => {
    const { url } = await portal({
      type: 'subscription_cancel',
      subscription_cancel: { subscription: subscription.id },
      after_completion: { type: 'hosted_confirmation', hosted_confirmation: { custom_message: 'Farewell' } },
    })
    expect(await page(url)).toContain('Cancel your subscription')
    await click(url, 'cancel', { subscription: subscription.id })
    expect(await now()).toMatchObject({ cancel_at: expect.any(Number), cancel_at_period_end: false })
    expect(await page(url)).toContain('Farewell')
  })

  it('changes plan and quantity', async () => {
    const { url } = await portal({
      type: 'subscription_update',
      subscription_update: { subscription: subscription.id },
    })
    expect(await page(url)).toMatch(/value="price_small" checked>.*value="price_large">/s)
    const fields = { subscription: subscription.id, item: subscription.items.data[0]!.id }
    await click(url, 'update', { ...fields, price: 'price_large', quantity: '4' })
    expect((await now()).items.data[0]).toMatchObject({ price: { id: 'price_large' }, quantity: 4 })
  })

  it('changes nothing of a subscription with several items', async () => {
    await sandbox.simulate.addItem(subscription.id, 'price_large')
    const param = 'flow_data[subscription_update_confirm][subscription]'
    await expect(portal(confirmFlow())).rejects.toMatchObject({ statusCode: 400, param })
    expect((await portal()).flow).toBeNull()
  })

  it('saves a payment method', async () => {
    const { url } = await portal({ type: 'payment_method_update' })
    expect(await page(url)).toContain('Update your payment method')
    await click(url, 'method')
    const { invoice_settings } = (await stripe.customers.retrieve(customer)) as Stripe.Customer
    expect(invoice_settings.default_payment_method).toMatch(/^pm_/)
    expect(sandbox.events().at(-1)).toMatchObject({ type: 'customer.updated' })
  })

  it('shows the home page when its subscription has ended', async () => {
    const { url } = await portal(confirmFlow())
    await sandbox.simulate.cancel(subscription.id)
    expect(await page(url)).toMatch(/Your billing.*Ended on/s)
    expect((await click(url, 'confirm')).status).toBe(303)
    expect(await now()).toMatchObject({ status: 'canceled' })
  })
})
