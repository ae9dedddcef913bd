import { Injectable } from '@nestjs/common'
import { sql } from 'drizzle-orm'
import Stripe from 'stripe'
import { NO_MAILS } from '../../mail/mail.js'
import { Database } from '../../platform/database/database.js'
import { SubscriptionCache } from '../billing-caches.js'
import { Checkouts } from '../checkout/checkouts.js'
import { UserEntitlements } from '../entitlements/user-entitlements.js'
import { BillingCustomers, unknownCustomer } from '../provider/billing-customers.js'
import { callStripeOrNull } from '../provider/payment-provider.js'
import { type ProviderUpdate, ProviderUpdates, wasIgnored } from '../provider/provider-updates.js'
import { withAllItems } from '../provider/subscription-items.js'
import { ENDED_STATUSES, isLive } from '../subscription/subscription-rules.js'
import { referenceIn } from './billing-inbox.js'
import type { ClaimedWork } from './billing-queue.js'
import { CustomerAdoption } from './customer-adoption.js'
import { type Cause, type CustomerSnapshot, CustomerWriter, type Written } from './customer-writer.js'
import { owesInvoice } from './overdue-invoices.js'
import { type WaitingEvent, WaitingEvents } from './waiting-events.js'

/** Enough for any real customer; the newest come first. */
const MAX_SUBSCRIPTIONS = 100

/** What the provider knows now. Every method throws like `callStripe`. */
@Injectable()
export class CustomerSnapshots {
  constructor(
    private readonly stripe: Stripe,
    private readonly database: Database,
    private readonly events: WaitingEvents,
    private readonly customers: BillingCustomers,
    private readonly checkouts: Checkouts,
  ) {}

  /**
   * Also throws `PAYMENT_PROVIDER_REFUSED` for a customer that the provider does not know, for example with
   * another account's key. `waitsAs` is what events of the customer are stored under: its id, or a stand-in
   * for it.
   */
  async fetch(customerId: string, waitsAs: string, isRoutine: boolean): Promise<CustomerSnapshot> {
    const events = await this.eventsOf(waitsAs)
    const seenAt = await this.databaseNow()
    const found = await this.subscriptionsOf(customerId)
    const subscriptions = found ?? []
    // A customer with a live subscription was not deleted, which saves a request for most. A comparison does
    // not ask about a customer that the provider knows: a deleted one has nothing live, which is all that
    // counts there.
    const hasLive = subscriptions.some(({ status }) => isLive(status))
    const mayBeDeleted = !hasLive && !(isRoutine && found && events.length === 0)
    const isDeleted = mayBeDeleted && (await this.isDeleted(customerId))
    if (!found && !isDeleted) throw unknownCustomer(customerId)
    const hasOverdueInvoice = await owesInvoice(this.database, this.stripe, customerId, subscriptions)
    return { customerId, events, subscriptions, hasOverdueInvoice, isDeleted, seenAt }
  }

  /** What waits for a customer, or for what stands in for it. */
  eventsOf(waitsAs: string): Promise<WaitingEvent[]> {
    return this.database.run(db => this.events.of(db, waitsAs))
  }

  /**
   * With all their items, but for those that have ended. Null for a customer that the provider does not know, or no
   * longer knows.
   */
  async subscriptionsOf(customerId: string): Promise<Stripe.Subscription[] | null> {
    const found = await callStripeOrNull(() =>
      this.stripe.subscriptions.list({ customer: customerId, status: 'all', limit: MAX_SUBSCRIPTIONS }),
    )
    if (!found) return null
    const isOver = ({ status }: Stripe.Subscription) => ENDED_STATUSES.includes(status)
    return Promise.all(found.data.map(each => (isOver(each) ? each : withAllItems(this.stripe, each))))
  }

  /**
   * The customer itself, or the one of the checkout or charge that stands in for it; null when unknown. Our
   * own checkouts are known here.
   */
  async customerBehind(waitsAs: string): Promise<string | null> {
    const reference = referenceIn(waitsAs)
    if (!reference) return waitsAs
    const { kind, id } = reference
    if (kind === 'checkout') return this.checkouts.customerOf(id)
    const customer = (await callStripeOrNull(() => this.stripe.charges.retrieve(id)))?.customer ?? null
    return typeof customer === 'string' ? customer : (customer?.id ?? null)
  }

  /**
   * Whether the customer belongs to one of our accounts; the provider need not be asked about others. Throws
   * `PAYMENT_PROVIDER_REFUSED` for one that was made with another secret key.
   */
  async isOurs(customerId: string): Promise<boolean> {
    const owner = await this.customers.ownerOf(customerId)
    if (owner === 'of another key') throw unknownCustomer(customerId)
    return owner === 'ours'
  }

