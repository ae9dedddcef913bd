import type { CheckoutLine, CheckoutRecord } from '../checkout/checkout.js'
import { nextPeriodEnd } from '../prices/period.js'
import { planOf } from '../prices/plan.js'
import { nowSeconds } from '../state/clock.js'
import { newId } from '../state/ids.js'
import type { Subscription, SubscriptionItem } from './subscription.js'
import { startTrial } from './trial.js'

/** A subscription to the checkout's lines: active from now, or trialing. */
export function newSubscription(record: CheckoutRecord, customer: string): Subscription {
  const subscription = activeSubscription(record, customer)
  const trialDays = record.trialDays ?? 0
  if (trialDays > 0) startTrial(subscription, subscription.start_date + trialDays * DAY_SECONDS)
  return subscription
}

const DAY_SECONDS = 24 * 60 * 60

function activeSubscription(record: CheckoutRecord, customer: string): Subscription {
  const now = nowSeconds()
  const id = newId('sub_1', 23)
  const isTaxed = record.checkout.automatic_tax.enabled
  const url = `/v1/subscription_items?subscription=${id}`
  return {
    id,
    object: 'subscription',
    ...NOT_USED_HERE,
    automatic_tax: { disabled_reason: null, enabled: isTaxed, liability: isTaxed ? { type: 'self' } : null },
    billing_cycle_anchor: now,
    billing_mode: billingMode(record.isClassic === true),
    billing_schedules: [],
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    collection_method: 'charge_automatically',
    created: now,
    currency: record.lines[0]!.price.currency,
    customer,
    default_tax_rates: [],
    discounts: record.discountId ? [record.discountId] : [],
    ended_at: null,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: 'self' },
    },
    items: { object: 'list', data: record.lines.map(line => newItem(id, line)), has_more: false, url },
    latest_invoice: null,
    livemode: false,
    metadata: record.subscriptionMetadata,
    start_date: now,
    status: 'active',
    trial_settings: record.trialSettings ?? null,
  }
}

/**
 * https://docs.stripe.com/billing/subscriptions/billing-mode: flexible is the default since
 * 2025-09-30.clover.
 */
function billingMode(isClassic: boolean): Subscription['billing_mode'] {
  if (isClassic) return { flexible: null, type: 'classic' }
  return { flexible: { proration_discounts: 'included' }, type: 'flexible' }
}

/** An item whose first period starts now. */
export function newItem(subscription: string, { price, quantity = 1 }: CheckoutLine): SubscriptionItem {
  const now = nowSeconds()
  return {
    id: newId('si_', 14),
    object: 'subscription_item',
    billing_thresholds: null,
    created: now,
    current_period_end: nextPeriodEnd(price, now),
    current_period_start: now,
    current_trial: null,
    discounts: [],
    metadata: {},
    plan: planOf(price),
    price,
    ...(price.recurring?.usage_type !== 'metered' && { quantity }),
    subscription,
    tax_rates: [],
  }
}

const NOT_USED_HERE = {
  application: null,
  application_fee_percent: null,
  billing_cycle_anchor_config: null,
  billing_thresholds: null,
  customer_account: null,
  days_until_due: null,
  default_payment_method: null,
  default_source: null,
  description: null,
  managed_payments: null,
  next_pending_invoice_item_invoice: null,
  on_behalf_of: null,
  pause_collection: null,
  payment_settings: null,
  pending_invoice_item_interval: null,
  pending_setup_intent: null,
  pending_update: null,
  schedule: null,
  test_clock: null,
  transfer_data: null,
  trial_end: null,
  trial_start: null,
} satisfies Partial<Subscription>
