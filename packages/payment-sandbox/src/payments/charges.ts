import type { EventCause } from '../events/event.js'
import type { Events } from '../events/events.js'
import { ApiError } from '../http/api-error.js'
import type { Invoices } from '../invoices/invoices.js'
import type { State } from '../state/state.js'
import type { Subscriptions } from '../subscriptions/subscriptions.js'
import { type Charge, chargeIdOf, invoiceIdOf, newCharge } from './charge.js'
import { type Dispute, newDispute } from './dispute.js'

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
