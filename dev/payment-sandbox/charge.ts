import type { Stripe } from 'stripe'
import type { Invoice } from './invoice.js'

/** The part of Stripe's charge that says what was paid and given back; references are ids. */
export type Charge = Pick<
  Stripe.Charge,
  | 'id'
  | 'object'
  | 'amount'
  | 'amount_captured'
  | 'amount_refunded'
  | 'captured'
  | 'created'
  | 'currency'
  | 'disputed'
  | 'livemode'
  | 'metadata'
  | 'paid'
  | 'refunded'
  | 'status'
> & { customer: string; payment_intent: string }

/** How a paid invoice was paid. Its ids are those of the invoice but for the beginning, so that nobody has to look them up. */
export function newCharge(invoice: Invoice): Charge {
  const { amount_paid, currency, customer } = invoice
  return {
    id: chargeIdOf(invoice),
    object: 'charge',
    amount: amount_paid,
    amount_captured: amount_paid,
    amount_refunded: 0,
    captured: true,
    created: invoice.status_transitions.paid_at ?? invoice.created,
    currency,
    customer,
    disputed: false,
    livemode: false,
    metadata: {},
    paid: true,
    payment_intent: paymentIntentIdOf(invoice),
    refunded: false,
    status: 'succeeded',
  }
}

export function chargeIdOf({ id }: Invoice): string {
  return id.replace(/^in_/, 'ch_')
}

export function paymentIntentIdOf({ id }: Invoice): string {
  return id.replace(/^in_/, 'pi_')
}

/** The invoice that a charge or payment intent was for. */
export function invoiceIdOf(id: string): string {
  return id.replace(/^(ch|pi)_/, 'in_')
}
