import type Stripe from 'stripe'
import type { Plans } from '../../permissions/plans-file.js'

/**
 * The item of a subscription that is the plan; the others are add-ons. It is the first whose price we know,
 * else the one that was the plan before its price left the plans file, else the first. Null only when there
 * is none.
 */
export function planItem(
  { items }: Pick<Stripe.Subscription, 'items'>,
  plans: Pick<Plans, 'knows'>,
  priceBefore: string | null,
): Stripe.SubscriptionItem | null {
  const known = items.data.find(({ price }) => plans.knows(price.id))
  return known ?? items.data.find(({ price }) => price.id === priceBefore) ?? items.data[0] ?? null
}
