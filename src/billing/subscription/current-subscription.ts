import type Stripe from 'stripe'
import type { PlansFile } from '../../platform/plans.js'
import { isLive } from './subscription-rules.js'

/**
 * The subscription that counts, and others that bill the customer as well (none, unless something went
 * wrong).
 */
export interface CurrentSubscription {
  readonly current: Stripe.Subscription | null
  readonly surplus: readonly Stripe.Subscription[]
}

/**
 * Which of the customer's subscriptions (newest first) counts: the one we know while it is live, else the
 * newest live one, else the newest whose first payment may still arrive, else the one we know, else the
 * newest.
 */
export function currentSubscription(
  all: readonly Stripe.Subscription[],
  knownId: string | null,
): CurrentSubscription {
  const live = all.filter(({ status }) => isLive(status))
  const known = all.find(({ id }) => id === knownId)
  const incomplete = all.find(({ status }) => status === 'incomplete')
  const current = live.find(({ id }) => id === knownId) ?? live[0] ?? incomplete ?? known ?? all[0] ?? null
  return { current, surplus: live.filter(subscription => subscription !== current) }
}

/**
 * The item of a subscription that is the plan; the others are add-ons. It is the first whose price we know,
 * else the one that was the plan before its price left the plans file, else the first. Null only when there
 * is none.
 */
export function planItem(
  { items }: Pick<Stripe.Subscription, 'items'>,
  plans: Pick<PlansFile, 'knows'>,
  priceBefore: string | null,
): Stripe.SubscriptionItem | null {
  const known = items.data.find(({ price }) => plans.knows(price.id))
  return known ?? items.data.find(({ price }) => price.id === priceBefore) ?? items.data[0] ?? null
}
