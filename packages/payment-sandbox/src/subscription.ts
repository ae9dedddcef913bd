import type { Stripe } from 'stripe'
import { nowSeconds } from './clock.js'
import {
  ApiError,
  type Form,
  flag,
  futureTime,
  integer,
  isUnset,
  metadata,
  nested,
  nestedList,
  oneOf,
  requiredText,
  text,
} from './http.js'
import {
  billedQuantity,
  monthsOf,
  nextPeriodEnd,
  type Plan,
  type Price,
  type Prices,
  planOf,
  requireNoQuantity,
} from './prices.js'

/** Stripe's item, with decimals as strings, as in JSON. The paid period is here, not on the subscription. */
export type SubscriptionItem = Omit<Stripe.SubscriptionItem, 'plan' | 'price'> & { plan: Plan; price: Price }

/** Stripe's subscription, with references as ids. */
export type Subscription = Omit<Stripe.Subscription, 'customer' | 'items' | 'latest_invoice'> & {
  customer: string
  items: Omit<Stripe.ApiList<never>, 'data'> & { data: SubscriptionItem[] }
  latest_invoice: string | null
}

const ITEMS_SHOWN = 10

/** As Stripe shows it: with its first ten items. The others are at `/v1/subscription_items`. */
export function shown(subscription: Subscription): Subscription {
  const { items } = subscription
  const data = items.data.slice(0, ITEMS_SHOWN)
  return { ...subscription, items: { ...items, data, has_more: items.data.length > ITEMS_SHOWN } }
}

/** What all items cost for one period, in cents. */
export function totalOfItems({ items }: Subscription): number {
  return items.data.reduce(
    (sum, item) => sum + (item.price.unit_amount ?? 0) * billedQuantity(item.price, item.quantity),
    0,
  )
}

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

function cancelAtPeriodEnd(subscription: Subscription): void {
  cancelAt(subscription, periodEnd(subscription))
  subscription.cancel_at_period_end = true
}

/** Schedules the end; the flag `cancel_at_period_end` is false, as when a customer cancels in the portal. */
function cancelAt(subscription: Subscription, seconds: number): void {
  subscription.cancel_at_period_end = false
  subscription.cancel_at = seconds
  subscription.canceled_at = nowSeconds()
  subscription.cancellation_details!.reason = 'cancellation_requested'
}

