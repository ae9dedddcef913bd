import type { Stripe } from 'stripe'
import { newId, nowSeconds } from './clock.js'
import type { EventCause } from './event.js'
import type { Events } from './events.js'
import { ApiError, type Form, integer, oneOf, requiredText } from './http.js'
import type { Invoices } from './invoices.js'
import { type Charge, chargeIdOf, type Dispute, invoiceIdOf, newCharge, newDispute } from './payment.js'
import type { State } from './state.js'
import type { Subscriptions } from './subscriptions.js'

export class Charges {
  constructor(
    private readonly state: State,
    private readonly events: Events,
    private readonly invoices: Invoices,
    private readonly subscriptions: Subscriptions,
  ) {}

  /** The charge of a paid invoice; throws 404 resource_missing. */
  find(id: string): Charge {
    const stored = this.state.charges.get(id)
    if (stored) return stored
    const invoice = this.state.invoices.get(invoiceIdOf(id))
    if (!id.startsWith('ch_') || !invoice?.amount_paid) throw ApiError.missing(404, 'charge', id, 'id')
    return newCharge(invoice)
  }

  /** The dispute; throws 404 resource_missing. */
  findDispute(id: string): Dispute {
    const dispute = this.state.disputes.get(id)
    if (!dispute) throw ApiError.missing(404, 'dispute', id, 'dispute')
    return dispute
  }

  /**
   * Refunds `amount` cents of the newest payment, or all that is left when null. Throws when less is left.
   */
  refundNewest(subscriptionId: string, amount: number | null): void {
    this.refundCharge(this.newestOf(subscriptionId), amount)
  }

  /** Like `refundNewest`, for a given charge; returns it. */
  refundCharge(charge: Charge, amount: number | null, cause?: EventCause): Charge {
    const left = charge.amount - charge.amount_refunded
    if (left === 0 || (amount ?? 0) > left) throw new Error(`Only ${left} cents of ${charge.id} are left`)
    // Stored from now on, because it no longer follows from the invoice.
    this.state.charges.set(charge.id, charge)
    charge.amount_refunded += amount ?? left
    charge.refunded = charge.amount_refunded === charge.amount
    this.events.emit('charge.refunded', charge, cause)
    return charge
  }

  /** Whether a bank keeps the money back; no longer once we have won. */
  isDisputed({ id }: Charge): boolean {
    return [...this.state.disputes.values()].some(({ charge, status }) => charge === id && status !== 'won')
  }

  /** Opens a dispute over the newest payment. Throws when there was one before. */
  dispute(subscriptionId: string): Dispute {
    const charge = this.newestOf(subscriptionId)
    if (charge.disputed) throw new Error(`${charge.id} has already been disputed`)
    charge.disputed = true
    const dispute = newDispute(charge)
    this.state.disputes.set(dispute.id, dispute)
    this.events.emit('charge.dispute.created', dispute)
    return dispute
  }

  /** Closes the dispute as the bank decides. Throws when it is already closed. */
  closeDispute(disputeId: string, outcome: 'won' | 'lost'): void {
    const dispute = this.findDispute(disputeId)
    if (dispute.status !== 'needs_response') throw new Error(`${disputeId} is ${dispute.status}`)
    dispute.status = outcome
    this.events.emit('charge.dispute.closed', dispute)
  }

  /** The charge, stored because it is about to change. Throws when nothing was paid. */
  private newestOf(subscriptionId: string): Charge {
    const subscription = this.subscriptions.stored(subscriptionId)
    const invoice = this.invoices.newest(subscription, ({ amount_paid }) => amount_paid > 0)
    if (!invoice) throw new Error(`Nothing was paid for subscription ${subscriptionId}`)
    const charge = this.find(chargeIdOf(invoice))
    this.state.charges.set(charge.id, charge)
    return charge
  }
}

/** Stripe's refund, with references as ids. */
type Refund = Omit<Stripe.Refund, 'charge' | 'payment_intent'> & {
  charge: string
  payment_intent: string
}

const REASONS = ['duplicate', 'fraudulent', 'requested_by_customer'] as const

export class Refunds {
  constructor(private readonly charges: Charges) {}

  /**
   * Refunds a payment, or `amount` cents of it; throws 400 when less is left or it is disputed, and 404 when the
   * payment is unknown.
   */
  create(params: Form, cause: EventCause): Refund {
    const paymentIntent = requiredText(params, 'payment_intent')
    const charge = this.charges.find(chargeIdOf({ id: invoiceIdOf(paymentIntent) }))
    const before = charge.amount_refunded
    const amount = integer(params, 'amount')
    if (charge.refunded) throw refusal(charge, 'has already been refunded', 'charge_already_refunded')
    if (this.charges.isDisputed(charge)) throw refusal(charge, 'has been charged back', 'charge_disputed')
    const left = charge.amount - before
    if ((amount ?? 0) > left)
      throw refusal(charge, `has only ${left} left to refund`, 'parameter_invalid_integer', 'amount')
    const { amount_refunded, currency, customer } = this.charges.refundCharge(charge, amount, cause)
    return {
      id: newId('re_1', 23),
      object: 'refund',
      amount: amount_refunded - before,
      balance_transaction: null,
      charge: charge.id,
      created: nowSeconds(),
      currency,
      customer,
      customer_account: null,
      metadata: {},
      payment_intent: paymentIntent,
      payment_method: null,
      reason: oneOf(params, 'reason', REASONS),
      receipt_number: null,
      source_transfer_reversal: null,
      status: 'succeeded',
      transfer_reversal: null,
    }
  }
}

function refusal({ id }: Charge, fact: string, code: string, param?: string): ApiError {
  return new ApiError(400, 'invalid_request_error', `Charge ${id} ${fact}.`, code, param)
}
