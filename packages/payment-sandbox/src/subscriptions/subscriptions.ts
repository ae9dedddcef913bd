import type { EventCause } from '../events/event.js'
import type { Events } from '../events/events.js'
import { ApiError } from '../http/api-error.js'
import type { Form } from '../http/form.js'
import { flag, nested, oneOf } from '../http/form-fields.js'
import type { Prices } from '../prices/prices.js'
import { nowSeconds } from '../state/clock.js'
import type { State } from '../state/state.js'
import { applyPatch } from './apply-patch.js'
import { newItem } from './new-subscription.js'
import type { Renewals } from './renewals.js'
import type { Subscription } from './subscription.js'
import type { SubscriptionBilling } from './subscription-billing.js'
import { cancelNow, hasEnded } from './subscription-changes.js'
import { patchOf, type SubscriptionPatch } from './subscription-patch.js'
import { type PauseReason, pause, resume } from './subscription-pause.js'
import { endTrialAt } from './trial.js'

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
