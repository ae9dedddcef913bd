/** An account's subscription as the service answers it. `state` is newer than `status` and coarser. */
export interface Subscription {
  readonly status: string
  readonly state?: string
  readonly plan: string | null
  readonly currentPeriodEnd: string | null
  readonly cancelAtPeriodEnd: boolean
}

const STATE_NAMES: Readonly<Record<string, string>> = {
  none: 'No subscription',
  incomplete: 'Waiting for the first payment',
  incomplete_expired: 'The first payment did not succeed',
  trialing: 'Trial',
  active: 'Active',
  past_due: 'A payment is overdue',
  restricted: 'Restricted: a payment is missing',
  unpaid: 'Unpaid',
  paused: 'Paused',
  canceled: 'Ended',
}

const REPLACEABLE = ['none', 'canceled', 'incomplete', 'incomplete_expired']

export function stateOf({ state, status }: Subscription): string {
  return state ?? status
}

export function stateName(subscription: Subscription): string {
  return STATE_NAMES[stateOf(subscription)] ?? stateOf(subscription)
}

/** Whether there is nothing that a new subscription would stand beside. */
export function maySubscribe(subscription: Subscription): boolean {
  return REPLACEABLE.includes(stateOf(subscription))
}

/** Whether the provider's own pages have something to say about it. Services that answer no `state` have no way there. */
export function hasPortal({ state }: Subscription): boolean {
  return state !== undefined && state !== 'none'
}

/** `price_monthly` is “Monthly”. */
export function planName(priceId: string): string {
  const words = priceId.replace(/^price_/, '').replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