  /** Whether the provider knows the customer, even as a deleted one. */
  async isKnown(customerId: string): Promise<boolean> {
    return (await callStripeOrNull(() => this.stripe.customers.retrieve(customerId))) !== null
  }

  /** A customer that is as good as deleted, without asking the provider. */
  async asDeleted(customerId: string): Promise<CustomerSnapshot> {
    const seenAt = await this.databaseNow()
    return { customerId, events: [], subscriptions: [], hasOverdueInvoice: false, isDeleted: true, seenAt }
  }

  /**
   * A customer that is merely unknown was not deleted: with another account's key every customer is unknown.
   */
  private async isDeleted(customerId: string): Promise<boolean> {
    const customer = await callStripeOrNull(() => this.stripe.customers.retrieve(customerId))
    return customer?.deleted === true
  }

  private async databaseNow(): Promise<Date> {
    const [clock] = await this.database.run(db =>
      db
        .select({ seconds: sql<number>`extract(epoch from clock_timestamp())::float8` })
        .from(sql`(select 1) as one`),
    )
    return new Date(Number(clock?.seconds) * 1000)
  }
}

/** A browser is waiting: nobody has claimed the customer, and other work is left to the worker. */
const NOT_CLAIMED = null
/** In a large account, only the first users while somebody is waiting: 2,000, in a fraction of a second. */
const PAGES_WAITED_FOR = 4

/** Brings our records of one customer up to date with the provider, and handles its waiting events. */
@Injectable()
export class CustomerSync {
  constructor(
    private readonly snapshots: CustomerSnapshots,
    private readonly adoption: CustomerAdoption,
    private readonly writer: CustomerWriter,
    private readonly cache: SubscriptionCache,
    private readonly userEntitlements: UserEntitlements,
    private readonly updates: ProviderUpdates,
  ) {}

  /**
   * Asks the provider, then writes everything in one transaction. Throws when the provider or the database is out
   * of reach; nothing has changed then and it can be repeated. What the provider has to be told follows, so that
   * its refusal delays nothing else. Starts nothing after `limit`. Returns false when there is more to tell the
   * provider: the work is then still claimed.
   */
  async run(claimed: ClaimedWork, limit?: AbortSignal): Promise<boolean> {
    const customerId = await this.snapshots.customerBehind(claimed.customerId)
    limit?.throwIfAborted()
    const isOurs =
      customerId !== null &&
      ((await this.snapshots.isOurs(customerId)) ||
        (await this.adoption.adoptNamed(customerId, await this.snapshots.eventsOf(claimed.customerId))))
    if (!isOurs) {
      await this.writer.dismiss(claimed)
      return true
    }
    const update = await this.sync(customerId, null, claimed, limit)
    if (!update) return true
    await this.updates.send(update)
    const next = await this.sync(customerId, 'event', claimed, limit)
    if (next && wasIgnored(update, next))
      throw new Error('The provider accepted an update but did not apply it')
    // Otherwise somebody joined or left in the meantime.
    return next === null
  }

  /** The same at once, for a customer who is waiting in a browser. */
  async syncNow(customerId: string): Promise<void> {
    await this.sync(customerId, 'return', NOT_CLAIMED)
  }

  /** Treats the customer as deleted, without asking the provider. An operator does so, who mails whom they like. */
  async forget(customerId: string): Promise<void> {
    const deleted = await this.snapshots.asDeleted(customerId)
    const written = await this.writer.write(deleted, 'routine', NOT_CLAIMED)
    await this.publish({ ...written, sendMails: NO_MAILS })
  }

  /** Returns what the provider has to be told. */
  private async sync(
    customerId: string,
    cause: Cause | null,
    claimed: ClaimedWork | null,
    limit?: AbortSignal,
  ): Promise<ProviderUpdate | null> {
    const waitsAs = claimed?.customerId ?? customerId
    const snapshot = await this.snapshots.fetch(customerId, waitsAs, claimed?.isRoutine ?? false)
    limit?.throwIfAborted()
    const written = await this.writer.write(snapshot, cause, claimed)
    await this.publish(written, claimed === NOT_CLAIMED ? PAGES_WAITED_FOR : undefined)
    limit?.throwIfAborted()
    return written.update
  }

  /** Tells the rest of the service what was committed. */
  private async publish({ accountId, areUsersBehind, sendMails }: Written, pages?: number): Promise<void> {
    if (!accountId) return
    sendMails()
    await this.cache.drop(accountId)
    if (areUsersBehind) await this.userEntitlements.applyToUsers(accountId, pages)
  }
}
