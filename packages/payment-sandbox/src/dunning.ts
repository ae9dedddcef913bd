import { nowSeconds } from './clock.js'
import type { Customers } from './customers.js'
import type { Events, SecondaryEvents } from './events.js'
import { type Invoice, subscriptionIdOf } from './invoice.js'
import type { Invoices } from './invoices.js'
import { hasEnded, type Subscription, startPeriod } from './subscription.js'
import type { Subscriptions } from './subscriptions.js'

/** Renewals whose payment fails, and their recovery. */
export class Dunning {
  constructor(
    private readonly emitters: { readonly events: Events; readonly secondaryEvents: SecondaryEvents },
    private readonly customers: Customers,
    private readonly invoices: Invoices,
    private readonly subscriptions: Subscriptions,
  ) {}

  /**
   * Fails an attempt to collect the open invoice, or else one for a period that starts now, and emits `type`:
   * `invoice.payment_failed` or `invoice.payment_action_required`. The subscription becomes past due
   * (`customer.subscription.updated`), or stays incomplete before its first payment. Throws when it has
   * ended.
   */
  failPayment(subscriptionId: string, type: string): void {
    const subscription = this.subscriptions.stored(subscriptionId)
    if (hasEnded(subscription)) throw new Error(`Subscription ${subscriptionId} has ended`)
    const before = structuredClone(subscription)
    const invoice = this.openInvoice(subscription) ?? this.renewalInvoice(subscription)
    this.invoices.recordFailedAttempt(invoice, type === 'invoice.payment_action_required')
    if (subscription.status !== 'incomplete') subscription.status = 'past_due'
    const { events, secondaryEvents } = this.emitters
    if (type === 'invoice.payment_failed')
      secondaryEvents.ofDeclined(invoice, this.customers.find(invoice.customer))
    events.emit(type, invoice)
    const hasChanged = subscription.status !== before.status || invoice.id !== before.latest_invoice
    if (hasChanged) events.emit('customer.subscription.updated', subscription, undefined, before)
  }

  /**
   * What an account of Stripe that is set so does when a payment fails: it pauses the subscription
   * (`customer.subscription.paused`), after the first attempt or, when one has failed before, after the last. The
   * invoice stays open, and its payment does not resume the subscription.
   */
  pauseAfterFailure(subscriptionId: string): void {
    const type =
      this.subscriptions.stored(subscriptionId).status === 'past_due'
        ? 'final_payment_failure'
        : 'first_payment_failure'
    this.failPayment(subscriptionId, 'invoice.payment_failed')
    this.subscriptions.pause(subscriptionId, undefined, type)
  }

  /** Pays the newest open invoice, as `pay` does. Throws when no invoice is open. */
  recover(subscriptionId: string): void {
    const invoice = this.openInvoice(this.subscriptions.stored(subscriptionId))
    if (!invoice) throw new Error(`Subscription ${subscriptionId} has no open invoice`)
    this.pay(invoice)
  }

  /**
   * Pays an open invoice (`invoice.paid`). If it is the latest, its subscription becomes active
   * (`customer.subscription.updated`) unless it has ended or is paused. Throws while a payment of it is on its way:
   * https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses.
   */
  pay(invoice: Invoice): void {
    const subscription = this.subscriptions.stored(subscriptionIdOf(invoice))
    const before = structuredClone(subscription)
    if (this.invoices.isProcessing(invoice))
      throw new Error(`A payment of invoice ${invoice.id} is on its way`)
    this.invoices.pay(invoice)
    const isLatest = subscription.latest_invoice === invoice.id
    if (isLatest && !hasEnded(subscription) && subscription.status !== 'paused')
      subscription.status = 'active'
    const { events, secondaryEvents } = this.emitters
    secondaryEvents.ofPaid(invoice)
    events.emit('invoice.paid', invoice)
    if (subscription.status !== before.status)
      events.emit('customer.subscription.updated', subscription, undefined, before)
  }

  private openInvoice(subscription: Subscription): Invoice | null {
    return this.invoices.newest(subscription, ({ status }) => status === 'open')
  }

  private renewalInvoice(subscription: Subscription): Invoice {
    // Set before the invoice is issued, or a trial that ends here would make it free.
    subscription.status = 'past_due'
    startPeriod(subscription, nowSeconds())
    const invoice = this.invoices.issue(subscription, 'subscription_cycle', 'open')
    this.emitters.secondaryEvents.ofRenewal(invoice)
    return invoice
  }
}
