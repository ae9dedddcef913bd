import type { SubscriptionState } from './subscription-state.js'
import type { SubscriptionStatus } from './subscription-status.js'

/** An account's subscription as we have it; all times ISO 8601, UTC. */
export interface KnownSubscription {
  readonly status: SubscriptionStatus
  /** The price that was bought; null without a subscription. */
  readonly plan: string | null
  readonly quantity: number | null
  readonly currentPeriodEnd: string | null
  readonly cancelAtPeriodEnd: boolean
  /** When the account loses its plan unless it pays; null while no payment is due. */
  readonly graceUntil: string | null
}

/** {@link KnownSubscription} as the account's users see it at some moment. */
export interface SubscriptionView extends KnownSubscription {
  readonly state: SubscriptionState
  /** The name in the plans file; null when it is in none. */
  readonly planName: string | null
}

export const NO_SUBSCRIPTION: KnownSubscription = {
  status: 'none',
  plan: null,
  quantity: null,
  currentPeriodEnd: null,
  cancelAtPeriodEnd: false,
  graceUntil: null,
}
