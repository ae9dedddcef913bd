import type { Stripe } from 'stripe'
import { newId } from './ids.js'
import { type InvoiceLine, periodLine, prorationLine } from './invoice-line.js'
import { nowSeconds } from './sandbox-clock.js'
import type { Subscription } from './subscription.js'

/** The part of Stripe's invoice that says who pays what for which subscription; references are ids. */
export type Invoice = Pick<
  Stripe.Invoice,
  | 'id'
  | 'object'
  | 'amount_due'
  | 'amount_paid'
  | 'amount_remaining'
  | 'attempt_count'
  | 'attempted'
  | 'auto_advance'
  | 'billing_reason'
  | 'collection_method'
  | 'created'
  | 'currency'
  | 'due_date'
  | 'hosted_invoice_url'
  | 'invoice_pdf'
  | 'livemode'
  | 'metadata'
  | 'next_payment_attempt'
  | 'number'
  | 'parent'
  | 'period_end'
  | 'period_start'
  | 'status'
  | 'status_transitions'
  | 'subtotal'
  | 'total'
> & { customer: string; lines: { object: 'list'; data: InvoiceLine[]; has_more: false; url: string } }

export interface InvoiceTerms {
  /** `subscription_update` bills only the proration, the others the current period too. */
  reason: 'subscription_create' | 'subscription_cycle' | 'subscription_update'
  status: 'paid' | NonNullable<Unpaid>
  /** In cents; less than 0 for a credit. */
  proration: number
}

type Unpaid = Exclude<Stripe.Invoice.Status, 'paid'>

/** An invoice for the subscription's current period. A credit above it is lost: the sandbox keeps no balance. */
export function newInvoice(subscription: Subscription, terms: InvoiceTerms): Invoice {
  const id = newId('in_1', 23)
  const now = nowSeconds()
  const data = linesOf(subscription, terms, id)
  const total = data.reduce((sum, line) => sum + line.amount, 0)
  const due = Math.max(0, total)
  const isPaid = terms.status === 'paid'
  return {
    id,
    object: 'invoice',
    amount_due: due,
    amount_paid: isPaid ? due : 0,
    amount_remaining: isPaid ? 0 : due,
    attempt_count: isPaid && due > 0 ? 1 : 0,
    attempted: isPaid,
    auto_advance: terms.status === 'open',
    billing_reason: terms.reason,
    collection_method: 'charge_automatically',
    created: now,
    currency: subscription.currency,
    customer: subscription.customer,
    due_date: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    lines: { object: 'list', data, has_more: false, url: `/v1/invoices/${id}/lines` },
    livemode: false,
    metadata: {},
    next_payment_attempt: null,
    number: terms.status === 'draft' ? null : `SANDBOX-${id.slice(-8).toUpperCase()}`,
    parent: {
      type: 'subscription_details',
      quote_details: null,
      subscription_details: { subscription: subscription.id, metadata: subscription.metadata },
    },
    period_end: now,
    period_start: now,
    status: terms.status,
    status_transitions: {
      finalized_at: terms.status === 'draft' ? null : now,
      marked_uncollectible_at: terms.status === 'uncollectible' ? now : null,
      paid_at: isPaid ? now : null,
      voided_at: terms.status === 'void' ? now : null,
    },
    subtotal: total,
    total,
  }
}

/** The subscription that an invoice is of. */
export function subscriptionIdOf({ parent }: Invoice): string {
  return parent!.subscription_details!.subscription as string
}

function linesOf(subscription: Subscription, { reason, proration }: InvoiceTerms, id: string): InvoiceLine[] {
  const items = subscription.items.data
  const lines = reason === 'subscription_update' ? [] : items.map(item => periodLine(item, subscription, id))
  return proration === 0 ? lines : [...lines, prorationLine(items[0]!, id, proration)]
}