function undoCancellation(subscription: Subscription): void {
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
function startItemPeriod(item: SubscriptionItem, start: number): void {
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

function setPeriod(subscription: Subscription, start: number, end: number): void {
  for (const item of subscription.items.data) {
    item.current_period_start = start
    item.current_period_end = end
  }
}

const PRORATIONS = ['create_prorations', 'always_invoice', 'none'] as const
const PAUSES = ['keep_as_draft', 'mark_uncollectible', 'void'] as const

interface ItemPatch {
  /** Every item when absent. */
  id?: string
  price?: string
  quantity?: number
  current_period_end?: number
}

/** The changes to a subscription, with Stripe's names. What is absent stays as it is. */
export interface SubscriptionPatch {
  status?: Subscription['status']
  cancel_at_period_end?: boolean
  /** When the subscription ends, in seconds since 1970; null undoes a cancellation. */
  cancel_at?: number | null
  items?: ItemPatch[]
  /** Merged with the existing metadata; an empty string removes its key. */
  metadata?: Record<string, string>
  /** Null resumes collection. */
  pause_collection?: Subscription['pause_collection']
  /** When the trial ends, in seconds since 1970. */
  trial_end?: number | 'now'
  /** Whether the price difference for the rest of the period is billed. Default none. */
  proration_behavior?: (typeof PRORATIONS)[number]
}

/**
 * The changes that an API request asks for; throws 400 for an unknown item or price and for a value that
 * Stripe refuses.
 */
export function patchOf(params: Form, subscription: Subscription, prices: Prices): SubscriptionPatch {
  const cancelAtPeriodEnd = flag(params, 'cancel_at_period_end')
  const trialEnd = trialEndOf(params)
  return {
    items: nestedList(params, 'items').map((item, index) => itemPatch(item, index, subscription, prices)),
    metadata: metadata(params),
    proration_behavior: oneOf(params, 'proration_behavior', PRORATIONS) ?? 'create_prorations',
    ...(cancelAtPeriodEnd !== null && { cancel_at_period_end: cancelAtPeriodEnd }),
    ...('cancel_at' in params && { cancel_at: futureTime(params, 'cancel_at') }),
    ...('pause_collection' in params && { pause_collection: pauseOf(params) }),
    ...(trialEnd !== null && { trial_end: trialEnd }),
  }
}

function itemPatch(item: Form, index: number, subscription: Subscription, prices: Prices): ItemPatch {
  const param = `items[${index}]`
  // Without an id, Stripe adds a second item and bills both. The sandbox refuses what is surely a mistake.
  const id = requiredText(item, 'id', `${param}[id]`)
  const known = subscription.items.data.find(existing => existing.id === id)
  if (!known) throw ApiError.missing(400, 'subscription item', id, `${param}[id]`)
  const price = text(item, 'price')
  const quantity = integer(item, 'quantity')
  const sold = price === null ? known.price : prices.find(price, `${param}[price]`)
  requireNoQuantity(quantity, sold, param)
  return {
    id,
    ...(price !== null && { price: sold.id }),
    ...(quantity !== null && { quantity }),
  }
}

function pauseOf(params: Form): Subscription['pause_collection'] {
  if (isUnset(params, 'pause_collection')) return null
  const pause = nested(params, 'pause_collection')
  const param = 'pause_collection[behavior]'
  requiredText(pause, 'behavior', param)
  return { behavior: oneOf(pause, 'behavior', PAUSES, param)!, resumes_at: integer(pause, 'resumes_at') }
}

function trialEndOf(params: Form): number | 'now' | null {
  if (text(params, 'trial_end') === 'now') return 'now'
  return futureTime(params, 'trial_end')
}

/** Starts or extends a trial until `end`, which becomes the anchor of the paid periods. */
export function startTrial(subscription: Subscription, end: number): void {
  const now = nowSeconds()
  if (subscription.status !== 'trialing') {
    subscription.status = 'trialing'
    subscription.trial_start = now
  }
  endTrialAt(subscription, end)
}

export function endTrialAt(subscription: Subscription, end: number): void {
  subscription.trial_end = end
  subscription.billing_cycle_anchor = end
  setPeriod(subscription, subscription.trial_start!, end)
}

/** Makes the subscription active; a paid period starts now. */
function endTrialNow(subscription: Subscription): void {
  const now = nowSeconds()
  subscription.status = 'active'
  subscription.trial_end = now
  startPeriod(subscription, now)
}

/** Changes the subscription; throws 400, with nothing changed, for an unknown price. */
export function applyPatch(subscription: Subscription, patch: SubscriptionPatch, prices: Prices): void {
  patchItems(subscription, patch.items ?? [], prices)
  if (patch.status) subscription.status = patch.status
  if (patch.metadata) patchMetadata(subscription, patch.metadata)
  if (patch.pause_collection !== undefined) subscription.pause_collection = patch.pause_collection
  if (patch.trial_end !== undefined) patchTrial(subscription, patch.trial_end)
  if (patch.cancel_at === null) undoCancellation(subscription)
  else if (patch.cancel_at !== undefined) cancelAt(subscription, patch.cancel_at)
  if (patch.cancel_at_period_end === true) cancelAtPeriodEnd(subscription)
  if (patch.cancel_at_period_end === false) undoCancellation(subscription)
}

function patchItems(subscription: Subscription, patches: ItemPatch[], prices: Prices): void {
  const found = patches.map(patch => ({
    ...patch,
    price: patch.price === undefined ? null : prices.find(patch.price, 'items[0][price]'),
  }))
  for (const item of subscription.items.data) {
    const patch = found.find(({ id }) => !id || id === item.id)
    if (patch?.price) patchPrice(item, patch.price)
    if (patch?.quantity !== undefined) item.quantity = patch.quantity
    if (item.price.recurring?.usage_type === 'metered') delete item.quantity
    else item.quantity ??= 1
    if (patch?.current_period_end !== undefined) item.current_period_end = patch.current_period_end
  }
}

/**
 * A change of interval starts a new period at once:
 * https://docs.stripe.com/billing/subscriptions/change-price.
 */
function patchPrice(item: SubscriptionItem, price: Price): void {
  const isOtherInterval = monthsOf(item.price) !== monthsOf(price)
  item.price = price
  item.plan = planOf(price)
  if (isOtherInterval) startItemPeriod(item, nowSeconds())
}

function patchMetadata(subscription: Subscription, metadata: Record<string, string>): void {
  const merged = Object.entries({ ...subscription.metadata, ...metadata })
  subscription.metadata = Object.fromEntries(merged.filter(([, value]) => value !== ''))
}

function patchTrial(subscription: Subscription, end: number | 'now'): void {
  if (end !== 'now' && end > nowSeconds()) startTrial(subscription, end)
  else if (subscription.status === 'trialing') endTrialNow(subscription)
}

export type PauseReason =
  | 'pause_requested'
  | 'first_payment_failure'
  | 'final_payment_failure'
  | 'trial_end_without_payment_method'

/** Stops billing and renewals. */
export function pause(subscription: Subscription, type: PauseReason = 'pause_requested'): void {
  subscription.status = 'paused'
  subscription.status_details = {
    paused: {
      subscription: { type },
      transitioned_at: nowSeconds(),
      type: 'subscription',
    },
  }
}

/** Makes the subscription active again, in its old period or in one that starts now. */
export function resume(subscription: Subscription, anchor: 'now' | 'unchanged'): void {
  subscription.status = 'active'
  delete subscription.status_details
  if (anchor === 'now') startPeriod(subscription, nowSeconds())
}
