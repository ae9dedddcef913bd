import { MainstayError } from '@mainstay-auth/client'
import { t } from '../language/t.js'

/** An account's subscription as the service answers it. */
export interface Subscription {
  readonly status: string
  readonly state: string
  /** The price; for people there is `planName`. */
  readonly plan: string | null
  readonly planName: string | null
  /** In other languages. */
  readonly planNames: Readonly<Record<string, string>>
  readonly quantity: number | null
  /** When it ends, or has ended. */
  readonly endsAt: string | null
  readonly renewsAt: string | null
  /** Until when the plan stays although a payment is overdue; afterwards, since when it is gone. */
  readonly graceUntil: string | null
}

const NOT_ASKED = ['NOT_FOUND', 'INVALID_QUERY', 'TOO_MANY_ATTEMPTS']

/** A subscription as it is seen by who may have come back from paying for it. */
export interface SubscriptionAfterReturn extends Subscription {
  /** Whether the way back names a payment of this very account; anybody can make up an address. */
  readonly isReturn: boolean
}

/**
 * Whoever comes back from a payment brings `checkout` in the address, and from the portal `portal`: then the service asks the
 * provider instead of waiting for its news. A checkout of another account tells nothing, and whoever asks too often hears
 * what the service has heard.
 */
export async function readSubscription(
  read: (path: string) => Promise<Subscription>,
  query: URLSearchParams,
): Promise<SubscriptionAfterReturn> {
  const isReturn = query.has('checkout')
  const name = isReturn ? 'checkout' : 'portal'
  const value = query.get(name)
  if (value === null) return { ...(await read('subscription')), isReturn }
  try {
    return { ...(await read(`subscription?${name}=${encodeURIComponent(value)}`)), isReturn }
  } catch (error) {
    if (error instanceof MainstayError && NOT_ASKED.includes(error.code))
      return { ...(await read('subscription')), isReturn: false }
    throw error
  }
}

/** Whether somebody has come back from the payment page without paying; `checkout` is there for who has. */
export function isCancelledPayment(query: URLSearchParams): boolean {
  return query.get('payment') === 'back' && !query.has('checkout')
}

/** Where the payment page sends people back to: one without `checkout` in it has not been paid. */
export function paymentReturnUrl(page: string): string {
  const url = new URL(page)
  url.searchParams.set('payment', 'back')
  return url.href
}

export function isActive({ state }: Subscription): boolean {
  return ['active', 'trialing'].includes(state)
}

const stateNames = (): Readonly<Record<string, string>> => ({
  none: t('subscription.none'),
  pending: t('subscription.pending'),
  trialing: t('subscription.trialing'),
  active: t('subscription.active'),
  past_due: t('subscription.pastDue'),
  restricted: t('subscription.restricted'),
  canceled: t('subscription.canceled'),
})

const REPLACEABLE = ['none', 'canceled']

export function stateName({ state, status }: Subscription): string {
  if (status === 'paused') return t('subscription.paused')
  return stateNames()[state] ?? state
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
