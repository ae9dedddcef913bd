import type { Stripe } from 'stripe'
import type { Form } from '../http/form.js'
import { nested, text } from '../http/form-fields.js'
import { invoiceIdOf, paymentIntentIdOf } from '../payments/charge.js'
import type { State } from '../state/state.js'
import type { Invoice } from './invoice.js'

/** Stripe's link between an invoice and the payment intent that paid it, with references as ids. */
export type InvoicePayment = Omit<Stripe.InvoicePayment, 'payment'> & {
  payment: { type: 'payment_intent'; payment_intent: string }
}

/** The payments of an invoice or a payment intent: one, or none when it is unknown or unpaid. */
export function invoicePayments(state: State, params: Form): InvoicePayment[] {
  const paymentIntent = text(nested(params, 'payment'), 'payment_intent')
  const id = text(params, 'invoice') ?? (paymentIntent && invoiceIdOf(paymentIntent))
  const invoice = id === null ? undefined : state.invoices.get(id)
  return invoice?.amount_paid ? [paymentOf(invoice)] : []
}

function paymentOf(invoice: Invoice): InvoicePayment {
  const { id, amount_due, amount_paid, created, currency } = invoice
  return {
    id: id.replace(/^in_/, 'inpay_'),
    object: 'invoice_payment',
    amount_paid,
    amount_requested: amount_due,
    created,
    currency,
    invoice: id,
    is_default: true,
    livemode: false,
    payment: { type: 'payment_intent', payment_intent: paymentIntentIdOf(invoice) },
    status: 'paid',
    status_transitions: { canceled_at: null, paid_at: invoice.status_transitions.paid_at },
  }
}
