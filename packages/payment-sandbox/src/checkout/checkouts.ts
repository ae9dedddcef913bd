import { requireCurrency } from '../customers/currency.js'
import type { Customers } from '../customers/customers.js'
import type { EventCause } from '../events/event.js'
import type { Events } from '../events/events.js'
import { ApiError } from '../http/api-error.js'
import type { Form } from '../http/form.js'
import { integer, metadata, nested, text } from '../http/form-fields.js'
import type { Prices } from '../prices/prices.js'
import { nowSeconds } from '../state/clock.js'
import type { State } from '../state/state.js'
import {
  type Checkout,
  type CheckoutLine,
  type CheckoutRecord,
  newCheckout,
  pageUrl,
  totalOf,
} from './checkout.js'
import { checkoutLines } from './checkout-lines.js'
import { checkoutTerms } from './checkout-terms.js'

export class Checkouts {
  constructor(
    private readonly state: State,
    private readonly events: Events,
    private readonly customers: Customers,
    private readonly prices: Prices,
    private readonly pagesUrl: string,
  ) {}

  /**
   * A new open checkout; throws 400 for parameters that Stripe refuses, for an unknown customer or price, and for
   * a subscription in another currency than what the customer has.
   */
  create(params: Form): Checkout {
    const terms = checkoutTerms(params)
    if (terms.customer) this.customers.find(terms.customer, 'parameter')
    const lines = checkoutLines(params, terms.mode, this.prices)
    const [first] = lines
    if (terms.customer && first && terms.mode === 'subscription')
      requireCurrency(this.state, terms.customer, first.price.currency)
    const subscriptionData = nested(params, 'subscription_data')
    const subscriptionMetadata = metadata(subscriptionData)
    const trialDays = integer(subscriptionData, 'trial_period_days')
    const isClassic = text(nested(subscriptionData, 'billing_mode'), 'type') === 'classic'
    const checkout = newCheckout(terms, dueToday(lines, trialDays), this.pagesUrl)
    this.state.checkouts.set(checkout.id, { checkout, lines, subscriptionMetadata, trialDays, isClassic })
    this.state.changed()
    return checkout
  }

  /** The checkout with its lines, expired first when its time is up; throws 404 resource_missing. */
  find(id: string): CheckoutRecord {
    const record = this.state.checkouts.get(id)
    if (!record) throw ApiError.missing(404, 'checkout.session', id, 'session')
    if (record.checkout.status === 'open' && record.checkout.expires_at <= nowSeconds())
      this.close(record.checkout)
    return record
  }

  /** A customer's checkouts, or everybody's when null, newest first. */
  list(customer: string | null): Checkout[] {
    const all = this.state.checkouts.ofCustomer(customer)
    return all.map(({ checkout }) => this.find(checkout.id).checkout).reverse()
  }

  /** Ends an open checkout and emits `checkout.session.expired`; throws 400 when it is not open. */
  expire(id: string, cause?: EventCause): Checkout {
    const { checkout } = this.find(id)
    if (checkout.status !== 'open') {
      const message = `Only Checkout Sessions with a status of open can be expired; this one is ${checkout.status}.`
      throw new ApiError(400, 'invalid_request_error', message)
    }
    this.close(checkout, cause)
    return checkout
  }

  /** Points open checkouts from an earlier run at the current pages: the port may have changed. */
  updatePageUrls(): void {
    for (const { checkout } of this.state.checkouts.values()) {
      if (checkout.status === 'open') checkout.url = pageUrl(checkout.id, this.pagesUrl)
    }
  }

  private close(checkout: Checkout, cause?: EventCause): void {
    checkout.status = 'expired'
    checkout.url = null
    this.events.emit('checkout.session.expired', checkout, cause)
  }
}

/** Null in a setup, which has no lines. */
function dueToday(lines: CheckoutLine[], trialDays: number | null) {
  const [first] = lines
  return first ? { amount: trialDays ? 0 : totalOf(lines), currency: first.price.currency } : null
}
