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

/** Another may take the place of one that is over, or whose first payment has not succeeded. */
const REPLACEABLE_STATUSES: readonly SubscriptionStatus[] = ['canceled', 'incomplete_expired', 'incomplete']

/** Nothing more can come of it. */
export const ENDED_STATUSES: readonly SubscriptionStatus[] = ['canceled', 'incomplete_expired']

/** Whether a second checkout could bill twice. */
export function isLive(status: SubscriptionStatus): boolean {
  return status !== 'none' && !REPLACEABLE_STATUSES.includes(status)
}
