import { Injectable } from '@nestjs/common'
import { sql } from 'drizzle-orm'
import Stripe from 'stripe'
import { Database } from '../database/database.js'
import { BillingCustomers } from './billing-customers.js'
import { askFor } from './payment-provider.js'
import { referenceIn } from './provider-event.js'
import { isLive, type SubscriptionStatus } from './subscription-status.js'
import { type WaitingEvent, WaitingEvents } from './waiting-events.js'

/** Enough for every customer but one who was made to look strange; the newest come first. */
const MOST_SUBSCRIPTIONS = 100

/** A customer as it is at the provider. */
export interface CustomerLook {
  readonly customerId: string
  /** What waited before we asked, and so is in the answer. */
  readonly events: readonly WaitingEvent[]
  /** Newest first. */
  readonly subscriptions: readonly Stripe.Subscription[]
  /** Deleted there, which is for good. */
  readonly isDeleted: boolean
  /** The database's time from before we asked. */
  readonly seenAt: Date
}

/** What the provider knows now. Every method throws as `ask` does. */
@Injectable()
export class CustomerLooks {
  constructor(
    private readonly stripe: Stripe,
    private readonly database: Database,
    private readonly events: WaitingEvents,
    private readonly customers: BillingCustomers,
  ) {}

  /** `waitsAs` is what events of the customer are kept under: its id, or what stands for it. */
  async look(customerId: string, waitsAs: string, isRoutine: boolean): Promise<CustomerLook> {
    const events = await this.database.run(db => this.events.of(db, waitsAs))
    const seenAt = await this.now()
    const found = await this.subscriptionsOf(customerId)
    const subscriptions = found ?? []
    // Whoever has something live was not deleted: one question less for most. A comparison asks it of nobody whom the
    // provider knows: whose customer was deleted has nothing live, which is all that counts here.
    const hasLive = subscriptions.some(({ status }) => isLive(status as SubscriptionStatus))
    const mayBeDeleted = !hasLive && !(isRoutine && found && events.length === 0)
    const isDeleted = mayBeDeleted && (await this.isDeleted(customerId))
    return { customerId, events, subscriptions, isDeleted, seenAt }
  }

  /** Null for a customer that the provider does not know, or not any more. */
  async subscriptionsOf(customerId: string): Promise<Stripe.Subscription[] | null> {
    const found = await askFor(() =>
      this.stripe.subscriptions.list({ customer: customerId, status: 'all', limit: MOST_SUBSCRIPTIONS }),
    )
    return found?.data ?? null
  }

  /**
   * The customer itself, or whose the checkout or charge was that stands for it; null when nobody's that is known. A
   * checkout of ours is known here.
   */
  async customerBehind(waitsAs: string): Promise<string | null> {
    const reference = referenceIn(waitsAs)
    if (!reference) return waitsAs
    const { kind, id } = reference
    if (kind === 'checkout') return this.customers.ofCheckout(id)
    const customer = (await askFor(() => this.stripe.charges.retrieve(id)))?.customer ?? null
    return typeof customer === 'string' ? customer : (customer?.id ?? null)
  }

  /** Whether an account of ours has the customer; the provider need not be asked about any other. */
  isOurs(customerId: string): Promise<boolean> {
    return this.customers.isOurs(customerId)
  }

  /** One that is merely unknown was not deleted: with the key of another account every customer is unknown. */
  private async isDeleted(customerId: string): Promise<boolean> {
    const customer = await askFor(() => this.stripe.customers.retrieve(customerId))
    return customer?.deleted === true
  }

  private async now(): Promise<Date> {
    const [clock] = await this.database.run(db =>
      db.select({ now: sql<string>`clock_timestamp()::text` }).from(sql`(select 1) as one`),
    )
    return new Date(clock?.now as string)
  }
}
