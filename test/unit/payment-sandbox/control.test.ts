import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type Stripe from 'stripe'
import type { PaymentSandbox } from '../../sources.js'
import { SandboxStage } from './support/sandbox-stage.js'

let stage: SandboxStage
let sandbox: PaymentSandbox
let stripe: Stripe
let customer: string

beforeEach(async () => {
  stage = await SandboxStage.withoutWebhook()
  sandbox = stage.sandbox
  stripe = stage.stripe
  customer = (await stripe.customers.create({ email: 'owner@example.com' })).id
})

afterEach(() => stage.close())

async function checkout(trialDays?: number): Promise<string> {
  const { id } = await stage.openCheckout(termsOf(trialDays))
  return id
}

async function subscribed(trialDays?: number): Promise<string> {
  const { id } = await stage.subscribe(termsOf(trialDays))
  return id
}

function termsOf(trialDays?: number) {
  return {
    customer,
    success_url: 'https://main.example/done',
    ...(trialDays && { subscription_data: { trial_period_days: trialDays } }),
  }
}

/** As a program asks. */
function control(path = '', fields: Record<string, string> = {}, headers: Record<string, string> = {}) {
  const body = new URLSearchParams(fields)
  return fetch(`${sandbox.url}/control${path}`, { method: 'POST', body, headers, redirect: 'manual' })
}

/** As the page in a browser asks. */
function click(path: string, fields: Record<string, string>) {
  return control(path, fields, { Accept: 'text/html', 'Sec-Fetch-Site': 'same-origin' })
}

async function page(path = '/'): Promise<string> {
  return (await fetch(`${sandbox.url}${path}`)).text()
}

describe('The control endpoint', () => {
  it('gives and sets what goes wrong', async () => {
    const settings = { fault: 'none', slowMs: 1000, delivery: 'normal', lateMs: 200 }
    expect(await (await fetch(`${sandbox.url}/control`)).json()).toEqual(settings)
    const answer = await control('', { fault: 'error-500', delivery: 'twice', lateMs: '50' })
    expect(await answer.json()).toEqual({ ...settings, fault: 'error-500', delivery: 'twice', lateMs: 50 })
    expect([sandbox.fault, sandbox.deliveryMode, sandbox.lateMs]).toEqual(['error-500', 'twice', 50])
  })

  it('sets nothing when one word or number is none', async () => {
    const answer = await control('', { fault: 'hang', lateMs: 'soon' })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { param: 'lateMs' } })
    expect((await control('', { delivery: 'never' })).status).toBe(400)
    expect(sandbox.fault).toBeNull()
  })

  it.each<[string, string, object]>([
    ['renewal-fails', 'invoice.payment_failed', { status: 'past_due' }],
    ['renewal-needs-action', 'invoice.payment_action_required', { status: 'past_due' }],
    ['paused', 'customer.subscription.paused', { status: 'paused' }],
    ['canceled', 'customer.subscription.deleted', { status: 'canceled' }],
    ['refunded', 'charge.refunded', { status: 'active' }],
    ['disputed', 'charge.dispute.created', { status: 'active' }],
  ])('simulates %s', async (simulation, event, state) => {
    const id = await subscribed()
    expect((await control(`/${simulation}`, { id })).status).toBe(200)
    expect(await stage.eventTypes()).toContain(event)
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject(state)
  })

  it('says what cannot happen', async () => {
    const id = await subscribed()
    expect((await control('/earthquake', { id })).status).toBe(404)
    expect((await control('/toString', { id })).status).toBe(404)
    expect((await control('/canceled', { id: 'sub_x' })).status).toBe(404)
    expect((await control('/canceled')).status).toBe(400)
    expect((await control('/trial-ends-soon', { id })).status).toBe(409)
    expect((await control('/payment-succeeds', { id: await checkout() })).status).toBe(409)
  })

  it('does nothing for a page of another site', async () => {
    const answer = await control('', { fault: 'hang' }, { 'Sec-Fetch-Site': 'cross-site' })
    expect([answer.status, sandbox.fault]).toEqual([403, null])
  })
})

describe('The page of the sandbox', () => {
  it('shows what there is and leads back after a click', async () => {
    expect(await page()).toContain('There are none yet.')
    const id = await subscribed()
    expect(await page()).toMatch(/Small.*active.*Renewal fails.*Customer deleted.*invoice\.paid/s)
    const answer = await click('/renewal-fails', { id })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${sandbox.url}/`])
    expect(await page()).toMatch(/past due.*Invoice paid/s)
    await click('', { fault: 'rate-limit', slowMs: '5', delivery: 'shuffled', lateMs: '7' })
    expect(await page()).toMatch(
      /value="rate-limit" selected.*value="5".*value="shuffled" selected.*value="7"/s,
    )
  })

  it('says why a click did nothing', async () => {
    const answer = await click('/trial-ends-soon', { id: await subscribed() })
    expect(answer.status).toBe(409)
    expect(await answer.text()).toMatch(/role="alert">.*is not on trial/)
  })

  it('pays by a bank debit, which arrives later', async () => {
    const id = await checkout()
    expect(await page(`/pay/${id}`)).toContain('bank debit')
    const answer = await fetch(`${sandbox.url}/pay/${id}/later`, { method: 'POST', redirect: 'manual' })
    expect(answer.headers.get('location')).toBe('https://main.example/done')
    expect(await stripe.checkout.sessions.retrieve(id)).toMatchObject({ payment_status: 'unpaid' })
    expect(await page()).toMatch(/Payment succeeds.*Payment fails/s)
    await click('/payment-succeeds', { id })
    expect(await stripe.checkout.sessions.retrieve(id)).toMatchObject({ payment_status: 'paid' })
    expect(await stage.eventTypes()).toContain('checkout.session.async_payment_succeeded')
  })
})
