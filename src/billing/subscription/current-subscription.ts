import type Stripe from 'stripe'
import { isLive, type ProviderStatus } from './provider-status.js'

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
  const live = all.filter(({ status }) => isLive(status as ProviderStatus))
  const known = all.find(({ id }) => id === knownId)
  const incomplete = all.find(({ status }) => status === 'incomplete')
  const current = live.find(({ id }) => id === knownId) ?? live[0] ?? incomplete ?? known ?? all[0] ?? null
  return { current, surplus: live.filter(subscription => subscription !== current) }
}
