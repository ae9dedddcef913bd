import { nowSeconds } from '../state/clock.js'
import type { Subscription } from './subscription.js'
import { startPeriod } from './subscription-changes.js'

/** Neither billed nor renewed from now on. */
export function pause(subscription: Subscription): void {
  subscription.status = 'paused'
  subscription.status_details = {
    paused: {
      subscription: { type: 'pause_requested' },
      transitioned_at: nowSeconds(),
      type: 'subscription',
    },
  }
}

/** Active again, in the period that there was or in a new one from now. */
export function resume(subscription: Subscription, anchor: 'now' | 'unchanged'): void {
  subscription.status = 'active'
  delete subscription.status_details
  if (anchor === 'now') startPeriod(subscription, nowSeconds())
}
