/** The states of a subscription as the provider names them, and `none` for an account that never had one. */
export type ProviderStatus =
  | 'none'
  | 'incomplete'
  | 'incomplete_expired'
  | 'trialing'
  | 'active'
  | 'past_due'
  | 'canceled'
  | 'unpaid'
  | 'paused'

/** Subscriptions that do not bill: ended, or the first payment has not succeeded. */
const NOT_LIVE_STATUSES: readonly ProviderStatus[] = ['canceled', 'incomplete_expired', 'incomplete']

/** Subscriptions that can never bill again. */
export const ENDED_STATUSES: readonly ProviderStatus[] = ['canceled', 'incomplete_expired']

/** Whether the account is billed for it. An incomplete one may be later: see `stateOf`. */
export function isLive(status: ProviderStatus): boolean {
  return status !== 'none' && !NOT_LIVE_STATUSES.includes(status)
}
