import type { Stripe } from 'stripe'
import { totalsOf } from '../prices/totals.js'
import { nowSeconds } from '../state/clock.js'
import { newId } from '../state/ids.js'
import type { Subscription } from '../subscriptions/subscription.js'
import { type InvoiceLine, periodLine, prorationLine } from './invoice-line.js'

/** Stripe's invoice, with references as ids. */
export type Invoice = Omit<Stripe.Invoice, 'customer' | 'lines'> & {
  customer: string
  lines: { object: 'list'; data: InvoiceLine[]; has_more: false; url: string }
}

export interface InvoiceTerms {
  /** `subscription_update` bills only the proration; the others bill the current period too. */
  reason: 'subscription_create' | 'subscription_cycle' | 'subscription_update'
  status: 'paid' | NonNullable<Unpaid>
  /** In cents; negative for a credit. */
  proration: number
}

type Unpaid = Exclude<Stripe.Invoice.Status, 'paid'>

/**
 * An invoice for the subscription's current period. A credit beyond its total is lost: the sandbox has no
 * customer balance.
 */
export function newInvoice(subscription: Subscription, terms: InvoiceTerms, id = newId('in_1', 23)): Invoice {
  const now = nowSeconds()
  const data = linesOf(subscription, terms, id)
  const subtotal = data.reduce((sum, line) => sum + line.amount, 0)
  const discounts = subscription.discounts as string[]
  const isTaxed = subscription.automatic_tax.enabled
  const { discount, tax, total } = totalsOf(subtotal, { isDiscounted: discounts.length > 0, isTaxed })
  const due = Math.max(0, total)
  const isPaid = terms.status === 'paid'
  return {
    id,
    object: 'invoice',
    ...NOT_USED_HERE,
    amount_due: due,
    amount_paid: isPaid ? due : 0,
    amount_remaining: isPaid ? 0 : due,
    attempt_count: isPaid && due > 0 ? 1 : 0,
    attempted: isPaid,
    auto_advance: terms.status === 'open',
    automatic_tax: {
      disabled_reason: null,
      enabled: isTaxed,
      liability: isTaxed ? { type: 'self' } : null,
      provider: isTaxed ? 'stripe' : null,
      status: isTaxed ? 'complete' : null,
    },
    billing_reason: terms.reason,
    collection_method: 'charge_automatically',
    created: now,
    currency: subscription.currency,
    customer: subscription.customer,
    default_tax_rates: [],
    discounts,
    effective_at: terms.status === 'draft' ? null : now,
    ending_balance: terms.status === 'draft' ? null : 0,
    issuer: { type: 'self' },
    lines: { object: 'list', data, has_more: false, url: `/v1/invoices/${id}/lines` },
    livemode: false,
    metadata: {},
    number: terms.status === 'draft' ? null : `SANDBOX-${id.slice(-8).toUpperCase()}`,
    parent: {
      type: 'subscription_details',
      quote_details: null,
      subscription_details: { subscription: subscription.id, metadata: subscription.metadata },
    },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: now,
    period_start: now,
    status: terms.status,
    status_transitions: {
      finalized_at: terms.status === 'draft' ? null : now,
      marked_uncollectible_at: terms.status === 'uncollectible' ? now : null,
      paid_at: isPaid ? now : null,
      voided_at: terms.status === 'void' ? now : null,
    },
    subtotal,
    subtotal_excluding_tax: subtotal,
    total,
    total_discount_amounts: discounts.map(id => ({ amount: discount, discount: id })),
    total_excluding_tax: total - tax,
    total_taxes: isTaxed ? [taxOf(tax, subtotal - discount)] : [],
  }
}

const NOT_USED_HERE = {
  account_country: 'US',
  account_name: 'Sandbox',
  account_tax_ids: null,
  amount_overpaid: 0,
  amount_shipping: 0,
  application: null,
  automatically_finalizes_at: null,
  custom_fields: null,
  customer_account: null,
  customer_address: null,
  customer_email: null,
  customer_name: null,
  customer_phone: null,
  customer_shipping: null,
  customer_tax_exempt: 'none',
  customer_tax_ids: [],
  default_payment_method: null,
  default_source: null,
  description: null,
  due_date: null,
  footer: null,
  from_invoice: null,
  hosted_invoice_url: null,
  invoice_pdf: null,
  last_finalization_error: null,
  latest_revision: null,
  next_payment_attempt: null,
  on_behalf_of: null,
  post_payment_credit_notes_amount: 0,
  pre_payment_credit_notes_amount: 0,
  receipt_number: null,
  rendering: null,
  shipping_cost: null,
  shipping_details: null,
  starting_balance: 0,
  statement_descriptor: null,
  test_clock: null,
  total_pretax_credit_amounts: [],
  webhooks_delivered_at: null,
} satisfies Partial<Invoice>

function taxOf(amount: number, taxable: number): Stripe.Invoice.TotalTax {
  return {
    amount,
    tax_behavior: 'exclusive',
    tax_rate_details: { tax_rate: 'txr_sandbox' },
    taxability_reason: 'standard_rated',
    taxable_amount: taxable,
    type: 'tax_rate_details',
  }
}

/** The id of the invoice's subscription. */
export function subscriptionIdOf({ parent }: Invoice): string {
  return parent!.subscription_details!.subscription as string
}

function linesOf(subscription: Subscription, { reason, proration }: InvoiceTerms, id: string): InvoiceLine[] {
  const items = subscription.items.data
  const lines = reason === 'subscription_update' ? [] : items.map(item => periodLine(item, subscription, id))
  return proration === 0 ? lines : [...lines, prorationLine(items[0]!, id, proration)]
}
