import { describe, expect, it, jest } from '@jest/globals'
import Stripe from 'stripe'
import { Logger, type PaymentEvent } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { anOwner, signIn } from '../../support/people.js'
import { anApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { outcome } from '../support/api-calls.js'
import { anEvent, keptEvents, postEvent } from '../support/signed-event.js'
import {
  anotherSubscription,
  aSubscriber,
  creationOf,
  openCheckout,
  statusOf,
} from '../support/subscriber.js'

/** Most of what a real checkout sends. */
const CHANGES_NOTHING = [
  'charge.succeeded',
  'customer.created',
  'customer.updated',
  'invoice.created',
  'invoice.finalized',
  'invoice.payment_succeeded',
  'payment_intent.created',
  'payment_intent.succeeded',
  'payment_method.attached',
]

/** Of a second endpoint. */
const SECOND_SECRET = 'whsec_of_the_second_endpoint'

const app = anApp({
  STRIPE_WEBHOOK_SECRET: `whsec_payment_sandbox_only,${SECOND_SECRET}`,
})

describe('an event', () => {
  it('that comes twice is applied once, also when both come at once', async () => {
    const payer = await aSubscriber(app)
    const event = { ...creationOf(app, payer.subscriptionId), id: 'evt_comes_often' }
    const answers = await Promise.all(Array.from({ length: 5 }, () => postEvent(app, event)))
    expect([...answers, await postEvent(app, event)].map(outcome)).toEqual(Array(6).fill('200'))
    expect(await keptEvents(app, event.id)).toEqual([expect.objectContaining({ effect: 'applied' })])
    const rows = (await app.auditRows()).filter(({ detail }) => detail.event === event.id)
    expect(rows).toHaveLength(1)
  })

  it('does not overwrite a newer state with an older one', async () => {
    const payer = await aSubscriber(app)
    const created = creationOf(app, payer.subscriptionId)
    await app.sandbox.simulate.cancel(payer.subscriptionId)
    await app.paymentsSettled()
    expect(await statusOf(app, payer.signedIn)).toBe('canceled')
    // The provider says "active" in it; another id, so that it is not merely a repetition.
    expect(outcome(await postEvent(app, { ...created, id: 'evt_late_news' }))).toBe('200')
    expect(await statusOf(app, payer.signedIn)).toBe('canceled')
  })

  slow('is kept and answered 200 while the provider is down, and takes effect when it is back', async () => {
    const signedIn = await signIn(app, await anOwner(app), 'main')
    const checkoutId = await openCheckout(app, signedIn)
    app.sandbox.fault = 'refuse'
    await app.sandbox.simulate.pay(checkoutId)
    await app.sandbox.settled()
    const events = app.sandbox.events().slice(-3)
    for (const { id } of events)
      expect(await keptEvents(app, id)).toEqual([expect.objectContaining({ effect: null })])
    expect(await statusOf(app, signedIn)).toBe('none')
    app.sandbox.fault = null
    await eventually(async () => (await statusOf(app, signedIn)) === 'active')
    for (const { id } of events)
      expect(await keptEvents(app, id)).toEqual([expect.objectContaining({ effect: 'applied' })])
  })

  it('billing 9: is kept without its content, and nobody is asked about it, when its kind changes nothing', async () => {
    const payer = await aSubscriber(app)
    const ofPayer = app.sandbox.events().filter(({ data }) => JSON.stringify(data).includes(payer.customerId))
    const idle = ofPayer.filter(({ type }) => CHANGES_NOTHING.includes(type))
    expect([...new Set(idle.map(({ type }) => type))].sort()).toEqual([...CHANGES_NOTHING].sort())
    const before = app.sandbox.requests.length
    for (const event of idle) {
      const again = { ...event, id: `${event.id}_again` }
      expect(outcome(await postEvent(app, again))).toBe('200')
      expect(await keptEvents(app, again.id)).toEqual([
        expect.objectContaining({ effect: 'none', event: null, customerId: payer.customerId }),
      ])
    }
    expect(app.sandbox.requests.slice(before)).toEqual([])
    expect((await app.auditRows()).filter(({ detail }) => /_again$/.test(`${detail.event}`))).toEqual([])
    await postEvent(app, { ...creationOf(app, payer.subscriptionId), id: 'evt_that_matters' })
    expect(await keptEvents(app, 'evt_that_matters')).toMatchObject([{ effect: 'applied' }])
    expect(app.sandbox.requests.length).toBeGreaterThan(before)
  })

  it('is kept and answered 200 when no account has its customer', async () => {
    const stripe = app.get(Stripe)
    const customer = await stripe.customers.create()
    const subscription = await anotherSubscription(app, customer.id)
    const event = creationOf(app, subscription)
    const rows = await eventually(async () => {
      const found = await keptEvents(app, event.id)
      return found.length > 0 && found
    })
    // It has bought one of our prices.
    expect(rows).toEqual([expect.objectContaining({ effect: 'unlinked customer' })])
  })

  it('knows a sale by an item behind those that an event carries (B11)', async () => {
    const customer = await app.get(Stripe).customers.create()
    const subscription = await anotherSubscription(app, customer.id)
    for (let added = 0; added < 11; added++)
      await app.sandbox.simulate.addItem(subscription, 'price_of_an_add_on')
    await app.paymentsSettled()
    const last = app.sandbox.events().at(-1) as PaymentEvent
    const carried = (last.data.object as Stripe.Subscription).items
    expect(carried.data.map(({ price }) => price.id)).not.toContain('price_yearly')
    expect(await keptEvents(app, last.id)).toMatchObject([{ effect: 'unlinked customer' }])
  })

  it('billing 10: warns of customers without an account at most once an hour', async () => {
    const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {})
    // An invoice of another business on the same account, and a payment of somebody who is nobody's customer.
    for (const object of [{ customer: 'cus_of_another_shop' }, { customer: null, charge: 'ch_of_a_guest' }])
      for (let count = 0; count < 5; count++)
        await keptEvents(app, await posted({ type: 'charge.dispute.created', data: { object } }))
    const lines = warned.mock.calls.filter(([line]) => /customer that belongs to no account/.test(`${line}`))
    warned.mockRestore()
    expect(lines.length).toBeLessThanOrEqual(1)
  })

  it.each([
    ['a customer that no account has', { customer: 'cus_of_another_shop' }],
    ['a charge that is nobody’s', { customer: null, charge: 'ch_of_another_shop' }],
    ['no customer at all', { customer: null }],
  ])('security L5: keeps no personal data of %s', async (_, object) => {
    const [name, type] = ['Erika Mustermann', 'charge.dispute.created']
    const id = await posted({ type, data: { object: { id: 'dp_1', object: 'dispute', name, ...object } } })
    const [row] = await keptEvents(app, id)
    expect(row).toMatchObject({ type, createdAt: expect.any(Date), effect: expect.any(String) })
    expect(JSON.stringify(row)).not.toContain(name)
  })

  async function posted(difference: object): Promise<string> {
    const event = anEvent(difference)
    expect(outcome(await postEvent(app, event))).toBe('200')
    return event.id
  }

  it('billing 11: may be signed with any of several secrets', async () => {
    expect(outcome(await postEvent(app, anEvent(), { secret: SECOND_SECRET }))).toBe('200')
    expect(outcome(await postEvent(app, anEvent()))).toBe('200')
    const stranger = await postEvent(app, anEvent(), { secret: 'whsec_of_nobody_at_all' })
    expect(outcome(stranger)).toBe('400 INVALID_SIGNATURE')
  })

  it.each([
    ['a NUL', 'in \u0000 it'],
    ['half a surrogate pair', 'in \ud800 it'],
  ])('billing 11: is kept without %s and answered 200', async (name, description) => {
    const id = `evt_${name.replaceAll(' ', '_')}`
    const { customerId: customer } = await aSubscriber(app)
    const object = {
      ...{ object: 'subscription', id: 'sub_unknown', customer },
      ...{ description, whole: '\u{1f600} \\u0000' },
    }
    const event = anEvent({ id, data: { object: { ...object, [description]: 1 } } })
    expect(outcome(await postEvent(app, event))).toBe('200')
    const [kept] = await keptEvents(app, id)
    expect(kept).toMatchObject({
      effect: 'applied',
      event: {
        data: { object: { ...object, description: 'in \ufffd it', 'in \ufffd it': 1 } },
      },
    })
  })

  it.each([
    [
      'of a kind that we do not use',
      { type: 'charge.refunded', data: { object: { object: 'charge', id: 'ch_1' } } },
    ],
    [
      'about something that the provider does not know',
      { data: { object: { object: 'subscription', id: 'sub_unknown' } } },
    ],
  ])('%s is kept, changes nothing and is answered 200', async (_, difference) => {
    const event = anEvent(difference)
    expect(outcome(await postEvent(app, event))).toBe('200')
    expect(await keptEvents(app, event.id)).toEqual([expect.objectContaining({ effect: 'none' })])
  })
})
