import type { Stripe } from 'stripe'
import { nowSeconds } from './clock.js'
import { ApiError, createdWithin, type Form, nested, oneOf, text } from './http.js'
import { type Invoice, type InvoiceTerms, newInvoice, subscriptionIdOf } from './invoice.js'
import { invoiceIdOf, type PaymentIntent, paymentIntentIdOf, paymentIntentOf } from './payment.js'
import { billedQuantity } from './prices.js'
import type { State } from './state.js'
import type { Subscription } from './subscription.js'

/** Stripe's link between an invoice and the payment intent that pays it, with references as ids. */
type InvoicePayment = Omit<Stripe.InvoicePayment, 'payment'> & {
  payment: { type: 'payment_intent'; payment_intent: string }
}

/** The payments of an invoice or a payment intent: one, or none when it is unknown or nothing is due for it. */
export function invoicePayments(state: State, params: Form): InvoicePayment[] {
  const paymentIntent = text(nested(params, 'payment'), 'payment_intent')
  const id = text(params, 'invoice') ?? (paymentIntent && invoiceIdOf(paymentIntent))
  const invoice = id === null ? undefined : state.invoices.get(id)
  const status = oneOf(params, 'status', ['open', 'paid', 'canceled'])
  const payments = invoice?.amount_due && invoice.status !== 'draft' ? [paymentOf(invoice)] : []
  return payments.filter(payment => status === null || payment.status === status)
}

/** The payment intent of an invoice, as it is now; null when it is unknown or nothing is due for it. */
export function findPaymentIntent(state: State, id: string): PaymentIntent | null {
  const invoice = state.invoices.get(invoiceIdOf(id))
  if (!invoice?.amount_due) return null
  if (invoice.status === 'paid') return paymentIntentOf(invoice, 'succeeded', null)
  if (invoice.status === 'void') return paymentIntentOf(invoice, 'canceled', null)
  return paymentIntentOf(invoice, state.paymentsUnderWay.get(invoice.id) ?? 'requires_payment_method', null)
}

function paymentOf(invoice: Invoice): InvoicePayment {
  const { id, amount_due, amount_paid, created, currency, status, status_transitions } = invoice
  const { paid_at, voided_at } = status_transitions
  return {
    id: id.replace(/^in_/, 'inpay_'),
    object: 'invoice_payment',
    amount_paid: status === 'paid' ? amount_paid : null,
    amount_requested: amount_due,
    created,
    currency,
    invoice: id,
    is_default: true,
    livemode: false,
    payment: { type: 'payment_intent', payment_intent: paymentIntentIdOf(invoice) },
    status: status === 'paid' ? 'paid' : status === 'void' ? 'canceled' : 'open',
    status_transitions: { canceled_at: voided_at, paid_at },
  }
}

/**
 * The cost or credit of changes in the middle of a period. Source:
 * https://docs.stripe.com/billing/subscriptions/prorations.
 */
export class Prorations {
  constructor(private readonly state: State) {}

  /**
   * Adds the price difference for the rest of the period, to the second. Nothing is due from or to a trial.
   */
  record(before: Subscription, after: Subscription): void {
    if (before.status === 'trialing' || after.status === 'trialing') return
    const difference = Math.round(remainingValue(after) - remainingValue(before))
    if (difference !== 0) this.state.prorations.set(after.id, this.pending(after) + difference)
  }

  /** The pending amount in cents; negative for a credit. */
  pending({ id }: Subscription): number {
    return this.state.prorations.get(id) ?? 0
  }

  /** The pending amount, which is reset because it goes on an invoice. */
  takePending(subscription: Subscription): number {
    const cents = this.pending(subscription)
    this.state.prorations.delete(subscription.id)
    return cents
  }
}

/** The value of the rest of each item's period, in cents. */
function remainingValue({ items }: Subscription): number {
  const now = nowSeconds()
  return items.data.reduce((sum, { price, quantity, current_period_start, current_period_end }) => {
    const rest =
      Math.max(0, current_period_end - now) / Math.max(1, current_period_end - current_period_start)
    return sum + (price.unit_amount ?? 0) * billedQuantity(price, quantity) * rest
  }, 0)
}

// Stripe picks the time of the next attempt itself; three days is the first step of its usual schedule.
const NEXT_ATTEMPT_SECONDS = 3 * 24 * 60 * 60

export class Invoices {
  constructor(
    private readonly state: State,
    private readonly prorations: Prorations,
    private readonly pagesUrl: string,
  ) {}

