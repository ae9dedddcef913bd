import { describe, expect, it } from '@jest/globals'
import type Stripe from 'stripe'
import { closedCheckoutOf, customerOf, isOfInterest, kindOf, objectOf, referenceIn } from '../../sources.js'

const event = (type: string, object: unknown) => ({ type, data: { object } }) as unknown as Stripe.Event
const content = (object: unknown) => ({ data: { object } })

describe('what an event makes us do', () => {
  it.each([
    ['customer.subscription.created', 'subscription', true],
    ['customer.subscription.pending_update_expired', 'subscription', true],
    ['customer.deleted', 'subscription', true],
    ['invoice.paid', 'subscription', true],
    ['invoice.payment_failed', 'subscription', true],
    ['invoice.payment_action_required', 'subscription', true],
    ['invoice.voided', 'subscription', true],
    ['invoice.marked_uncollectible', 'subscription', true],
    ['checkout.session.completed', 'subscription', true],
    ['checkout.session.async_payment_succeeded', 'subscription', true],
    ['checkout.session.async_payment_failed', 'subscription', true],
    ['payment_intent.processing', 'subscription', true],
    ['payment_intent.succeeded', 'other', false],
    ['charge.refunded', 'money back', true],
    ['charge.refund.updated', 'money back', true],
    ['charge.dispute.created', 'money back', true],
    ['refund.created', 'money back', true],
    ['checkout.session.expired', 'other', true],
    ['customer.created', 'other', false],
    ['customer.deleted.again', 'other', false],
    ['invoice.paid_late', 'other', false],
    ['invoice.created', 'other', false],
    ['charge.succeeded', 'other', false],
    ['checkout.session.expired.again', 'other', false],
    ['x.customer.subscription.created', 'other', false],
    ['x.charge.refunded', 'other', false],
    ['x.refund.created', 'other', false],
    ['x.checkout.session.expired', 'other', false],
    ['checkout.session.completed.again', 'other', false],
  ])('%s: %s', (type, kind, isInteresting) => {
    expect(kindOf(type)).toBe(kind)
    expect(isOfInterest(type)).toBe(isInteresting)
  })
})

describe('whom an event concerns', () => {
  it.each<[string, unknown, string | null]>([
    ['customer.updated', { object: 'customer', id: 'cus_1' }, 'cus_1'],
    ['customer.deleted', { id: 'cus_1' }, 'cus_1'],
    ['customer.updated', { id: 'cus_1' }, null],
    ['invoice.paid', { id: 'in_1', customer: 'cus_1' }, 'cus_1'],
    ['invoice.paid', { id: 'in_1', customer: { id: 'cus_1' } }, 'cus_1'],
    ['invoice.paid', { id: 'in_1', customer: null }, null],
    ['invoice.paid', { id: 'in_1', customer: '' }, null],
    ['invoice.paid', { id: 'in_1', customer: 7 }, null],
    ['invoice.paid', { id: 'in_1', charge: 'ch_1' }, null],
    ['checkout.session.completed', { id: 'cs_1', customer: null }, 'checkout:cs_1'],
    ['checkout.session.completed', { id: 'cs_1', customer: 'cus_1' }, 'cus_1'],
    ['refund.created', { id: 're_1', charge: 'ch_1' }, 'charge:ch_1'],
    ['charge.dispute.created', { id: 'dp_1', charge: { id: 'ch_1' } }, 'charge:ch_1'],
    ['refund.created', { id: 're_1', charge: null }, null],
  ])('%s of %j: %s', (type, object, customerId) => {
    expect(customerOf(event(type, object))).toBe(customerId)
  })

  it.each([
    ['charge:ch_1', { kind: 'charge', id: 'ch_1' }],
    ['checkout:cs_1', { kind: 'checkout', id: 'cs_1' }],
    ['cus_1', null],
    ['charge:', null],
    ['xcharge:ch_1', null],
  ])('what stands for it, %s: %j', (customerId, reference) => {
    expect(referenceIn(customerId)).toEqual(reference)
  })
})

describe('what an event says is final', () => {
  it('a checkout is closed', () => {
    for (const what of ['completed', 'expired', 'async_payment_succeeded', 'async_payment_failed'])
      expect(closedCheckoutOf(`checkout.session.${what}`, content({ id: 'cs_1' }))).toBe('cs_1')
    expect(closedCheckoutOf('checkout.session.created', content({ id: 'cs_1' }))).toBeNull()
    expect(closedCheckoutOf('invoice.paid', null)).toBeNull()
  })

  it('which object it is about', () => {
    expect(objectOf(content({ id: 'ch_1' }))).toBe('ch_1')
    expect(objectOf(content({ id: null }))).toBeNull()
  })
})
