import type { Stripe } from 'stripe'
import { type Charge, chargeIdOf, type Due, declineOf, paymentIntentIdOf } from './charge.js'
import type { PaymentMethod } from './payment-method.js'

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
    ...NOT_USED_HERE,
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

const NOT_USED_HERE = {
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
