import { nowSeconds } from '../state/clock.js'
import type { Subscription } from './subscription.js'
import { startPeriod } from './subscription-changes.js'

export type PauseReason =
  | 'pause_requested'
  | 'first_payment_failure'
  | 'final_payment_failure'
  | 'trial_end_without_payment_method'

/** Stops billing and renewals. */
export function pause(subscription: Subscription, type: PauseReason = 'pause_requested'): void {
  subscription.status = 'paused'
  subscription.status_details = {
    paused: {
      subscription: { type },
      transitioned_at: nowSeconds(),
      type: 'subscription',
    },
  }
}

/** Makes the subscription active again, in its old period or in one that starts now. */
export function resume(subscription: Subscription, anchor: 'now' | 'unchanged'): void {
  subscription.status = 'active'
  delete subscription.status_details
  if (anchor === 'now') startPeriod(subscription, nowSeconds())
}
