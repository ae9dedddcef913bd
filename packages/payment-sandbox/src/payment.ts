import type { Stripe } from 'stripe'
import { newId, nowSeconds } from './clock.js'
import type { Invoice } from './invoice.js'

/** Stripe's payment method, with its customer as an id. */
type PaymentMethod = Omit<Stripe.PaymentMethod, 'card' | 'customer'> & {
  card: Stripe.PaymentMethod.Card
  customer: string | null
}

/** Whose card it is; `id` is null if the card is attached to no customer. */
export type Payer = Pick<Stripe.Customer, 'email' | 'name'> & { id: string | null }

/** Stripe's test card that is always declined: https://docs.stripe.com/testing#declined-payments. */
export function newDeclinedCard(payer: Payer): PaymentMethod {
  const card = newCard(payer)
  return { ...card, card: { ...card.card, fingerprint: 'SandboxDeclinedCard', last4: '0002' } }
}

/** Stripe's test card that always succeeds. */
export function newCard({ id: customer, email, name }: Payer): PaymentMethod {
  return {
    id: newId('pm_1', 23),
    object: 'payment_method',
    allow_redisplay: 'limited',
    billing_details: { address: null, email, name: name ?? null, phone: null, tax_id: null },
    card: CARD,
    created: nowSeconds(),
    customer,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: 'card',
  }
}

const CARD = {
  brand: 'visa',
  checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
  country: 'US',
  display_brand: 'visa',
  exp_month: 12,
  exp_year: 2040,
  fingerprint: 'SandboxCard',
  funding: 'credit',
  generated_from: null,
  last4: '4242',
  networks: { available: ['visa'], preferred: null },
  regulated_status: 'unregulated',
  three_d_secure_usage: { supported: true },
  wallet: null,
} satisfies Stripe.PaymentMethod.Card

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
function declineOf(payment_method: PaymentMethod) {
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

/** Stripe's dispute, with references as ids. Only its charge names the customer. */
export type Dispute = Omit<Stripe.Dispute, 'charge' | 'payment_intent'> & {
  charge: string
  payment_intent: string
}

/** https://docs.stripe.com/disputes/responding: 7 to 21 days, depending on the card network. */
const RESPONSE_TIME_SECONDS = 14 * 24 * 60 * 60

export function newDispute({ id, amount, currency, payment_intent }: Charge): Dispute {
  return {
    id: newId('du_1', 23),
    object: 'dispute',
    amount,
    balance_transactions: [],
    charge: id,
    created: nowSeconds(),
    currency,
    enhanced_eligibility_types: [],
    evidence: NO_EVIDENCE,
    evidence_details: {
      due_by: nowSeconds() + RESPONSE_TIME_SECONDS,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent,
    reason: 'fraudulent',
    status: 'needs_response',
  }
}

const NO_EVIDENCE: Stripe.Dispute.Evidence = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
  enhanced_evidence: {},
}

/** Stripe's payment intent, with references as ids. */
export type PaymentIntent = Omit<Stripe.PaymentIntent, 'customer' | 'latest_charge' | 'payment_method'> & {
  customer: string | null
  latest_charge: string | null
  payment_method: string | null
}

/** The payment intent of what is due; `status` is `requires_payment_method` before the first attempt. */
export function paymentIntentOf(
  due: Due,
  status: PaymentIntent['status'],
  paymentMethod: string | null,
): PaymentIntent {
  const id = paymentIntentIdOf(due)
  return {
    id,
    object: 'payment_intent',
    ...NOT_USED_OF_INTENT,
    amount: due.amount_due,
    amount_received: status === 'succeeded' ? due.amount_due : 0,
    client_secret: `${id}_secret_of_the_sandbox`,
    created: due.created,
    currency: due.currency,
    customer: due.customer,
    latest_charge: status === 'processing' || status === 'succeeded' ? chargeIdOf(due) : null,
    livemode: false,
    next_action: status === 'requires_action' ? { type: 'use_stripe_sdk', use_stripe_sdk: {} } : null,
    payment_method: paymentMethod,
    status,
  }
}

/** The same after this charge to this card failed: it waits for another card. */
export function declinedPaymentIntent(due: Due, { id: charge }: Charge, card: PaymentMethod): PaymentIntent {
  return {
    ...paymentIntentOf(due, 'requires_payment_method', null),
    last_payment_error: { ...declineOf(card), charge },
    latest_charge: charge,
  }
}

const NOT_USED_OF_INTENT = {
  allowed_payment_method_types: null,
  amount_capturable: 0,
  application: null,
  application_fee_amount: null,
  automatic_payment_methods: null,
  canceled_at: null,
  cancellation_reason: null,
  capture_method: 'automatic',
  confirmation_method: 'automatic',
  customer_account: null,
  description: null,
  excluded_payment_method_types: null,
  last_payment_error: null,
  managed_payments: null,
  metadata: {},
  on_behalf_of: null,
  payment_method_configuration_details: null,
  payment_method_options: null,
  payment_method_types: ['card'],
  payment_record: null,
  processing: null,
  receipt_email: null,
  review: null,
  setup_future_usage: 'off_session',
  shipping: null,
  source: null,
  statement_descriptor: null,
  statement_descriptor_suffix: null,
  transfer_group: null,
} satisfies Partial<PaymentIntent>

/** A succeeded setup intent: the card was saved without a charge. */
export function newSetupIntent(customer: string | null, paymentMethod: string | null): Stripe.SetupIntent {
  const id = newId('seti_1', 23)
  return {
    id,
    object: 'setup_intent',
    allowed_payment_method_types: null,
    application: null,
    automatic_payment_methods: null,
    cancellation_reason: null,
    client_secret: `${id}_secret_of_the_sandbox`,
    created: nowSeconds(),
    customer,
    customer_account: null,
    description: null,
    excluded_payment_method_types: null,
    flow_directions: null,
    last_setup_error: null,
    latest_attempt: null,
    livemode: false,
    managed_payments: null,
    mandate: null,
    metadata: {},
    next_action: null,
    on_behalf_of: null,
    payment_method: paymentMethod,
    payment_method_configuration_details: null,
    payment_method_options: null,
    payment_method_types: ['card'],
    single_use_mandate: null,
    status: 'succeeded',
    usage: 'off_session',
  }
}

/** A setup intent whose card was declined, and which waits for another one. */
export function newDeclinedSetupIntent(customer: string | null, card: PaymentMethod): Stripe.SetupIntent {
  return {
    ...newSetupIntent(customer, null),
    last_setup_error: declineOf(card),
    status: 'requires_payment_method',
  }
}
