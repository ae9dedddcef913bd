import type { Stripe } from 'stripe'
import { newId, nowSeconds } from './clock.js'
import { money } from './page.js'
import { billedQuantity, totalsOf } from './prices.js'
import type { Subscription, SubscriptionItem } from './subscription.js'

type ItemDetails = Stripe.InvoiceLineItem.Parent.SubscriptionItemDetails

/** Stripe's line as it is in JSON, where decimals are strings; the `stripe` package converts them. */
type InvoiceLine = Omit<Stripe.InvoiceLineItem, 'pricing' | 'quantity_decimal'> & {
  quantity_decimal: string | null
  pricing: {
    type: 'price_details'
    price_details: { price: string; product: string }
    unit_amount_decimal: string
  }
}

const PERIODS: Record<string, string> = { month: 'Monthly', year: 'Yearly' }

/** One period of an item; free in a trial. */
function periodLine(item: SubscriptionItem, subscription: Subscription, invoice: string): InvoiceLine {
  const quantity = billedQuantity(item.price, item.quantity)
  const unit = subscription.status === 'trialing' ? 0 : (item.price.unit_amount ?? 0)
  const description =
    unit === 0 ? 'Trial period' : `${quantity} × ${PERIODS[item.price.recurring!.interval]} subscription`
  return newLine(item, invoice, { amount: unit * quantity, unit, quantity, description, proration: false })
}

/** The cost, or the credit, of a change in the middle of a period. */
function prorationLine(item: SubscriptionItem, invoice: string, amount: number): InvoiceLine {
  const description = amount < 0 ? 'Unused time' : 'Remaining time'
  return newLine(item, invoice, { amount, unit: amount, quantity: 1, description, proration: true })
}

interface LineTerms {
  /** In cents; so is `unit`. */
  amount: number
  unit: number
  quantity: number
  description: string
  proration: boolean
}

function newLine(item: SubscriptionItem, invoice: string, terms: LineTerms): InvoiceLine {
  const { amount, unit, quantity, description, proration } = terms
  const details: ItemDetails = {
    invoice_item: null,
    proration,
    proration_details: null,
    subscription: item.subscription,
    subscription_item: item.id,
  }
  return {
    id: newId('il_1', 23),
    object: 'line_item',
    amount,
    currency: item.price.currency,
    description,
    discount_amounts: [],
    discountable: !proration,
    discounts: [],
    invoice,
    livemode: false,
    metadata: {},
    parent: {
      type: 'subscription_item_details',
      invoice_item_details: null,
      subscription_item_details: details,
    },
    period: { start: item.current_period_start, end: item.current_period_end },
    pretax_credit_amounts: [],
    pricing: {
      type: 'price_details',
      price_details: { price: item.price.id, product: item.price.product as string },
      unit_amount_decimal: String(unit),
    },
    quantity,
    quantity_decimal: String(quantity),
    subscription: item.subscription,
    subtotal: amount,
    taxes: [],
  }
}

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

/** One page with the lines of the invoice, in ASCII, as the text of a PDF file. */
export function invoicePdf({ number, created, status, lines, total, currency }: Invoice): string {
  const date = new Date(created * 1000).toISOString().slice(0, 10)
  const rows = lines.data.map(
    line => `${line.description ?? 'Subscription'}: ${money(line.amount, currency)}`,
  )
  const text = [
    'Payment sandbox: no real money',
    `Invoice ${number}, ${date}, ${status}`,
    ...rows,
    `Total: ${money(total, currency)}`,
  ]
  return pdfOf(text.map(ascii))
}

/** PDF 32000-1: objects one after the other, and a table of where each begins. */
function pdfOf(lines: string[]): string {
  const content = `BT /F1 12 Tf 18 TL 60 760 Td ${lines.map(line => `(${line}) Tj T*`).join(' ')} ET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let file = '%PDF-1.4\n'
  const starts = objects.map((object, index) => {
    const start = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(start).padStart(10, '0')} 00000 n \n`
  })
  const size = objects.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${starts.join('')}`
  return `${file}${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
}

function ascii(text: string): string {
  return text.replace(/[^ -~]/g, '?').replace(/[\\()]/g, '\\$&')
}
