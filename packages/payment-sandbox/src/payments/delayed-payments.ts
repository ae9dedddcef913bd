import type { Checkouts } from '../checkout/checkouts.js'
import type { EventCause } from '../events/event.js'
import type { Events } from '../events/events.js'
import { type Invoice, subscriptionIdOf } from '../invoices/invoice.js'
import type { Invoices } from '../invoices/invoices.js'
import { nowSeconds } from '../state/clock.js'
import type { Subscriptions } from '../subscriptions/subscriptions.js'
import type { SecondaryEvents } from './secondary-events.js'

/** Bank debits, which succeed or fail days later. */
export class DelayedPayments {
  constructor(
    private readonly emitters: { readonly events: Events; readonly secondaryEvents: SecondaryEvents },
    private readonly checkouts: Checkouts,
    private readonly invoices: Invoices,
    private readonly subscriptions: Subscriptions,
  ) {}

  /** Emits `checkout.session.async_payment_succeeded`. A subscription becomes active, with `invoice.paid`. */
  succeed(checkoutId: string): void {
    const { checkout, triedAt } = this.requireUnpaid(checkoutId)
    checkout.payment_status = 'paid'
    this.emitters.events.emit('checkout.session.async_payment_succeeded', checkout)
    if (checkout.invoice === null) return
    const invoice = this.invoices.find(checkout.invoice)
    const subscription = this.subscriptions.find(checkout.subscription!)
    const before = structuredClone(subscription)
    this.invoices.pay(invoice)
    this.emitters.secondaryEvents.ofPaid(invoice, { triedAt })
    if (subscription.status === 'incomplete') subscription.status = 'active'
    this.emitters.events.emit('customer.subscription.updated', subscription, undefined, before)
    this.emitters.events.emit('invoice.paid', invoice)
  }

  /**
   * Emits `checkout.session.async_payment_failed`, and `invoice.payment_failed` for a subscription, which
   * stays incomplete: Stripe gives the customer 23 hours to pay in another way.
   */
  fail(checkoutId: string): void {
    const { checkout } = this.requireUnpaid(checkoutId)
    this.emitters.events.emit('checkout.session.async_payment_failed', checkout)
    if (checkout.invoice === null) return
    const invoice = this.invoices.find(checkout.invoice)
    this.invoices.recordFailedAttempt(invoice)
    this.emitters.events.emit('invoice.payment_failed', invoice)
  }

  /**
   * Voids the invoice of an incomplete subscription, which becomes `incomplete_expired`, as it would 23 hours
   * later at Stripe.
   */
  expire(subscriptionId: string): void {
    const subscription = this.subscriptions.stored(subscriptionId)
    if (subscription.status !== 'incomplete' || !subscription.latest_invoice)
      throw new Error(`Subscription ${subscriptionId} is ${subscription.status}`)
    this.void(subscription.latest_invoice as string)
  }

  /**
   * Voids an open invoice and emits `invoice.voided`; an incomplete subscription expires. Throws 400 when it
   * is not open.
   */
  void(invoiceId: string, cause?: EventCause): Invoice {
    const invoice = this.invoices.find(invoiceId)
    this.invoices.void(invoice)
    this.emitters.events.emit('invoice.voided', invoice, cause)
    const subscription = this.subscriptions.stored(subscriptionIdOf(invoice))
    if (subscription.status === 'incomplete') {
      const before = structuredClone(subscription)
      subscription.status = 'incomplete_expired'
      subscription.ended_at = nowSeconds()
      this.emitters.events.emit('customer.subscription.updated', subscription, cause, before)
    }
    return invoice
  }

  private requireUnpaid(checkoutId: string) {
    const record = this.checkouts.find(checkoutId)
    const { status, payment_status } = record.checkout
    if (status === 'complete' && payment_status === 'unpaid') return record
    throw new Error(`Checkout ${checkoutId} has no pending payment`)
  }
}
