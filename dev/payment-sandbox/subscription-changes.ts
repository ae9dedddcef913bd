import { monthsAfter, nowSeconds } from './sandbox-clock.js'
import type { Subscription } from './subscription.js'

/** What a test may change about a subscription, in Stripe's words. An item without an id means every item. */
export interface SubscriptionPatch {
  status?: Subscription['status']
  cancel_at_period_end?: boolean
  items?: { id?: string; price?: string; current_period_end?: number }[]
}

/** When the paid period ends, in seconds since 1970: the earliest of its items. */
export function periodEnd(subscription: Subscription): number {
  return Math.min(...subscription.items.data.map(item => item.current_period_end))
}

export function endWithPeriod(subscription: Subscription): void {
  subscription.cancel_at_period_end = true
  subscription.cancel_at = periodEnd(subscription)
  subscription.canceled_at = nowSeconds()
  subscription.cancellation_details!.reason = 'cancellation_requested'
}

export function keepGoing(subscription: Subscription): void {
  subscription.cancel_at_period_end = false
  subscription.cancel_at = null
  subscription.canceled_at = null
  subscription.cancellation_details!.reason = null
}

export function endNow(subscription: Subscription, endedAt: number): void {
  subscription.status = 'canceled'
  subscription.canceled_at ??= endedAt
  subscription.ended_at = endedAt
  subscription.cancellation_details!.reason = 'cancellation_requested'
}

/** Moves the paid period to the month that contains `now`, counted from the first payment so that the day stays. */
export function renew(subscription: Subscription, now: number): void {
  let months = 1
  while (monthsAfter(subscription.billing_cycle_anchor, months) <= now) months += 1
  for (const item of subscription.items.data) {
    item.current_period_start = monthsAfter(subscription.billing_cycle_anchor, months - 1)
    item.current_period_end = monthsAfter(subscription.billing_cycle_anchor, months)
  }
}
