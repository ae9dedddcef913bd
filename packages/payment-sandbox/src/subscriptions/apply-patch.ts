import { monthsOf } from '../prices/period.js'
import { planOf } from '../prices/plan.js'
import type { Price, Prices } from '../prices/prices.js'
import { nowSeconds } from '../state/clock.js'
import type { Subscription, SubscriptionItem } from './subscription.js'
import { cancelAt, cancelAtPeriodEnd, startItemPeriod, undoCancellation } from './subscription-changes.js'
import type { ItemPatch, SubscriptionPatch } from './subscription-patch.js'
import { endTrialNow, startTrial } from './trial.js'

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
