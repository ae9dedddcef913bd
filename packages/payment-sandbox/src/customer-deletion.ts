import type { Checkouts } from './checkouts.js'
import type { DeletedCustomer } from './customer.js'
import type { Customers } from './customers.js'
import type { EventCause } from './event.js'
import type { Events } from './events.js'
import type { State } from './state.js'
import { hasEnded } from './subscription.js'
import type { Subscriptions } from './subscriptions.js'

export class CustomerDeletion {
  constructor(
    private readonly state: State,
    private readonly events: Events,
    private readonly customers: Customers,
    private readonly checkouts: Checkouts,
    private readonly subscriptions: Subscriptions,
  ) {}

  /**
   * Cancels the customer's live subscriptions (`customer.subscription.deleted`), expires its open checkouts
   * (`checkout.session.expired`), then deletes it (`customer.deleted`). Invoices stay. Throws 404 when the
   * customer is unknown or already deleted.
   */
  delete(id: string, cause?: EventCause): DeletedCustomer {
    const customer = this.customers.find(id)
    for (const subscription of this.subscriptions.list(id, null))
      if (!hasEnded(subscription)) this.subscriptions.cancel(subscription.id, cause)
    for (const checkout of this.checkouts.list(id)) {
      if (checkout.status === 'open') this.checkouts.expire(checkout.id, cause)
    }
    const deleted: DeletedCustomer = { id, object: 'customer', deleted: true }
    this.state.customers.delete(id)
    this.state.deletedCustomers.set(id, deleted)
    this.events.emit('customer.deleted', customer, cause)
    return deleted
  }
}
