import type { Stripe } from 'stripe'
import type { Invoice } from '../invoices/invoice.js'

/** Stripe's charge, with references as ids. */
export type Charge = Omit<Stripe.Charge, 'customer' | 'payment_intent'> & {
  customer: string
  payment_intent: string
}

/**
 * The charge of a paid invoice. Its ids are the invoice's with another prefix, so that no index is needed.
 */
export function newCharge(invoice: Invoice): Charge {
  const { amount_paid, currency, customer } = invoice
  return {
    id: chargeIdOf(invoice),
    object: 'charge',
    ...NOT_USED_HERE,
    amount: amount_paid,
    amount_captured: amount_paid,
    amount_refunded: 0,
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
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

const NOT_USED_HERE = {
  application: null,
  application_fee: null,
  application_fee_amount: null,
  balance_transaction: null,
  calculated_statement_descriptor: null,
  description: null,
  failure_balance_transaction: null,
  failure_code: null,
  failure_message: null,
  fraud_details: {},
  on_behalf_of: null,
  outcome: null,
  payment_method: null,
  payment_method_details: null,
  receipt_email: null,
  receipt_number: null,
  receipt_url: null,
  review: null,
  shipping: null,
  source: null,
  source_transfer: null,
  statement_descriptor: null,
  statement_descriptor_suffix: null,
  transfer_data: null,
  transfer_group: null,
} satisfies Partial<Charge>

export function chargeIdOf({ id }: Pick<Invoice, 'id'>): string {
  return id.replace(/^in_/, 'ch_')
}

export function paymentIntentIdOf({ id }: Invoice): string {
  return id.replace(/^in_/, 'pi_')
}

/** The id of the invoice that a charge or payment intent paid. */
export function invoiceIdOf(id: string): string {
  return id.replace(/^(ch|pi)_/, 'in_')
}
