import type { Stripe } from 'stripe'
import type { EventCause } from '../events/event.js'
import { ApiError } from '../http/api-error.js'
import type { Form } from '../http/form.js'
import { integer, oneOf, requiredText } from '../http/form-fields.js'
import { nowSeconds } from '../state/clock.js'
import { newId } from '../state/ids.js'
import { type Charge, chargeIdOf, invoiceIdOf } from './charge.js'
import type { Charges } from './charges.js'

/** Stripe's refund, with references as ids. */
export type Refund = Omit<Stripe.Refund, 'charge' | 'payment_intent'> & {
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
