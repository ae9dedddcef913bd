import { secondsAfter } from '../../clock/clock.js'
import type { ProviderStatus } from './provider-status.js'

/**
 * What an account's payments amount to. `pending`: the first payment is on its way, which can take days.
 * `past_due`: a payment is due, and the account keeps its plan for now. `restricted`: it was due for too
 * long, or the provider waits for the customer.
 */
export const SUBSCRIPTION_STATES = [
  'none',
  'pending',
  'trialing',
  'active',
  'past_due',
  'restricted',
  'canceled',
] as const
export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number]

/** A payment is due. In the first state the provider is still trying, in the second it has given up. */
const OWING: readonly string[] = ['past_due', 'unpaid'] satisfies ProviderStatus[]
const PAID_FOR: readonly SubscriptionState[] = ['trialing', 'active', 'past_due']

export function isPastDue(status: string): boolean {
  return OWING.includes(status)
}

/** Whether the account has what its plan includes. */
export function isPaidFor(state: SubscriptionState): boolean {
  return PAID_FOR.includes(state)
}

/** When an account that has owed since then loses its plan. */
export function graceEnd(pastDueSince: Date, graceSeconds: number): Date {
  return secondsAfter(pastDueSince, graceSeconds)
}

/** What the state depends on. */
interface StateFacts {
  readonly status: ProviderStatus
  /** Whether the first payment may still arrive. */
  readonly isPaymentPending: boolean
  /** Until when an account that owes keeps its plan, ISO 8601; null when it owes nothing. */
  readonly graceUntil: string | null
}

/** The state at `now`. */
export function stateOf({ status, isPaymentPending, graceUntil }: StateFacts, now: Date): SubscriptionState {
  switch (status) {
    case 'incomplete':
      return isPaymentPending ? 'pending' : 'none'
    case 'none':
    case 'incomplete_expired':
      return 'none'
    case 'past_due':
    case 'unpaid':
      return graceUntil && new Date(graceUntil) > now ? 'past_due' : 'restricted'
    case 'paused':
      return 'restricted'
    default:
      return status
  }
}
