import type { Stripe } from 'stripe'
import type { Price } from './prices.js'

/**
 * Stripe's legacy form of a recurring price, still on every item. Its decimal amount is a string, as in JSON.
 */
export type Plan = Omit<Stripe.Plan, 'amount_decimal'> & { amount_decimal: string }

export function planOf(price: Price): Plan {
  const { recurring } = price
  return {
    id: price.id,
    object: 'plan',
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: price.billing_scheme,
    created: price.created,
    currency: price.currency,
    interval: recurring!.interval,
    interval_count: recurring!.interval_count,
    livemode: price.livemode,
    metadata: price.metadata,
    meter: recurring!.meter,
    nickname: price.nickname,
    product: price.product as string,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: recurring!.usage_type,
  }
}
