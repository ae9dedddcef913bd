import type { Stripe } from 'stripe'
import { totalOf } from './checkout.js'
import { newId } from './ids.js'
import { nowSeconds } from './sandbox-clock.js'
import type { Subscription } from './subscription.js'

/** The part of Stripe's invoice that says who paid what for which subscription; it has no lines. */
export type Invoice = Pick<
  Stripe.Invoice,
  | 'id'
  | 'object'
  | 'amount_due'
  | 'amount_paid'
  | 'amount_remaining'
  | 'billing_reason'
  | 'collection_method'
  | 'created'
  | 'currency'
  | 'customer'
  | 'livemode'
  | 'metadata'
  | 'parent'
  | 'period_end'
  | 'period_start'
  | 'status'
  | 'total'
>

/** A paid invoice for the subscription's current period. It is only ever sent in an event, never stored. */
export function newInvoice(
  subscription: Subscription,
  reason: 'subscription_create' | 'subscription_cycle',
): Invoice {
  const lines = subscription.items.data.map(item => ({ price: item.price, quantity: item.quantity ?? 1 }))
  const total = totalOf(lines)
  return {
    id: newId('in_1', 23),
    object: 'invoice',
    amount_due: total,
    amount_paid: total,
    amount_remaining: 0,
    billing_reason: reason,
    collection_method: 'charge_automatically',
    created: nowSeconds(),
    currency: subscription.currency,
    customer: subscription.customer,
    livemode: false,
    metadata: {},
    parent: {
      type: 'subscription_details',
      quote_details: null,
      subscription_details: { subscription: subscription.id, metadata: subscription.metadata },
    },
    period_end: nowSeconds(),
    period_start: nowSeconds(),
    status: 'paid',
    total,
  }
}
