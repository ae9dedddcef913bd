import type { Checkouts } from './checkouts.js'
import type { Events } from './events.js'
import type { Invoices } from './invoices.js'
import type { Subscriptions } from './subscriptions.js'

/** How a payment ends that took days. */
export class DelayedPayments {
  constructor(
    private readonly events: Events,
    private readonly checkouts: Checkouts,
    private readonly invoices: Invoices,
    private readonly subscriptions: Subscriptions,
  ) {}

  /** Emits `checkout.session.async_payment_succeeded`; in a subscription, now active, `invoice.paid` too. */
  succeed(checkoutId: string): void {
    const checkout = this.unpaidOne(checkoutId)
    checkout.payment_status = 'paid'
    this.events.emit('checkout.session.async_payment_succeeded', checkout)
    if (checkout.invoice === null) return
    const invoice = this.invoices.find(checkout.invoice)
    const subscription = this.subscriptions.find(checkout.subscription!)
    const before = structuredClone(subscription)
    this.invoices.pay(invoice)
    if (subscription.status === 'incomplete') subscription.status = 'active'
    this.events.emit('customer.subscription.updated', subscription, undefined, before)
    this.events.emit('invoice.paid', invoice)
  }

  /**
   * Emits `checkout.session.async_payment_failed`; in a subscription `invoice.payment_failed` too. It stays
   * incomplete: Stripe gives the customer 23 hours to pay in another way.
   */
  fail(checkoutId: string): void {
    const checkout = this.unpaidOne(checkoutId)
    this.events.emit('checkout.session.async_payment_failed', checkout)
    if (checkout.invoice === null) return
    const invoice = this.invoices.find(checkout.invoice)
    this.invoices.noteFailure(invoice)
    this.events.emit('invoice.payment_failed', invoice)
  }

  private unpaidOne(checkoutId: string) {
    const { checkout } = this.checkouts.find(checkoutId)
    if (checkout.status === 'complete' && checkout.payment_status === 'unpaid') return checkout
    throw new Error(`No payment of checkout ${checkoutId} is on its way`)
  }
}
