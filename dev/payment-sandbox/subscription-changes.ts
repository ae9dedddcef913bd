import { monthsAfter, nowSeconds } from './sandbox-clock.js'
import type { Subscription } from './subscription.js'

/** When the paid period ends, in seconds since 1970: the earliest of its items. */
export function periodEnd(subscription: Subscription): number {
  return Math.min(...subscription.items.data.map(item => item.current_period_end))
}

/** Whether it is over for good. */
export function hasEnded({ status }: Subscription): boolean {
  return status === 'canceled' || status === 'incomplete_expired'
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

/** Begins a period of a month at `start`; later ones are counted from there. */
export function startPeriod(subscription: Subscription, start: number): void {
  subscription.billing_cycle_anchor = start
  setPeriod(subscription, start, monthsAfter(start, 1))
}

/** Moves the paid period to the month that contains `now`, counted from the anchor so that the day stays. */
export function renew(subscription: Subscription, now: number): void {
  const { billing_cycle_anchor } = subscription
  let months = 1
  while (monthsAfter(billing_cycle_anchor, months) <= now) months += 1
  setPeriod(
    subscription,
    monthsAfter(billing_cycle_anchor, months - 1),
    monthsAfter(billing_cycle_anchor, months),
  )
}

export function setPeriod(subscription: Subscription, start: number, end: number): void {
  for (const item of subscription.items.data) {
    item.current_period_start = start
    item.current_period_end = end
  }
}
