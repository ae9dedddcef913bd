import { Injectable } from '@nestjs/common'
import type { Db } from '../../database/connection.js'
import { BillingCustomers } from '../customers/billing-customers.js'
import { Entitlements } from '../entitlements/entitlements.js'
import { type ProviderUpdate, ProviderUpdates } from '../provider/provider-updates.js'
import type { CustomerSnapshot } from './customer-snapshot.js'
import { type Cause, SubscriptionWriter } from './subscription-writer.js'
import { WaitingEvents } from './waiting-events.js'

/** What remains to be done after the commit. */
export interface Written {
  /** Null when the customer is not ours. */
  readonly accountId: string | null
  readonly update: ProviderUpdate | null
}

const NOTHING = { accountId: null, update: null } as const

/** Writes what was seen of a customer, and the effects of its events, in one transaction. */
@Injectable()
export class CustomerWriter {
  constructor(
    private readonly customers: BillingCustomers,
    private readonly subscriptionWriter: SubscriptionWriter,
    private readonly entitlements: Entitlements,
    private readonly events: WaitingEvents,
    private readonly updates: ProviderUpdates,
  ) {}

  /** A null cause means: an event if one is waiting, otherwise routine. */
  async write(transaction: Db, look: CustomerSnapshot, given: Cause | null): Promise<Written> {
    const { customerId, events, subscriptions } = look
    // First of all, so that two workers on one customer write one after the other.
    const accountId = await this.customers.lockAccountOf(transaction, customerId)
    if (!accountId) {
      await this.events.handle(transaction, events, null, 'unknown customer')
      return NOTHING
    }
    const cause = given ?? (events.length > 0 ? 'event' : 'routine')
    const effect = await this.subscriptionWriter.keep(transaction, accountId, look, cause)
    await this.entitlements.decideFor(transaction, [accountId])
    await this.events.handle(transaction, events, accountId, effect)
    const mayUpdate = cause !== 'return' && effect !== 'not newer' && !look.isDeleted
    const update = mayUpdate ? await this.updates.due(transaction, accountId, subscriptions) : null
    return { accountId, update }
  }

  /** For events of a customer that is not ours. */
  async dismiss(transaction: Db, waitsAs: string): Promise<void> {
    const events = await this.events.of(transaction, waitsAs)
    await this.events.handle(transaction, events, null, 'unknown customer')
  }
}
