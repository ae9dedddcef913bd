import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type Stripe from 'stripe'
import { clickOnPage, SandboxStage } from './support/sandbox-stage.js'

let stage: SandboxStage

beforeEach(async () => {
  stage = await SandboxStage.open()
})

afterEach(() => stage.close())

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
