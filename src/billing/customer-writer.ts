import { Injectable } from '@nestjs/common'
import type { Db } from '../database/connection.js'
import { AccountRecords, type Cause } from './account-records.js'
import { BillingCustomers } from './billing-customers.js'
import type { CustomerLook } from './customer-look.js'
import { Entitlements } from './entitlements/entitlements.js'
import { type ProviderUpdate, ProviderUpdates } from './provider-updates.js'
import { WaitingEvents } from './waiting-events.js'

/** What there is to do when the transaction has been committed. */
export interface Written {
  /** Null when the customer is none of ours. */
  readonly accountId: string | null
  readonly update: ProviderUpdate | null
}

const NOTHING = { accountId: null, update: null } as const

/** Writes what was seen of a customer, and what its events did, in one transaction. */
@Injectable()
export class CustomerWriter {
  constructor(
    private readonly customers: BillingCustomers,
    private readonly records: AccountRecords,
    private readonly entitlements: Entitlements,
    private readonly events: WaitingEvents,
    private readonly updates: ProviderUpdates,
  ) {}

  /** Null for a cause: an event if one waits, else routine. */
  async write(transaction: Db, look: CustomerLook, given: Cause | null): Promise<Written> {
    const { customerId, events, subscriptions } = look
    // Before anything else, so that two workers of one customer write one after the other.
    const accountId = await this.customers.lockAccountOf(transaction, customerId)
    if (!accountId) {
      await this.events.handle(transaction, events, null, 'unknown customer')
      return NOTHING
    }
    const cause = given ?? (events.length > 0 ? 'event' : 'routine')
    const effect = await this.records.keep(transaction, accountId, look, cause)
    await this.entitlements.bring(transaction, [accountId])
    await this.events.handle(transaction, events, accountId, effect)
    const mayUpdate = cause !== 'return' && effect !== 'not newer' && !look.isDeleted
    const update = mayUpdate ? await this.updates.due(transaction, accountId, subscriptions) : null
    return { accountId, update }
  }

  /** For events of a customer that is none of ours. */
  async dismiss(transaction: Db, waitsAs: string): Promise<void> {
    const events = await this.events.of(transaction, waitsAs)
    await this.events.handle(transaction, events, null, 'unknown customer')
  }
}
