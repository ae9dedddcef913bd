import type { Stripe } from 'stripe'
import type { Form } from '../http/form.js'
import { nested, oneOf, text } from '../http/form-fields.js'
import { invoiceIdOf, paymentIntentIdOf } from '../payments/charge.js'
import { type PaymentIntent, paymentIntentOf } from '../payments/payment-intent.js'
import type { State } from '../state/state.js'
import type { Invoice } from './invoice.js'

/** Stripe's link between an invoice and the payment intent that pays it, with references as ids. */
export type InvoicePayment = Omit<Stripe.InvoicePayment, 'payment'> & {
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
