import { nextPeriodEnd } from '../prices/period.js'
import { nowSeconds } from '../state/clock.js'
import type { Subscription, SubscriptionItem } from './subscription.js'

/** When the paid period ends, in seconds since 1970: the earliest end among the items. */
export function periodEnd(subscription: Subscription): number {
  return Math.min(...subscription.items.data.map(item => item.current_period_end))
}

/** Whether the subscription has ended for good. */
export function hasEnded({ status }: Subscription): boolean {
  return status === 'canceled' || status === 'incomplete_expired'
}

/** Whether a cancellation is scheduled, in either of Stripe's two ways. */
export function isCancelling({ cancel_at, cancel_at_period_end }: Subscription): boolean {
  return cancel_at_period_end || cancel_at !== null
}

export function cancelAtPeriodEnd(subscription: Subscription): void {
  cancelAt(subscription, periodEnd(subscription))
  subscription.cancel_at_period_end = true
}

/** Schedules the end; the flag `cancel_at_period_end` is false, as when a customer cancels in the portal. */
export function cancelAt(subscription: Subscription, seconds: number): void {
  subscription.cancel_at_period_end = false
  subscription.cancel_at = seconds
  subscription.canceled_at = nowSeconds()
  subscription.cancellation_details!.reason = 'cancellation_requested'
}

export function undoCancellation(subscription: Subscription): void {
  subscription.cancel_at_period_end = false
  subscription.cancel_at = null
  subscription.canceled_at = null
  subscription.cancellation_details!.reason = null
}

export function cancelNow(subscription: Subscription, endedAt: number): void {
  subscription.status = 'canceled'
  subscription.canceled_at ??= endedAt
  subscription.ended_at = endedAt
  subscription.cancellation_details!.reason = 'cancellation_requested'
}

/** Starts a period at `start`, which becomes the anchor of later periods. */
export function startPeriod(subscription: Subscription, start: number): void {
  subscription.billing_cycle_anchor = start
  for (const item of subscription.items.data) startItemPeriod(item, start)
}

/** Starts the item's period at `start`. */
export function startItemPeriod(item: SubscriptionItem, start: number): void {
  item.current_period_start = start
  item.current_period_end = nextPeriodEnd(item.price, start)
}

/**
 * Moves each item to the period that contains `now`, counted from the anchor so that the day of the month
 * stays.
 */
export function renew(subscription: Subscription, now: number): void {
  const { billing_cycle_anchor: anchor } = subscription
  for (const item of subscription.items.data) {
    if (item.current_period_end > now) continue
    let periods = 1
    while (nextPeriodEnd(item.price, anchor, periods) <= now) periods += 1
    item.current_period_start = nextPeriodEnd(item.price, anchor, periods - 1)
    item.current_period_end = nextPeriodEnd(item.price, anchor, periods)
  }
}

export function setPeriod(subscription: Subscription, start: number, end: number): void {
  for (const item of subscription.items.data) {
    item.current_period_start = start
    item.current_period_end = end
  }
}
