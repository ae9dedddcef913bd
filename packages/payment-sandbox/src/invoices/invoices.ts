import { createdWithin } from '../api/list.js'
import { ApiError } from '../http/api-error.js'
import type { Form } from '../http/form.js'
import { text } from '../http/form-fields.js'
import { nowSeconds } from '../state/clock.js'
import type { State } from '../state/state.js'
import type { Subscription } from '../subscriptions/subscription.js'
import { type Invoice, type InvoiceTerms, newInvoice, subscriptionIdOf } from './invoice.js'
import type { Prorations } from './prorations.js'

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