  /** Issues the subscription's latest invoice, with its pending prorations, under a new id by default. Emits nothing. */
  issue(
    subscription: Subscription,
    reason: InvoiceTerms['reason'],
    status: InvoiceTerms['status'] = 'paid',
    id?: string,
  ): Invoice {
    const proration = this.prorations.takePending(subscription)
    const invoice = newInvoice(subscription, { reason, status, proration }, id)
    this.addPages(invoice)
    subscription.latest_invoice = invoice.id
    this.state.invoices.set(invoice.id, invoice)
    this.state.changed()
    return invoice
  }

  /** The invoice; throws 404 resource_missing. */
  find(id: string): Invoice {
    const invoice = this.state.invoices.get(id)
    if (!invoice) throw ApiError.missing(404, 'invoice', id, 'id')
    return invoice
  }

  /** Newest first, filtered by `customer`, `subscription`, `status` and `created`. */
  list(params: Form): Invoice[] {
    const isInRange = createdWithin(params)
    const subscription = text(params, 'subscription')
    const status = text(params, 'status')
    const all = this.state.invoices.ofCustomer(text(params, 'customer')).reverse()
    return all.filter(invoice => {
      if (subscription !== null && subscriptionIdOf(invoice) !== subscription) return false
      return (status === null || invoice.status === status) && isInRange(invoice)
    })
  }

  /** Points invoices from an earlier run at the current pages: the port may have changed. */
  updatePageUrls(): void {
    for (const invoice of this.state.invoices.values()) this.addPages(invoice)
  }

  /** The subscription's newest invoice that `matches`, or null. */
  newest(subscription: Subscription, matches: (invoice: Invoice) => boolean): Invoice | null {
    const all = this.state.invoices.ofCustomer(subscription.customer)
    return all.findLast(invoice => subscriptionIdOf(invoice) === subscription.id && matches(invoice)) ?? null
  }

  /** Marks the invoice as paid in full. Emits nothing. */
  pay(invoice: Invoice): void {
    this.state.paymentsUnderWay.delete(invoice.id)
    invoice.status = 'paid'
    invoice.amount_paid = invoice.amount_due
    invoice.amount_remaining = 0
    invoice.attempt_count += 1
    invoice.attempted = true
    invoice.auto_advance = false
    invoice.next_payment_attempt = null
    invoice.status_transitions.paid_at = nowSeconds()
    this.state.changed()
  }

  /** Whether a payment of the invoice is on its way, beside which Stripe takes no other. */
  isProcessing({ id }: Invoice): boolean {
    return this.state.paymentsUnderWay.get(id) === 'processing'
  }

  /** The payment that the customer has now confirmed, on its way. Throws when none waits for that. Emits nothing. */
  confirmPayment(invoice: Invoice): PaymentIntent {
    if (this.state.paymentsUnderWay.get(invoice.id) !== 'requires_action')
      throw new Error(`Invoice ${invoice.id} has no payment to be confirmed`)
    this.state.paymentsUnderWay.set(invoice.id, 'processing')
    this.state.changed()
    return paymentIntentOf(invoice, 'processing', null)
  }

  /** Marks the invoice as void; throws 400 when it is not open. Emits nothing. */
  void(invoice: Invoice): void {
    if (invoice.status !== 'open') {
      const message = `You can only pass in open invoices. This invoice is ${invoice.status}.`
      throw new ApiError(400, 'invalid_request_error', message)
    }
    this.state.paymentsUnderWay.delete(invoice.id)
    invoice.status = 'void'
    invoice.auto_advance = false
    invoice.next_payment_attempt = null
    invoice.status_transitions.voided_at = nowSeconds()
    this.state.changed()
  }

  /**
   * Records an attempt that failed, or that the customer has to confirm, and schedules the next one. Emits
   * nothing.
   */
  recordFailedAttempt(invoice: Invoice, isUnconfirmed = false): void {
    if (isUnconfirmed) this.state.paymentsUnderWay.set(invoice.id, 'requires_action')
    else this.state.paymentsUnderWay.delete(invoice.id)
    invoice.attempt_count += 1
    invoice.attempted = true
    invoice.next_payment_attempt = nowSeconds() + NEXT_ATTEMPT_SECONDS
    this.state.changed()
  }

  /** Drafts have none. */
  private addPages(invoice: Invoice): void {
    if (invoice.status === 'draft') return
    invoice.hosted_invoice_url = `${this.pagesUrl}/invoice/${invoice.id}`
    invoice.invoice_pdf = `${invoice.hosted_invoice_url}/pdf`
  }
}
