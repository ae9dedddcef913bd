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

  /** Gives back `amount` cents of the newest payment, all that is left when null. Throws when that is less. */
  refundNewest(subscriptionId: string, amount: number | null): void {
    this.refundCharge(this.newestOf(subscriptionId), amount)
  }

  /** The same for a charge. */
  refundCharge(charge: Charge, amount: number | null, cause?: EventCause): Charge {
    const left = charge.amount - charge.amount_refunded
    if (left === 0 || (amount ?? 0) > left) throw new Error(`Only ${left} cents of ${charge.id} are left`)
    // Kept from now on, because it changes.
    this.state.charges.set(charge.id, charge)
    charge.amount_refunded += amount ?? left
    charge.refunded = charge.amount_refunded === charge.amount
    this.events.emit('charge.refunded', charge, cause)
    return charge
  }

  /** The bank takes the newest payment back for now; the dispute. Throws when it has done so before. */
  dispute(subscriptionId: string): Dispute {
    const charge = this.newestOf(subscriptionId)
    if (charge.disputed) throw new Error(`${charge.id} was disputed before`)
    charge.disputed = true
    const dispute = newDispute(charge)
    this.state.disputes.set(dispute.id, dispute)
    this.events.emit('charge.dispute.created', dispute)
    return dispute
  }

  /** The bank has decided. Throws when it did so before. */
  closeDispute(disputeId: string, outcome: 'won' | 'lost'): void {
    const dispute = this.findDispute(disputeId)
    if (dispute.status !== 'needs_response') throw new Error(`${disputeId} is ${dispute.status}`)
    dispute.status = outcome
    this.events.emit('charge.dispute.closed', dispute)
  }

  /** Kept from now on, because it is about to change. */
  private newestOf(subscriptionId: string): Charge {
    const subscription = this.subscriptions.stored(subscriptionId)
    const invoice = this.invoices.newest(subscription, ({ amount_paid }) => amount_paid > 0)
    if (!invoice) throw new Error(`Nothing was paid for subscription ${subscriptionId}`)
    const charge = this.find(chargeIdOf(invoice))
    this.state.charges.set(charge.id, charge)
    return charge
  }
}
