import { Injectable } from '@nestjs/common'
import { sql } from 'drizzle-orm'
import Stripe from 'stripe'
import { Database } from '../database/database.js'
import { ApiError } from '../errors/api-error.js'
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

  /**
   * Throws `PAYMENT_PROVIDER_FAILED` too for a customer that the provider does not know, as with the key of another account.
   * `waitsAs` is what events of the customer are kept under: its id, or what stands for it.
   */
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
    if (!found && !isDeleted) throw unknownCustomer(customerId)
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

  /**
   * Whether an account of ours has the customer; the provider need not be asked about any other. Throws
   * `PAYMENT_PROVIDER_FAILED` for one that was made with another secret key.
   */
  async isOurs(customerId: string): Promise<boolean> {
    const whose = await this.customers.whose(customerId)
    if (whose === 'of another key') throw unknownCustomer(customerId)
    return whose === 'ours'
  }

  /** Whether the provider knows the customer, also as one that was deleted. */
  async isKnown(customerId: string): Promise<boolean> {
    return (await askFor(() => this.stripe.customers.retrieve(customerId))) !== null
  }

  /** A look at a customer that is as good as deleted: it is not asked about. */
  async lookAway(customerId: string): Promise<CustomerLook> {
    return { customerId, events: [], subscriptions: [], isDeleted: true, seenAt: await this.now() }
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

function unknownCustomer(customerId: string): ApiError {
  const cause = new Error(
    `It does not know customer ${customerId}. Is STRIPE_SECRET_KEY of another account or mode?`,
  )
  return new ApiError('PAYMENT_PROVIDER_FAILED', { cause })
}
