import { ApiError } from './api-error.js'
import type { EventCause, Events } from './events.js'
import type { Form } from './form.js'
import { flag, forms, requiredText } from './form-fields.js'
import { newInvoice } from './invoice.js'
import type { Prices } from './prices.js'
import { nowSeconds } from './sandbox-clock.js'
import type { State } from './state.js'
import type { Subscription } from './subscription.js'
import {
  endNow,
  endWithPeriod,
  keepGoing,
  periodEnd,
  renew,
  type SubscriptionPatch,
} from './subscription-changes.js'

export class Subscriptions {
  constructor(
    private readonly state: State,
    private readonly events: Events,
    private readonly prices: Prices,
  ) {}

  /** The subscription as it is now, renewed or ended when its period is over; throws 404 resource_missing. */
  find(id: string): Subscription {
    const subscription = this.state.subscriptions.get(id)
    if (!subscription) throw ApiError.missing(404, 'subscription', id, 'id')
    this.catchUp(subscription)
    return subscription
  }

  /**
   * Subscriptions of a customer (of everybody when null), newest first. Without a status: all but canceled ones;
   * `all` and `ended` as in https://docs.stripe.com/api/subscriptions/list.
   */
  list(customer: string | null, status: string | null): Subscription[] {
    const all = [...this.state.subscriptions.keys()].map(id => this.find(id)).reverse()
    return all.filter(subscription => {
      if (customer !== null && subscription.customer !== customer) return false
      if (status === null) return subscription.status !== 'canceled'
      const ended = ['canceled', 'incomplete_expired'].includes(subscription.status)
      return status === 'all' || (status === 'ended' ? ended : subscription.status === status)
    })
  }

  /** Changes cancel_at_period_end or an item's price; throws 400 for a canceled one, 400 for an unknown item or price. */
  update(id: string, params: Form, cause: EventCause): Subscription {
    const items = forms(params, 'items').map((item, index) => this.itemPatch(this.find(id), item, index))
    const cancelAtPeriodEnd = flag(params, 'cancel_at_period_end')
    const patch = { items, ...(cancelAtPeriodEnd !== null && { cancel_at_period_end: cancelAtPeriodEnd }) }
    return this.change(id, patch, cause)
  }

  /** Applies a patch and emits `customer.subscription.updated`, or `.deleted` when its status becomes canceled. */
  change(id: string, patch: SubscriptionPatch, cause?: EventCause): Subscription {
    const subscription = this.find(id)
    if (patch.status === 'canceled') return this.cancel(id, cause)
    if (subscription.status === 'canceled') {
      const message = 'A canceled subscription can only update its cancellation_details and metadata.'
      throw ApiError.badParameter('invalid_canceled_subscription_fields', 'id', message)
    }
    if (patch.status) subscription.status = patch.status
    for (const item of subscription.items.data) {
      const { price, current_period_end } = patch.items?.find(({ id }) => !id || id === item.id) ?? {}
      if (price) item.price = this.prices.find(price, 'items[0][price]')
      if (current_period_end) item.current_period_end = current_period_end
    }
    if (patch.cancel_at_period_end === true) endWithPeriod(subscription)
    if (patch.cancel_at_period_end === false) keepGoing(subscription)
    this.events.emit('customer.subscription.updated', subscription, cause)
    return subscription
  }

  /** Ends it now and emits `customer.subscription.deleted`; throws 404, as Stripe does, when it has already ended. */
  cancel(id: string, cause?: EventCause): Subscription {
    const subscription = this.find(id)
    if (subscription.status === 'canceled') throw ApiError.missing(404, 'subscription', id, 'id')
    endNow(subscription, nowSeconds())
    this.events.emit('customer.subscription.deleted', subscription, cause)
    return subscription
  }

  private itemPatch(subscription: Subscription, item: Form, index: number) {
    // Stripe adds a second item when the id is left out and bills both; the sandbox refuses what is surely a slip.
    const id = requiredText(item, 'id', `items[${index}][id]`)
    const known = subscription.items.data.some(existing => existing.id === id)
    if (!known) throw ApiError.missing(400, 'subscription item', id, `items[${index}][id]`)
    const param = `items[${index}][price]`
    return { id, price: this.prices.find(requiredText(item, 'price', param), param).id }
  }

  /** Stripe acts when a period ends; nothing runs here then, so what was due is done when someone next looks. */
  private catchUp(subscription: Subscription): void {
    if (subscription.status !== 'active' || periodEnd(subscription) > nowSeconds()) return
    if (subscription.cancel_at_period_end) {
      endNow(subscription, periodEnd(subscription))
      this.events.emit('customer.subscription.deleted', subscription)
      return
    }
    renew(subscription, nowSeconds())
    const invoice = newInvoice(subscription, 'subscription_cycle')
    subscription.latest_invoice = invoice.id
    this.events.emit('customer.subscription.updated', subscription)
    this.events.emit('invoice.paid', invoice)
  }
}
