import { MainstayError } from '../../client/index.js'

/** An account's subscription as the service answers it. */
export interface Subscription {
  readonly status: string
  readonly state: string
  readonly plan: string | null
  readonly currentPeriodEnd: string | null
  readonly cancelAtPeriodEnd: boolean
}

/**
 * Who comes back from a payment brings `checkout`: then the service asks the provider instead of waiting for its news. One that
 * is not of this account tells nothing.
 */
export async function readSubscription(
  read: (path: string) => Promise<Subscription>,
  checkout: string | null,
): Promise<Subscription> {
  if (checkout === null) return read('subscription')
  try {
    return await read(`subscription?checkout=${encodeURIComponent(checkout)}`)
  } catch (error) {
    if (error instanceof MainstayError && ['NOT_FOUND', 'INVALID_QUERY'].includes(error.code))
      return read('subscription')
    throw error
  }
}

const STATE_NAMES: Readonly<Record<string, string>> = {
  none: 'No subscription',
  trialing: 'Trial',
  active: 'Active',
  past_due: 'A payment is overdue',
  restricted: 'Restricted: a payment is missing',
  canceled: 'Ended',
}

const REPLACEABLE = ['none', 'canceled']

export function stateName({ state }: Subscription): string {
  return STATE_NAMES[state] ?? state
}

/** Whether there is nothing that a new subscription would stand beside. */
export function maySubscribe({ state }: Subscription): boolean {
  return REPLACEABLE.includes(state)
}

/** Whether the provider's own pages have something to say about it. */
export function hasPortal({ state }: Subscription): boolean {
  return state !== 'none'
}

/** `price_monthly` is “Monthly”. */
export function planName(priceId: string): string {
  const words = priceId.replace(/^price_/, '').replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
