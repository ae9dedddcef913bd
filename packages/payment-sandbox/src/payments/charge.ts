import type { Stripe } from 'stripe'
import type { Invoice } from '../invoices/invoice.js'
import { nowSeconds } from '../state/clock.js'
import { newId } from '../state/ids.js'
import type { PaymentMethod } from './payment-method.js'

/** Stripe's charge, with references as ids. */
export type Charge = Omit<Stripe.Charge, 'customer' | 'payment_intent'> & {
  customer: string | null
  payment_intent: string
}

/** What is to be paid, `created` with its payment intent: an invoice, or what becomes one when its checkout is paid. */
export type Due = Pick<Invoice, 'id' | 'amount_due' | 'created' | 'currency'> & { customer: string | null }

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
    captured: true,
    created: invoice.status_transitions.paid_at ?? invoice.created,
    currency,
    customer,
    paid: true,
    payment_intent: paymentIntentIdOf(invoice),
    status: 'succeeded',
  }
}

/** A charge to a card that was declined. Each attempt has its own, which does not follow from the invoice. */
export function newDeclinedCharge(
  due: Due,
  { id: payment_method, billing_details, card }: PaymentMethod,
): Charge {
  const { amount_due, currency, customer } = due
  return {
    id: newId('ch_1', 23),
    object: 'charge',
    ...NOT_USED_HERE,
    amount: amount_due,
    amount_captured: 0,
    billing_details,
    captured: false,
    created: nowSeconds(),
    currency,
    customer,
    failure_code: DECLINED.code,
    failure_message: DECLINED.message,
    outcome: {
      advice_code: DECLINED.advice_code,
      network_advice_code: null,
      network_decline_code: DECLINED.network_decline_code,
      network_status: 'declined_by_network',
      reason: DECLINED.decline_code,
      risk_level: 'normal',
      seller_message: 'The bank did not return any further details with this decline.',
      type: 'issuer_declined',
    },
    paid: false,
    payment_intent: paymentIntentIdOf(due),
    payment_method,
    payment_method_details: { card: chargedCard(card, due.amount_due), type: 'card' },
    status: 'failed',
  }
}

/** What Stripe sends of its test card 4000 0000 0000 0002: https://docs.stripe.com/testing#declined-payments. */
const DECLINED = {
  advice_code: 'try_again_later',
  code: 'card_declined',
  decline_code: 'generic_decline',
  doc_url: 'https://stripe.com/docs/error-codes/card-declined',
  message: 'Your card was declined.',
  network_decline_code: '01',
  type: 'card_error',
} as const

/** The error of an intent whose card was declined. */
export function declineOf(payment_method: PaymentMethod) {
  return { ...DECLINED, payment_method }
}

/** The card as a charge that was declined shows it. */
function chargedCard(card: PaymentMethod['card'], amount: number): Stripe.Charge.PaymentMethodDetails.Card {
  const { brand, checks, country, exp_month, exp_year, fingerprint, funding, last4, regulated_status } = card
  return {
    amount_authorized: null,
    authorization_code: null,
    brand,
    checks,
    country,
    electronic_commerce_indicator: null,
    exp_month,
    exp_year,
    extended_authorization: { status: 'disabled' },
    fingerprint,
    funding,
    incremental_authorization: { status: 'unavailable' },
    installments: null,
    last4,
    mandate: null,
    multicapture: { status: 'unavailable' },
    network: brand,
    network_token: { used: false },
    network_transaction_id: null,
    overcapture: { maximum_amount_capturable: amount, status: 'unavailable' },
    regulated_status,
    three_d_secure: null,
    transaction_link_id: null,
    wallet: null,
  }
}

const NOT_USED_HERE = {
  amount_refunded: 0,
  application: null,
  application_fee: null,
  application_fee_amount: null,
  balance_transaction: null,
  billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
  calculated_statement_descriptor: null,
  description: null,
  disputed: false,
  failure_balance_transaction: null,
  failure_code: null,
  failure_message: null,
  fraud_details: {},
  livemode: false,
  metadata: {},
  on_behalf_of: null,
  outcome: null,
  payment_method: null,
  payment_method_details: null,
  receipt_email: null,
  receipt_number: null,
  receipt_url: null,
  refunded: false,
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

export function paymentIntentIdOf({ id }: Pick<Invoice, 'id'>): string {
  return id.replace(/^in_/, 'pi_')
}

/** The id of the invoice that a charge or payment intent paid. */
export function invoiceIdOf(id: string): string {
  return id.replace(/^(ch|pi)_/, 'in_')
}
