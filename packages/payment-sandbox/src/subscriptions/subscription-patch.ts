import { ApiError } from '../http/api-error.js'
import type { Form } from '../http/form.js'
import {
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
} from '../http/form-fields.js'
import { type Prices, requireNoQuantity } from '../prices/prices.js'
import type { Subscription } from './subscription.js'

export const PRORATIONS = ['create_prorations', 'always_invoice', 'none'] as const
const PAUSES = ['keep_as_draft', 'mark_uncollectible', 'void'] as const

export interface ItemPatch {
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
