import {
  type Checkout,
  type CheckoutLine,
  type CheckoutRecord,
  checkoutLines,
  checkoutOptions,
  checkoutTerms,
  customerUpdate,
  newCheckout,
  pageUrl,
  paymentMethods,
  totalOf,
  updateTotals,
} from './checkout.js'
import { newId, nowSeconds } from './clock.js'
import { type Customers, requireCurrency } from './customers.js'
import type { EventCause } from './event.js'
import type { Events } from './events.js'
import { ApiError, type Form, integer, metadata, nested, oneOf, text } from './http.js'
import { PROMOTION_CODE, type Prices } from './prices.js'
import type { State } from './state.js'

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
    const customer = terms.customer ? this.customers.find(terms.customer, 'parameter') : null
    const options = checkoutOptions(params)
    const update = customerUpdate(params, customer, options)
    const lines = checkoutLines(params, terms.mode, this.prices)
    const [first] = lines
    if (terms.customer && first && terms.mode === 'subscription')
      requireCurrency(this.state, terms.customer, first.price.currency)
    const subscriptionData = nested(params, 'subscription_data')
    const subscriptionMetadata = metadata(subscriptionData, 'subscription_data[metadata]')
    const trialDays = trialDaysOf(subscriptionData)
    const trialSettings = trialSettingsOf(subscriptionData)
    const isClassic = text(nested(subscriptionData, 'billing_mode'), 'type') === 'classic'
    const payment_method_types = paymentMethods(options, first?.price.currency ?? 'usd')
    const due = dueToday(lines, trialDays)
    const checkout = newCheckout(terms, { ...options, payment_method_types }, due, this.pagesUrl)
    const trial = { trialDays, trialSettings }
    const record = { checkout, lines, subscriptionMetadata, ...trial, customerUpdate: update, isClassic }
    updateTotals(record)
    this.state.checkouts.set(checkout.id, record)
    this.state.changed()
    return checkout
  }

  /** Takes the promotion code off what is due; false, with nothing changed, for any other code and where none is taken. */
  applyPromotion(id: string, code: string): boolean {
    const record = this.find(id)
    const { status, allow_promotion_codes: isAllowed } = record.checkout
    if (status !== 'open' || !isAllowed || code.trim().toUpperCase() !== PROMOTION_CODE) return false
    record.discountId ??= newId('di_1', 23)
    updateTotals(record)
    this.state.changed()
    return true
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

// https://docs.stripe.com/api/checkout/sessions/create#create_checkout_session-subscription_data-trial_period_days
const MAX_TRIAL_DAYS = 730

function trialDaysOf(data: Form): number | null {
  const days = integer(data, 'trial_period_days')
  if (days === null || (days >= 1 && days <= MAX_TRIAL_DAYS)) return days
  const message =
    days < 1
      ? 'The minimum number of trial period days is 1.'
      : `The maximum number of trial period days is ${MAX_TRIAL_DAYS} (2 years).`
  const param = 'subscription_data[trial_period_days]'
  throw ApiError.badParameter('parameter_invalid_integer', param, message)
}

/** Null unless the caller says what happens at the end of a trial without a means of payment. */
function trialSettingsOf(data: Form) {
  const behavior = nested(nested(data, 'trial_settings'), 'end_behavior')
  const name = 'missing_payment_method'
  const param = `subscription_data[trial_settings][end_behavior][${name}]`
  const missing = oneOf(behavior, name, ['cancel', 'create_invoice', 'pause'], param)
  return missing && { end_behavior: { billing_cycle_anchor: null, missing_payment_method: missing } }
}
