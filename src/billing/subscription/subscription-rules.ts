import type Stripe from 'stripe'
import type { subscriptions } from '../../platform/database/schema/billing.js'
import type { PlanName } from '../../platform/plans.js'
import { secondsAfter } from '../../platform/time.js'

// The rules about an account's subscription: what the provider's word for it means, and when what it pays for
// ends. No database, no clock.

export type SubscriptionRow = typeof subscriptions.$inferSelect

/** The states of a subscription as the provider names them, and `none` for an account that never had one. */
export type ProviderStatus =
  | 'none'
  | 'incomplete'
  | 'incomplete_expired'
  | 'trialing'
  | 'active'
  | 'past_due'
  | 'canceled'
  | 'unpaid'
  | 'paused'

/** Subscriptions that can never bill again. */
export const ENDED_STATUSES: readonly string[] = ['canceled', 'incomplete_expired'] satisfies ProviderStatus[]
/** Subscriptions that do not bill: ended, or the first payment has not succeeded. */
const NOT_LIVE: readonly string[] = ['none', 'incomplete', ...ENDED_STATUSES]
/**
 * A payment is due. In the first state the provider is still trying, in the second it has given up. One that it has
 * paused for want of a payment is due as well: {@link isPastDue}.
 */
const PAST_DUE: readonly string[] = ['past_due', 'unpaid'] satisfies ProviderStatus[]

const PAUSED_UNPAID: readonly string[] = ['first_payment_failure', 'final_payment_failure']

/** Whether the account is billed for it. An incomplete one may be later: see {@link isPaymentPending}. */
export function isLive(status: string): boolean {
  return !NOT_LIVE.includes(status)
}

/**
 * Whether a payment for it is due. The provider may be set to pause a subscription after the first or the last failed
 * payment: https://docs.stripe.com/api/subscriptions/object#subscription_object-status_details.
 */
export function isPastDue({
  status,
  status_details: details,
}: Pick<Stripe.Subscription, 'status' | 'status_details'>): boolean {
  const pausedBy = status === 'paused' ? details?.paused?.subscription.type : undefined
  return PAST_DUE.includes(status) || PAUSED_UNPAID.includes(pausedBy ?? '')
}

/** Whether its first payment may still arrive, which can take days. */
export function isPaymentPending({
  status,
  firstPaymentFailed,
}: Pick<SubscriptionRow, 'status' | 'firstPaymentFailed'>): boolean {
  return status === 'incomplete' && !firstPaymentFailed
}

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

const PAID_FOR: readonly SubscriptionState[] = ['trialing', 'active', 'past_due']

/** Whether the account has what its plan includes. */
export function isPaidFor(state: SubscriptionState): boolean {
  return PAID_FOR.includes(state)
}

/** An account's subscription as we have it; all times ISO 8601, UTC. */
export interface KnownSubscription {
  readonly status: ProviderStatus
  /** The price that was bought; null without a subscription. */
  readonly plan: string | null
  readonly quantity: number | null
  readonly currentPeriodEnd: string | null
  /** Whether it has been cancelled; it lives until `endsAt`. */
  readonly cancelAtPeriodEnd: boolean
  /** When it ends or has ended; null while it is not cancelled. */
  readonly endsAt: string | null
  /** When the account loses its plan unless it pays; null while no payment is due. */
  readonly graceUntil: string | null
  /** Whether the first payment may still arrive. */
  readonly isPaymentPending: boolean
}

/** A {@link KnownSubscription} as the account's users see it at a given time. */
export interface SubscriptionView extends Omit<KnownSubscription, 'isPaymentPending'> {
  readonly state: SubscriptionState
  /** The plan's name in the plans file, else the provider's; null while neither is known. */
  readonly planName: string | null
  /** In other languages, by their BCP 47 tags. */
  readonly planNames: Readonly<Record<string, string>>
  /** When the next period is charged, even if it ends later; null when none will be, or a payment is already due. */
  readonly renewsAt: string | null
}

/** A row in our own terms; null stands for an account that never had a subscription. */
export function knownSubscription(row: SubscriptionRow | null, graceSeconds: number): KnownSubscription {
  return {
    status: (row?.status ?? 'none') as ProviderStatus,
    plan: row?.priceId ?? null,
    quantity: row?.quantity ?? null,
    currentPeriodEnd: row?.currentPeriodEnd?.toISOString() ?? null,
    cancelAtPeriodEnd: row?.cancelAtPeriodEnd ?? false,
    endsAt: row?.endsAt?.toISOString() ?? null,
    graceUntil: row?.pastDueSince ? secondsAfter(row.pastDueSince, graceSeconds).toISOString() : null,
    isPaymentPending: row !== null && isPaymentPending(row),
  }
}

/** What we know, in the terms of the account's users. */
export function viewOf(known: KnownSubscription, plan: PlanName | null, now: Date): SubscriptionView {
  const { isPaymentPending: _, ...shown } = known
  const state = stateOf(known, now)
  const continues =
    (state === 'active' || state === 'trialing') && (known.endsAt === null || endsInLaterPeriod(known))
  const { name: planName, names: planNames } = plan ?? { name: null, names: {} }
  return { ...shown, state, planName, planNames, renewsAt: continues ? known.currentPeriodEnd : null }
}

/** Whether another period is charged before the end, as in a contract of a year that is paid by the month. */
export function endsInLaterPeriod<T extends Date | string>({
  endsAt,
  currentPeriodEnd,
}: {
  readonly endsAt: T | null
  readonly currentPeriodEnd: T | null
}): boolean {
  return endsAt !== null && currentPeriodEnd !== null && endsAt > currentPeriodEnd
}

type StateFacts = Pick<KnownSubscription, 'status' | 'isPaymentPending' | 'graceUntil'>

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
    case 'paused':
      return overdueState(graceUntil, now)
    case 'active':
      return graceUntil ? overdueState(graceUntil, now) : 'active'
    default:
      return status
  }
}

/** Without a date nothing is due: the subscription was paused on request, or after a trial without a card. */
function overdueState(graceUntil: string | null, now: Date): SubscriptionState {
  return graceUntil && new Date(graceUntil) > now ? 'past_due' : 'restricted'
}

/**
 * When the state changes by itself, at the end of the grace period; null when only an event can change it.
 */
export function nextChangeOf(known: StateFacts, now: Date): Date | null {
  return stateOf(known, now) === 'past_due' ? new Date(known.graceUntil as string) : null
}

/**
 * Since when a payment for this subscription has been due; null when none is. Another failed attempt does not
 * restart the grace period; a payment ends it, unless another invoice is due: `hasOverdueInvoice`.
 */
export function pastDueSince(
  before: SubscriptionRow | null,
  subscription: Stripe.Subscription,
  hasOverdueInvoice: boolean,
  now: Date,
): Date | null {
  const since = before?.providerId === subscription.id ? before.pastDueSince : null
  if (isPastDue(subscription)) return since ?? now
  return subscription.status === 'active' && hasOverdueInvoice ? since : null
}
