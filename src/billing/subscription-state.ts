import { secondsAfter } from '../clock/clock.js'
import type { SubscriptionStatus } from './subscription-status.js'

/**
 * What an account's payments come to. `past_due`: a payment is due, and the account keeps its plan for now. `restricted`: it
 * was due for too long, or the provider waits for the customer.
 */
export const SUBSCRIPTION_STATES = [
  'none',
  'trialing',
  'active',
  'past_due',
  'restricted',
  'canceled',
] as const
export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number]

/** A payment is due: the first is the provider still trying, the second it having given up. */
const OWING: readonly string[] = ['past_due', 'unpaid'] satisfies SubscriptionStatus[]
const PAID_FOR: readonly SubscriptionState[] = ['trialing', 'active', 'past_due']

export function isOwing(status: string): boolean {
  return OWING.includes(status)
}

/** Whether the account has what its plan gives. */
export function isPaidFor(state: SubscriptionState): boolean {
  return PAID_FOR.includes(state)
}

/** When an account that owes since then loses its plan. */
export function graceEnd(pastDueSince: Date, graceSeconds: number): Date {
  return secondsAfter(pastDueSince, graceSeconds)
}

/** The state at `now` of a subscription that owes until `graceUntil`; null when it owes nothing. */
export function stateOf(status: SubscriptionStatus, graceUntil: Date | null, now: Date): SubscriptionState {
  switch (status) {
    case 'none':
    case 'incomplete':
    case 'incomplete_expired':
      return 'none'
    case 'past_due':
    case 'unpaid':
      return graceUntil && graceUntil > now ? 'past_due' : 'restricted'
    case 'paused':
      return 'restricted'
    default:
      return status
  }
}
