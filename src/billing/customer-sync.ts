import { Injectable } from '@nestjs/common'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import type { RecordedChanges } from '../sessions/session-changes.js'
import { AccountRecords, type Cause } from './account-records.js'
import { BillingCustomers } from './billing-customers.js'
import { BillingWork, type ClaimedWork } from './billing-work.js'
import { type CustomerLook, CustomerLooks } from './customer-look.js'
import { Entitlements } from './entitlements.js'
import { type SeatChange, Seats } from './seats.js'
import { SubscriptionCache } from './subscription-cache.js'
import { type WaitingEvent, WaitingEvents } from './waiting-events.js'

/** What there is to do when a transaction has been committed. */
interface Aftermath {
  readonly accountId: string | null
  readonly recorded: RecordedChanges | null
  readonly seats: SeatChange | null
}

/** Brings our records of one customer to what the provider has, and handles the events that wait because of it. */
@Injectable()
export class CustomerSync {
  constructor(
    private readonly database: Database,
    private readonly work: BillingWork,
    private readonly looks: CustomerLooks,
    private readonly events: WaitingEvents,
    private readonly customers: BillingCustomers,
    private readonly records: AccountRecords,
    private readonly entitlements: Entitlements,
    private readonly seats: Seats,
    private readonly cache: SubscriptionCache,
  ) {}

  /**
   * Looks, then writes everything in one transaction: either all of it is there or none. Throws when the provider or
   * the database is out of reach; then nothing has changed and it may be run again. A number of seats that the provider
   * does not have yet is told to it after that, so that its refusal holds up nothing else.
   */
  async run(claimed: ClaimedWork): Promise<void> {
    const customerId = await this.looks.customerBehind(claimed.customerId)
    if (customerId === null) return this.handleNobodys(claimed)
    const change = await this.bring(customerId, null, claimed)
    if (!change) return
    await this.seats.bring(change)
    const next = await this.bring(customerId, 'event', claimed)
    if (next?.seats === change.seats)
      throw new Error('The provider does not have the number of seats that it was told')
    // Somebody came or went meanwhile.
    if (next) await this.work.release(claimed)
  }

  /** The same out of turn, for a customer who is waiting in front of the browser. */
  async lookNow(customerId: string): Promise<void> {
    await this.bring(customerId, 'return', null)
  }

  /** Null for a cause: an event if one waits, else routine. Says which change of the seats is due. */
  private async bring(
    customerId: string,
    cause: Cause | null,
    claimed: ClaimedWork | null,
  ): Promise<SeatChange | null> {
    const events = await this.events.of(claimed?.customerId ?? customerId)
    const look = await this.looks.look(customerId)
    const { accountId, recorded, seats } = await this.database.transaction(async transaction => {
      // Before anything else, so that two workers of one customer write one after the other.
      const accountId = await this.customers.lockAccountOf(transaction, customerId)
      const why = cause ?? (events.length > 0 ? 'event' : 'routine')
      const aftermath = await this.write(transaction, accountId, look, events, why)
      if (claimed && !aftermath.seats) await this.work.finish(transaction, claimed)
      return aftermath
    })
    if (accountId) await this.cache.drop(accountId)
    await this.entitlements.tell(recorded)
    return seats
  }

  private async write(
    transaction: Db,
    accountId: string | null,
    look: CustomerLook,
    events: readonly WaitingEvent[],
    cause: Cause,
  ): Promise<Aftermath> {
    if (!accountId) {
      await this.events.handle(transaction, events, null, 'unknown customer')
      return { accountId, recorded: null, seats: null }
    }
    const effect = await this.records.keep(transaction, accountId, look, cause)
    const recorded = await this.entitlements.bring(transaction, accountId)
    await this.events.handle(transaction, events, accountId, effect)
    const mayChangeSeats = cause !== 'return' && effect !== 'not newer' && !look.isDeleted
    const seats = mayChangeSeats ? await this.seats.due(transaction, accountId, look.subscriptions) : null
    return { accountId, recorded, seats }
  }

  private async handleNobodys(claimed: ClaimedWork): Promise<void> {
    const events = await this.events.of(claimed.customerId)
    await this.database.transaction(async transaction => {
      await this.events.handle(transaction, events, null, 'none')
      await this.work.finish(transaction, claimed)
    })
  }
}
