import type { Stripe } from 'stripe'
import { nowSeconds } from '../state/clock.js'
import { newId } from '../state/ids.js'
import type { Charge } from './charge.js'

/** Stripe's dispute, with references as ids. Only its charge names the customer. */
export type Dispute = Omit<Stripe.Dispute, 'charge' | 'payment_intent'> & {
  charge: string
  payment_intent: string
}

/** https://docs.stripe.com/disputes/responding: 7 to 21 days, depending on the card network. */
const RESPONSE_TIME_SECONDS = 14 * 24 * 60 * 60

export function newDispute({ id, amount, currency, payment_intent }: Charge): Dispute {
  return {
    id: newId('du_1', 23),
    object: 'dispute',
    amount,
    balance_transactions: [],
    charge: id,
    created: nowSeconds(),
    currency,
    enhanced_eligibility_types: [],
    evidence: NO_EVIDENCE,
    evidence_details: {
      due_by: nowSeconds() + RESPONSE_TIME_SECONDS,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent,
    reason: 'fraudulent',
    status: 'needs_response',
  }
}

const NO_EVIDENCE: Stripe.Dispute.Evidence = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
  enhanced_evidence: {},
}
