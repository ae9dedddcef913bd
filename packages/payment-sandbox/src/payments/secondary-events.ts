import type { Customer } from '../customers/customer.js'
import type { Events } from '../events/events.js'
import type { Invoice } from '../invoices/invoice.js'
import { type Due, newCharge, newDeclinedCharge } from './charge.js'
import { declinedPaymentIntent, paymentIntentOf } from './payment-intent.js'
import { newCard, newDeclinedCard, type Payer } from './payment-method.js'
import { newDeclinedSetupIntent, newSetupIntent } from './setup-intent.js'

/**
 * The events about cards, payment intents, charges and drafts that Stripe sends besides those about the
 * subscription: most of what a webhook receives. The only state they change is the customer's currency.
 */
export class SecondaryEvents {
  constructor(private readonly events: Events) {}

  /**
   * For a completed checkout; `invoice` is paid, or open while the payment is pending. `triedAt`: when a card was
   * declined before, which created the payment intent. `underWay`: what has become of it while it is open.
   */
  ofCheckout(
    customer: Customer,
    invoice: Invoice,
    triedAt: number | undefined,
    underWay: 'processing' | 'requires_action',
  ): void {
    const card = newCard(customer)
    this.events.emitSecondary('payment_method.attached', card)
    this.ofCurrency(customer, invoice.currency)
    this.ofNewInvoice(invoice)
    if (invoice.amount_due > 0) this.ofNewPayment(invoice, card.id, triedAt, underWay)
    else this.ofSavedCard(customer, card.id)
    if (invoice.status === 'paid') this.ofPaid(invoice, { card: card.id, triedAt })
  }

  /** For the invoice of a period that begins, before anybody has tried to collect it. */
  ofRenewal(invoice: Invoice): void {
    this.ofNewInvoice(invoice)
    if (invoice.amount_due > 0) this.ofNewPaymentIntent(invoice)
  }

  /** For a card that was declined in a checkout, which creates nothing but an intent. */
  ofDeclinedCheckout(due: Due, payer: Payer, isFirstAttempt: boolean): void {
    if (isFirstAttempt) this.ofNewPaymentIntent(due)
    this.ofDeclined(due, payer)
  }

  /** For a card that was declined when it was only to be saved, for this customer if there is one already. */
  ofDeclinedSetup(customer: string | null, payer: Payer): void {
    const setupIntent = newDeclinedSetupIntent(customer, newDeclinedCard(payer))
    this.events.emitSecondary('setup_intent.created', { ...setupIntent, last_setup_error: null })
    this.events.emitSecondary('setup_intent.setup_failed', setupIntent)
  }

  /** For a card that was declined. */
  ofDeclined(due: Due, payer: Payer): void {
    const card = newDeclinedCard(payer)
    const charge = newDeclinedCharge(due, card)
    this.events.emitSecondary('charge.failed', charge)
    this.events.emitSecondary('payment_intent.payment_failed', declinedPaymentIntent(due, charge, card))
  }

  /** For an invoice that has been paid. `triedAt` as in {@link ofCheckout}. */
  ofPaid(
    invoice: Invoice,
    { card = null, triedAt }: { card?: string | null; triedAt?: number | undefined } = {},
  ) {
    if (invoice.amount_paid > 0) {
      this.events.emitSecondary('charge.succeeded', newCharge(invoice))
      const paymentIntent = paymentIntentOf(withIntentOf(invoice, triedAt), 'succeeded', card)
      this.events.emitSecondary('payment_intent.succeeded', paymentIntent)
    }
    this.events.emitSecondary('invoice.payment_succeeded', invoice)
  }

  /** Sets the customer's currency, as Stripe does with the first invoice. */
  private ofCurrency(customer: Customer, currency: string): void {
    if (customer.currency) return
    const before = structuredClone(customer)
    customer.currency = currency
    this.events.emitSecondary('customer.updated', customer, undefined, before)
  }

  private ofNewInvoice(invoice: Invoice): void {
    const { status_transitions, ...rest } = invoice
    const draft: Invoice = {
      ...rest,
      amount_paid: 0,
      amount_remaining: invoice.amount_due,
      attempt_count: 0,
      attempted: false,
      effective_at: null,
      ending_balance: null,
      number: null,
      status: 'draft',
      status_transitions: { ...status_transitions, finalized_at: null, paid_at: null },
    }
    const { effective_at, ending_balance, number } = invoice
    const finalized_at = status_transitions.finalized_at
    this.events.emitSecondary('invoice.created', draft)
    this.events.emitSecondary('invoice.finalized', {
      ...draft,
      effective_at,
      ending_balance,
      number,
      status: 'open',
      status_transitions: { ...draft.status_transitions, finalized_at },
    } satisfies Invoice)
  }

  private ofNewPaymentIntent(due: Due): void {
    const paymentIntent = paymentIntentOf(due, 'requires_payment_method', null)
    this.events.emitSecondary('payment_intent.created', paymentIntent)
  }

  private ofNewPayment(
    invoice: Invoice,
    card: string,
    triedAt: number | undefined,
    underWay: 'processing' | 'requires_action',
  ): void {
    if (triedAt === undefined) this.ofNewPaymentIntent(invoice)
    if (invoice.status !== 'open') return
    const paymentIntent = paymentIntentOf(withIntentOf(invoice, triedAt), underWay, card)
    this.events.emitSecondary(`payment_intent.${underWay}`, paymentIntent)
  }

  private ofSavedCard(customer: Customer, card: string): void {
    const setupIntent = newSetupIntent(customer.id, card)
    this.events.emitSecondary('setup_intent.created', setupIntent)
    this.events.emitSecondary('setup_intent.succeeded', setupIntent)
  }
}

/** The invoice as what its payment intent was created for: with itself, or with an attempt before. */
function withIntentOf(invoice: Invoice, triedAt: number | undefined): Due {
  return triedAt === undefined ? invoice : { ...invoice, created: triedAt }
}
