import type { Stripe } from 'stripe'
import type { Plan } from '../prices/plan.js'
import { billedQuantity, type Price } from '../prices/prices.js'

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
