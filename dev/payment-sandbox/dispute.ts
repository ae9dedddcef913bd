import type { Stripe } from 'stripe'
import type { Charge } from './charge.js'
import { newId } from './ids.js'
import { nowSeconds } from './sandbox-clock.js'

/** The part of Stripe's dispute that says what is fought over. Whose it is only its charge knows. */
export type Dispute = Pick<
  Stripe.Dispute,
  | 'id'
  | 'object'
  | 'amount'
  | 'created'
  | 'currency'
  | 'is_charge_refundable'
  | 'livemode'
  | 'metadata'
  | 'reason'
  | 'status'
> & { charge: string; payment_intent: string }

export function newDispute({ id, amount, currency, payment_intent }: Charge): Dispute {
  return {
    id: newId('du_1', 23),
    object: 'dispute',
    amount,
    charge: id,
    created: nowSeconds(),
    currency,
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent,
    reason: 'fraudulent',
    status: 'needs_response',
  }
}
