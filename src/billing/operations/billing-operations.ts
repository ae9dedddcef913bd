import { Injectable } from '@nestjs/common'
import { eq } from 'drizzle-orm'
import { Database } from '../../database/database.js'
import { providerEvents } from '../../database/schema.js'
import { type ForeignCustomer, ForeignCustomers } from '../customers/foreign-customers.js'
import { BillingQueue } from '../sync/billing-queue.js'
import { BillingReconciler } from '../sync/billing-reconciler.js'
import { BillingWorker } from '../sync/billing-worker.js'

/** What operators can do with the billing engine at the command line. */
@Injectable()
export class BillingOperations {
  constructor(
    private readonly database: Database,
    private readonly queue: BillingQueue,
    private readonly worker: BillingWorker,
    private readonly reconciler: BillingReconciler,
    private readonly foreign: ForeignCustomers,
  ) {}

  /** Handles an event again, whatever its state; false when it does not exist or concerns no customer. */
  async replay(eventId: string): Promise<boolean> {
    const customerId = await this.database.transaction(async transaction => {
      const [event] = await transaction
        .update(providerEvents)
        .set({ effect: null, handledAt: null })
        .where(eq(providerEvents.id, eventId))
        .returning({ customerId: providerEvents.customerId })
      if (!event?.customerId) return null
      await this.queue.ask(transaction, event.customerId)
      return event.customerId
    })
    if (customerId === null) return false
    await this.worker.settled()
    return true
  }

  /** Detaches the accounts of these customers, and drops what was waiting for them. */
  async forget(customers: readonly ForeignCustomer[]): Promise<void> {
    for (const customer of customers) {
      await this.foreign.forget(customer)
      await this.database.run(db => this.queue.ask(db, customer.customerId))
    }
    await this.worker.settled()
  }

  /** Looks at every customer now, as fast as the provider answers; returns how many. */
  async reconcile(): Promise<number> {
    const customers = await this.reconciler.reconcile(Number.POSITIVE_INFINITY)
    await this.worker.settled()
    return customers
  }
}
