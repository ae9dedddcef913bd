/** The states of a subscription as the provider names them, and `none` for an account that never had one. */
export type SubscriptionStatus =
  | 'none'
  | 'incomplete'
  | 'incomplete_expired'
  | 'trialing'
  | 'active'
  | 'past_due'
  | 'canceled'
  | 'unpaid'
  | 'paused'

/** An account's subscription as its users see it. */
export interface SubscriptionView {
  readonly status: SubscriptionStatus
  /** The price that was bought; null without a subscription. */
  readonly plan: string | null
  /** ISO 8601, UTC. */
  readonly currentPeriodEnd: string | null
  readonly cancelAtPeriodEnd: boolean
}

export const NO_SUBSCRIPTION: SubscriptionView = {
  status: 'none',
  plan: null,
  currentPeriodEnd: null,
  cancelAtPeriodEnd: false,
}

/** A subscription in these states is over for good. */
export const ENDED_STATUSES: readonly SubscriptionStatus[] = ['canceled', 'incomplete_expired']

/** Another may take the place of one that is over, or whose first payment has not succeeded. */
export const REPLACEABLE_STATUSES: readonly SubscriptionStatus[] = [...ENDED_STATUSES, 'incomplete']

/** Whether a second checkout could bill twice. */
export function isLive(status: SubscriptionStatus): boolean {
  return status !== 'none' && !REPLACEABLE_STATUSES.includes(status)
}
