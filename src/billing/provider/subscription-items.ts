import type Stripe from 'stripe'
import { callStripe } from './payment-provider.js'

const ITEMS_A_PAGE = 100
/** More than the provider allows in a subscription. */
const MAX_ITEMS = 1_000

/**
 * The subscription with all its items: the provider's answer has ten at most, and our plan may be behind them. Asks only
 * where there are more; throws like `callStripe`.
 */
export async function withAllItems(stripe: Stripe, found: Stripe.Subscription): Promise<Stripe.Subscription> {
  if (!found.items.has_more) return found
  const data = await callStripe(() =>
    stripe.subscriptionItems
      .list({ subscription: found.id, limit: ITEMS_A_PAGE })
      .autoPagingToArray({ limit: MAX_ITEMS }),
  )
  return { ...found, items: { ...found.items, data, has_more: false } }
}
