import { ApiError } from './api-error.js'
import type { Checkout } from './checkout.js'
import type { Checkouts } from './checkouts.js'
import type { Customers } from './customers.js'
import type { Events } from './events.js'
import { newInvoice } from './invoice.js'
import type { State } from './state.js'
import { newSubscription } from './subscription.js'

export class Payments {
  constructor(
    private readonly state: State,
    private readonly events: Events,
    private readonly customers: Customers,
    private readonly checkouts: Checkouts,
  ) {}

  /**
   * Completes an open checkout: an active subscription, and the events `checkout.session.completed`,
   * `customer.subscription.created` and `invoice.paid`. Throws 400 when the checkout is not open, so that
   * paying twice never makes two subscriptions.
   */
  pay(checkoutId: string): Checkout {
    const record = this.checkouts.find(checkoutId)
    const { checkout } = record
    if (checkout.status !== 'open') {
      throw new ApiError(400, 'invalid_request_error', `This checkout is ${checkout.status}.`)
    }
    const customer = this.payerOf(checkout)
    const subscription = newSubscription(record, customer.id)
    const invoice = newInvoice(subscription, 'subscription_create')
    subscription.latest_invoice = invoice.id
    this.state.subscriptions.set(subscription.id, subscription)
    Object.assign(checkout, {
      status: 'complete',
      payment_status: 'paid',
      url: null,
      customer: customer.id,
      subscription: subscription.id,
      invoice: invoice.id,
      customer_details: { ...NO_DETAILS, email: customer.email, name: customer.name ?? null },
    } satisfies Partial<Checkout>)
    this.events.emit('checkout.session.completed', checkout)
    this.events.emit('customer.subscription.created', subscription)
    this.events.emit('invoice.paid', invoice)
    return checkout
  }

  /** A subscription always has a customer: Stripe makes one when the checkout was started without. */
  private payerOf(checkout: Checkout) {
    if (checkout.customer) return this.customers.find(checkout.customer)
    return this.customers.create(checkout.customer_email ? { email: checkout.customer_email } : {})
  }
}

const NO_DETAILS = {
  address: null,
  business_name: null,
  individual_name: null,
  phone: null,
  tax_exempt: 'none',
  tax_ids: [],
} satisfies Partial<NonNullable<Checkout['customer_details']>>
