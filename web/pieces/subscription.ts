import { MainstayError } from '@mainstay-auth/client'
import type { PlanAnswer as OfferedPlan } from '@mainstay-auth/client/api'
import { i18n, locale, t } from './t.js'

export type { OfferedPlan }

/** An account's subscription, as the service returns it. */
export interface Subscription {
  readonly status: string
  readonly state: string
  /** The price id; `planName` is for people. */
  readonly plan: string | null
  readonly planName: string | null
  /** By BCP 47 tag, for other languages. */
  readonly planNames: Readonly<Record<string, string>>
  readonly quantity: number | null
  /** When it ends or ended. */
  readonly endsAt: string | null
  readonly renewsAt: string | null
  /** Until when the plan is kept although a payment is overdue; afterwards, since when it is gone. */
  readonly graceUntil: string | null
  /** The provider's page to confirm the first payment; null unless that is asked for, and for those who may not pay. */
  readonly confirmUrl: string | null
  /** How many the account may have now; null means any number. */
  readonly limits: { readonly satellites: number | null; readonly seats: number | null }
}

const NOT_ASKED = ['NOT_FOUND', 'INVALID_QUERY', 'TOO_MANY_ATTEMPTS']

/** A subscription, for somebody who may have just returned from paying for it. */
export interface SubscriptionAfterReturn extends Subscription {
  /** Whether the return address names a payment of this same account; anybody can make up an address. */
  readonly isReturn: boolean
}

/**
 * After a payment, the return address contains `checkout`, and after the portal `portal`: then the service
 * asks the provider instead of waiting for its events. A checkout of another account reveals nothing, and
 * somebody who asks too often gets only what the service already knows.
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

/** Whether somebody returned from the payment page without paying; after a payment there is `checkout`. */
export function isCancelledPayment(query: URLSearchParams): boolean {
  return query.get('payment') === 'back' && !query.has('checkout')
}

/** Where the payment page sends people back to: without `checkout` in it, nothing has been paid. */
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
  unconfirmed: t('subscription.unconfirmed'),
  trialing: t('subscription.trialing'),
  active: t('subscription.active'),
  past_due: t('subscription.pastDue'),
  restricted: t('subscription.restricted'),
  canceled: t('subscription.canceled'),
})

const REPLACEABLE = ['none', 'unconfirmed', 'canceled']

export function stateName(subscription: Subscription): string {
  if (isPaused(subscription)) return t('subscription.paused')
  return stateNames()[subscription.state] ?? subscription.state
}

/** Whether it is paused although no payment failed; after a failed one there is `graceUntil`, and something to pay. */
export function isPaused({ status, graceUntil }: Subscription): boolean {
  return status === 'paused' && graceUntil === null
}

/** Whether there is no subscription that a new one would duplicate. */
export function maySubscribe({ state }: Subscription): boolean {
  return REPLACEABLE.includes(state)
}

/** Whether it is live, so that its plan can be changed. */
export function mayChange({ state }: Subscription): boolean {
  return ['trialing', 'active', 'past_due'].includes(state)
}

/** Whether it has been cancelled but is still running for a while. */
export function isEnding({ state, endsAt }: Subscription): boolean {
  return state !== 'canceled' && endsAt !== null
}

/** Whether it is billed until somebody cancels it, so that the account cannot be deleted. */
export function isOpenEnded(subscription: Subscription): boolean {
  const { state, endsAt } = subscription
  return !maySubscribe(subscription) && state !== 'pending' && endsAt === null
}

/** Whether the provider's own pages have anything to show about it. */
export function hasPortal({ state }: Subscription): boolean {
  return state !== 'none'
}

/**
 * The payment provider counts these in whole units and in thousandths, all others in hundredths, also where a
 * browser shows no digits (HUF, IDR) or there is nothing smaller (ISK, UGX): https://docs.stripe.com/currencies.
 */
const IN_UNITS = 'bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'

const IN_THOUSANDTHS = 'bhd jod kwd omr tnd'

/** The name of a plan in the page's language. */
export function planText({ name, names }: Pick<OfferedPlan, 'name' | 'names'>): string {
  return names?.[i18n.locale] ?? name
}

/** “$20.00 a month for each seat”; null when the amount is not known in advance. */
export function priceText(plan: OfferedPlan): string | null {
  const { amount, currency, seats } = plan
  if (amount === null) return null
  const values = { amount: money(amount, currency), period: periodText(plan) }
  return seats ? t('plan.pricePerSeat', values) : t('plan.price', values)
}

/** What another person in the team costs, and how many there may be; empty where neither is so. */
export function seatWords(subscription: Subscription, plans: readonly OfferedPlan[]): string[] {
  const plan = plans.find(({ priceId, seats }) => seats && priceId === subscription.plan)
  const price = plan && mayChange(subscription) ? priceText(plan) : null
  const most = subscription.limits.seats
  return [
    ...(price === null ? [] : [t('team.seatPrice', { price })]),
    ...(most == null ? [] : [t('team.mostPeople', { count: most })]),
  ]
}

/** “a month”, “every 3 months”. */
export function periodText({ interval, intervalCount }: OfferedPlan): string {
  return t(`plan.period.${interval}`, { count: intervalCount })
}

/** An amount in the unit that the provider counts the currency in, formatted for the reader's country. */
export function money(amount: number, currency: string): string {
  const digits = IN_UNITS.includes(currency) ? 0 : IN_THOUSANDTHS.includes(currency) ? 3 : 2
  return new Intl.NumberFormat(locale(), {
    style: 'currency',
    currency: currency.toUpperCase(),
    maximumFractionDigits: digits,
  }).format(amount / 10 ** digits)
}
