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

/** A subscription in these states is over for good: another may take its place. */
export const ENDED_STATUSES: readonly SubscriptionStatus[] = ['canceled', 'incomplete_expired']

/** Without one of these there is nothing that a second checkout could bill twice. */
export function isLive(status: SubscriptionStatus): boolean {
  return status !== 'none' && status !== 'incomplete' && !ENDED_STATUSES.includes(status)
}
