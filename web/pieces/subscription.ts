import { MainstayError } from '../../client/index.js'

/** An account's subscription as the service answers it. */
export interface Subscription {
  readonly status: string
  readonly state: string
  /** The price; for people there is `planName`. */
  readonly plan: string | null
  readonly planName: string | null
  readonly quantity: number | null
  /** When it ends, or has ended. */
  readonly endsAt: string | null
  readonly renewsAt: string | null
  /** Until when the plan stays although a payment is overdue; afterwards, since when it is gone. */
  readonly graceUntil: string | null
}

const NOT_ASKED = ['NOT_FOUND', 'INVALID_QUERY', 'TOO_MANY_ATTEMPTS']

/**
 * Who comes back from a payment brings `checkout`: then the service asks the provider instead of waiting for its news. One that
 * is not of this account tells nothing, and who asks too often hears what the service has heard.
 */
export async function readSubscription(
  read: (path: string) => Promise<Subscription>,
  checkout: string | null,
): Promise<Subscription> {
  if (checkout === null) return read('subscription')
  try {
    return await read(`subscription?checkout=${encodeURIComponent(checkout)}`)
  } catch (error) {
    if (error instanceof MainstayError && NOT_ASKED.includes(error.code)) return read('subscription')
    throw error
  }
}

const STATE_NAMES: Readonly<Record<string, string>> = {
  none: 'No subscription',
  pending: 'Payment on its way',
  trialing: 'Free trial',
  active: 'Active',
  past_due: 'Payment overdue',
  restricted: 'Restricted',
  canceled: 'Ended',
}

const REPLACEABLE = ['none', 'canceled']

export function stateName({ state, status }: Subscription): string {
  if (status === 'paused') return 'Paused'
  return STATE_NAMES[state] ?? state
}

/** Whether there is nothing that a new subscription would stand beside. */
export function maySubscribe({ state }: Subscription): boolean {
  return REPLACEABLE.includes(state)
}

/** Whether it lives, so that its plan can be changed. */
export function mayChange({ state }: Subscription): boolean {
  return ['trialing', 'active', 'past_due'].includes(state)
}

/** Whether it has been cancelled and still runs for a while. */
export function isEnding({ state, endsAt }: Subscription): boolean {
  return state !== 'canceled' && endsAt !== null
}

/** Whether the provider's own pages have something to say about it. */
export function hasPortal({ state }: Subscription): boolean {
  return state !== 'none'
}
