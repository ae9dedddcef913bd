import type { Stripe } from 'stripe'
import { nowSeconds } from '../state/clock.js'
import { newId } from '../state/ids.js'
import { declineOf } from './charge.js'
import type { PaymentMethod } from './payment-method.js'

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
