import type { CheckoutLine, CheckoutRecord } from './checkout.js'
import { newId, nowSeconds } from './clock.js'
import type { EventCause } from './event.js'
import type { Events, SecondaryEvents } from './events.js'
import { ApiError, type Form, flag, nested, oneOf } from './http.js'
import type { Invoice, InvoiceTerms } from './invoice.js'
import type { Invoices, Prorations } from './invoices.js'
import { nextPeriodEnd, type Prices, planOf } from './prices.js'
import type { State } from './state.js'
import {
  applyPatch,
  cancelNow,
  endTrialAt,
  hasEnded,
  type PauseReason,
  patchOf,
  pause,
  periodEnd,
  renew,
  resume,
  type Subscription,
  type SubscriptionItem,
  type SubscriptionPatch,
  startTrial,
} from './subscription.js'

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
function newItem(subscription: string, { price, quantity = 1 }: CheckoutLine): SubscriptionItem {
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

const STATUS_WHILE_PAUSED: Record<string, InvoiceTerms['status']> = {
  keep_as_draft: 'draft',
  mark_uncollectible: 'uncollectible',
  void: 'void',
}

/** Stripe acts when something falls due. Here nothing runs in the background, so it happens at the next read. */
export class Renewals {
  constructor(
    private readonly state: State,
    private readonly events: Events,
    private readonly secondaryEvents: SecondaryEvents,
    private readonly invoices: Invoices,
  ) {}

  /**
   * Does whatever is due, with Stripe's events: resumes collection, renews (a trial becomes active) or ends.
   * Safe to repeat.
   */
  catchUp(subscription: Subscription): void {
    this.resumeCollection(subscription)
    const { status, cancel_at } = subscription
    if (hasEnded(subscription)) return
    if (cancel_at !== null && cancel_at <= nowSeconds()) {
      this.end(subscription, cancel_at)
      return
    }
    const isRunning = ['active', 'trialing', 'unpaid'].includes(status)
    if (!isRunning || periodEnd(subscription) > nowSeconds()) return
    if (status === 'trialing' && this.state.withoutMethod.has(subscription.id))
      this.endTrialWithoutMethod(subscription)
    else this.renew(subscription)
  }

  /**
   * As `trial_settings` say: ends, pauses, or by default bills what nobody can pay:
   * https://docs.stripe.com/billing/subscriptions/trials/free-trials#create-free-trials-without-payment.
   */
  private endTrialWithoutMethod(subscription: Subscription): void {
    const missing = subscription.trial_settings?.end_behavior.missing_payment_method
    if (missing === 'cancel') {
      this.end(subscription, periodEnd(subscription))
      return
    }
    const before = structuredClone(subscription)
    if (missing === 'pause') {
      pause(subscription, 'trial_end_without_payment_method')
      this.events.emit('customer.subscription.paused', subscription)
      this.events.emit('customer.subscription.updated', subscription, undefined, before)
      return
    }
    subscription.status = 'past_due'
    renew(subscription, nowSeconds())
    const invoice = this.invoices.issue(subscription, 'subscription_cycle', 'open')
    this.secondaryEvents.ofRenewal(invoice)
    this.invoices.recordFailedAttempt(invoice)
    this.events.emit('invoice.payment_failed', invoice)
    this.events.emit('customer.subscription.updated', subscription, undefined, before)
  }

  private resumeCollection(subscription: Subscription): void {
    const resumesAt = subscription.pause_collection?.resumes_at ?? null
    if (resumesAt === null || resumesAt > nowSeconds()) return
    const before = structuredClone(subscription)
    subscription.pause_collection = null
    this.events.emit('customer.subscription.updated', subscription, undefined, before)
  }

  private end(subscription: Subscription, endedAt: number): void {
    cancelNow(subscription, endedAt)
    this.events.emit('customer.subscription.deleted', subscription)
  }

  /** An unpaid subscription stays so, and its invoices stay drafts, which nobody is asked to pay. */
  private renew(subscription: Subscription): void {
    const before = structuredClone(subscription)
    const isUnpaid = subscription.status === 'unpaid'
    if (!isUnpaid) subscription.status = 'active'
    renew(subscription, nowSeconds())
    const behavior = isUnpaid ? 'keep_as_draft' : subscription.pause_collection?.behavior
    const status = behavior ? STATUS_WHILE_PAUSED[behavior] : 'paid'
    const invoice = this.invoices.issue(subscription, 'subscription_cycle', status)
    const isPaid = status === 'paid'
    if (isPaid) {
      this.secondaryEvents.ofRenewal(invoice)
      this.secondaryEvents.ofPaid(invoice)
    }
    this.events.emit('customer.subscription.updated', subscription, undefined, before)
    if (isPaid) this.events.emit('invoice.paid', invoice)
  }
}

/** Bills changes of subscriptions. Emits nothing. */
export class SubscriptionBilling {
  constructor(
    private readonly invoices: Invoices,
    private readonly prorations: Prorations,
  ) {}

  /**
   * The paid invoice when the change is billed at once (a trial was cut short, or `always_invoice`);
   * otherwise null. It is the latest, so paying it makes a past due subscription active, whatever else is open:
   * https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses.
   */
  billChange(
    before: Subscription,
    after: Subscription,
    behavior: NonNullable<SubscriptionPatch['proration_behavior']>,
  ): Invoice | null {
    const isNewPeriod = before.billing_cycle_anchor !== after.billing_cycle_anchor
    if (isNewPeriod && before.status === 'trialing' && after.status === 'active')
      return this.billNewPeriod(after)
    if (behavior !== 'none') this.prorations.record(before, after)
    if (behavior !== 'always_invoice' || this.prorations.pending(after) === 0) return null
    if (after.status === 'past_due') after.status = 'active'
    return this.invoices.issue(after, 'subscription_update')
  }

  /** The paid invoice of an ended subscription's pending prorations; null when there are none. */
  billPending(subscription: Subscription): Invoice | null {
    return this.prorations.pending(subscription) === 0
      ? null
      : this.invoices.issue(subscription, 'subscription_update')
  }

  /** The paid invoice of a period that starts now. */
  billNewPeriod(subscription: Subscription): Invoice {
    return this.invoices.issue(subscription, 'subscription_cycle')
  }
}

export class Subscriptions {
  constructor(
    private readonly state: State,
    private readonly events: Events,
    private readonly prices: Prices,
    private readonly billing: SubscriptionBilling,
    private readonly renewals: Renewals,
  ) {}

  /** The subscription, renewed or ended first if that is due; throws 404 resource_missing. */
  find(id: string): Subscription {
    const subscription = this.stored(id)
    this.renewals.catchUp(subscription)
    return subscription
  }

  /** Like `find`, but without doing what is due. */
  stored(id: string): Subscription {
    const subscription = this.state.subscriptions.get(id)
    if (!subscription) throw ApiError.missing(404, 'subscription', id, 'id')
    return subscription
  }

  /**
   * A customer's subscriptions (everybody's when null), newest first. A null status means all but canceled
   * ones; `all` and `ended` are as in https://docs.stripe.com/api/subscriptions/list.
   */
  list(customer: string | null, status: string | null): Subscription[] {
    const all = this.state.subscriptions.ofCustomer(customer).reverse()
    for (const subscription of all) this.renewals.catchUp(subscription)
    return all.filter(subscription => {
      if (status === null) return subscription.status !== 'canceled'
      return (
        status === 'all' || (status === 'ended' ? hasEnded(subscription) : subscription.status === status)
      )
    })
  }

  /** Makes the changes of the request; throws 400 when it has ended and for what `patchOf` refuses. */
  update(id: string, params: Form, cause: EventCause): Subscription {
    return this.change(id, patchOf(params, this.find(id), this.prices), cause)
  }

  /**
   * Applies a patch and emits `customer.subscription.updated`, or `.deleted` when the new status is canceled,
   * then `invoice.paid` when the change is billed at once. Throws 400 when it has already ended.
   */
  change(id: string, patch: SubscriptionPatch, cause?: EventCause): Subscription {
    const subscription = this.find(id)
    if (patch.status === 'canceled') return this.cancel(id, cause)
    if (hasEnded(subscription)) {
      const message = 'A canceled subscription can only update its cancellation_details and metadata.'
      throw ApiError.badParameter('invalid_canceled_subscription_fields', 'id', message)
    }
    if (patch.trial_end === 'now' && this.state.withoutMethod.has(id)) return this.endTrial(subscription)
    const before = structuredClone(subscription)
    applyPatch(subscription, patch, this.prices)
    const invoice = this.billing.billChange(before, subscription, patch.proration_behavior ?? 'none')
    this.events.emit('customer.subscription.updated', subscription, cause, before)
    if (invoice) this.events.emit('invoice.paid', invoice, cause)
    return subscription
  }

  /** Its customer has given a means of payment. */
  recordMethod(id: string): void {
    this.state.withoutMethod.delete(id)
  }

  /** Adds an item before the others, which is not billed until the next period. */
  addItem(id: string, price: string): void {
    const subscription = this.find(id)
    const before = structuredClone(subscription)
    subscription.items.data.unshift(newItem(id, { price: this.prices.find(price, 'price') }))
    this.events.emit('customer.subscription.updated', subscription, undefined, before)
  }

  /** Emits `customer.subscription.paused`; throws 400 unless it is active, trialing or past due. */
  pause(id: string, cause?: EventCause, reason?: PauseReason): Subscription {
    const subscription = this.find(id)
    if (!['active', 'past_due', 'trialing'].includes(subscription.status))
      throw wrongStatus(subscription, 'paused')
    const before = structuredClone(subscription)
    pause(subscription, reason)
    this.events.emit('customer.subscription.paused', subscription, cause)
    this.events.emit('customer.subscription.updated', subscription, cause, before)
    return subscription
  }

  /**
   * Emits `customer.subscription.resumed`, and `invoice.paid` for a period that starts now unless
   * `billing_cycle_anchor[type]` is `unchanged`. Throws 400 when it is not paused, and when there is no means of payment.
   */
  resume(id: string, params: Form, cause?: EventCause): Subscription {
    const subscription = this.find(id)
    if (subscription.status !== 'paused') throw wrongStatus(subscription, 'resumed')
    if (this.state.withoutMethod.has(id)) throw noMethod()
    const anchor = nested(params, 'billing_cycle_anchor')
    const type = oneOf(anchor, 'type', ['now', 'unchanged'], 'billing_cycle_anchor[type]') ?? 'now'
    const before = structuredClone(subscription)
    resume(subscription, type)
    const invoice = type === 'now' ? this.billing.billNewPeriod(subscription) : null
    this.events.emit('customer.subscription.resumed', subscription, cause)
    this.events.emit('customer.subscription.updated', subscription, cause, before)
    if (invoice) this.events.emit('invoice.paid', invoice, cause)
    return subscription
  }

  /**
   * Ends it now and emits `customer.subscription.deleted`. Pending prorations are billed with `invoice_now`,
   * and otherwise never. Throws 404, as Stripe does, when it has already ended.
   */
  cancel(id: string, cause?: EventCause, params: Form = {}): Subscription {
    const subscription = this.find(id)
    if (hasEnded(subscription)) throw ApiError.missing(404, 'subscription', id, 'id')
    cancelNow(subscription, nowSeconds())
    const invoice = flag(params, 'invoice_now') ? this.billing.billPending(subscription) : null
    this.events.emit('customer.subscription.deleted', subscription, cause)
    if (invoice) this.events.emit('invoice.paid', invoice, cause)
    return subscription
  }

  /** Ends a trial for which nobody gave a means of payment, as its time does. */
  private endTrial(subscription: Subscription): Subscription {
    if (subscription.status === 'trialing') endTrialAt(subscription, nowSeconds())
    this.renewals.catchUp(subscription)
    return subscription
  }
}

function wrongStatus({ status }: Subscription, action: 'paused' | 'resumed'): ApiError {
  return new ApiError(400, 'invalid_request_error', `A subscription that is ${status} cannot be ${action}.`)
}

function noMethod(): ApiError {
  const message =
    'This customer has no attached payment source or default payment method. Please consider adding a default payment method.'
  return new ApiError(400, 'invalid_request_error', message, 'resource_missing')
}

// https://docs.stripe.com/billing/subscriptions/trials: the event comes three days before the end.
const NOTICE_SECONDS = 3 * 24 * 60 * 60

export class Trials {
  constructor(
    private readonly events: Events,
    private readonly subscriptions: Subscriptions,
  ) {}

  /**
   * Shortens a trial to its last three days and emits `customer.subscription.trial_will_end`; throws when it
   * is not on trial.
   */
  endSoon(subscriptionId: string): void {
    const subscription = this.onTrial(subscriptionId)
    endTrialAt(subscription, Math.min(subscription.trial_end!, nowSeconds() + NOTICE_SECONDS))
    this.events.emit('customer.subscription.trial_will_end', subscription)
  }

  /** Ends a trial now, as `trial_end=now` does; throws when it is not on trial. */
  end(subscriptionId: string): void {
    this.subscriptions.change(this.onTrial(subscriptionId).id, { trial_end: 'now' })
  }

  private onTrial(subscriptionId: string): Subscription {
    const subscription = this.subscriptions.find(subscriptionId)
    if (subscription.status === 'trialing') return subscription
    throw new Error(`Subscription ${subscriptionId} is not on trial`)
  }
}
