import { nowSeconds } from '../state/clock.js'
import type { Subscription } from './subscription.js'
import { setPeriod, startPeriod } from './subscription-changes.js'

/** Starts or extends a trial until `end`, which becomes the anchor of the paid periods. */
export function startTrial(subscription: Subscription, end: number): void {
  const now = nowSeconds()
  if (subscription.status !== 'trialing') {
    subscription.status = 'trialing'
    subscription.trial_start = now
  }
  endTrialAt(subscription, end)
}

export function endTrialAt(subscription: Subscription, end: number): void {
  subscription.trial_end = end
  subscription.billing_cycle_anchor = end
  setPeriod(subscription, subscription.trial_start!, end)
}

/** Makes the subscription active; a paid period starts now. */
export function endTrialNow(subscription: Subscription): void {
  const now = nowSeconds()
  subscription.status = 'active'
  subscription.trial_end = now
  startPeriod(subscription, now)
}
