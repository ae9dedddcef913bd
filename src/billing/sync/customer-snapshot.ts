import { Injectable } from '@nestjs/common'
import { sql } from 'drizzle-orm'
import Stripe from 'stripe'
import { Database } from '../../database/database.js'
import { ApiError } from '../../errors/api-error.js'
import { Checkouts } from '../checkout/checkouts.js'
import { BillingCustomers } from '../provider/billing-customers.js'
import { callStripeOrNull } from '../provider/payment-provider.js'
import { isLive } from '../subscription/subscription.js'
import { referenceIn } from './billing-inbox.js'
import { type WaitingEvent, WaitingEvents } from './waiting-events.js'

/** Enough for any real customer; the newest come first. */
const MAX_SUBSCRIPTIONS = 100

/** Everything that we read of a customer from the provider at one time. */
export interface CustomerSnapshot {
  readonly customerId: string
  /** What was waiting before we asked, and is therefore in the answer. */
  readonly events: readonly WaitingEvent[]
  /** Newest first. */
  readonly subscriptions: readonly Stripe.Subscription[]
  /** Whether it has been deleted there, which is final. */
  readonly isDeleted: boolean
  /** The database's time before we asked. */
  readonly seenAt: Date
}

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
   * Also throws `PAYMENT_PROVIDER_FAILED` for a customer that the provider does not know, for example with
   * another account's key. `waitsAs` is what events of the customer are stored under: its id, or a stand-in
   * for it.
   */
  async fetch(customerId: string, waitsAs: string, isRoutine: boolean): Promise<CustomerSnapshot> {
    const events = await this.database.run(db => this.events.of(db, waitsAs))
    const seenAt = await this.now()
    const found = await this.subscriptionsOf(customerId)
    const subscriptions = found ?? []
    // A customer with a live subscription was not deleted, which saves a request for most. A comparison does
    // not ask about a customer that the provider knows: a deleted one has nothing live, which is all that
    // counts there.
    const hasLive = subscriptions.some(({ status }) => isLive(status))
    const mayBeDeleted = !hasLive && !(isRoutine && found && events.length === 0)
    const isDeleted = mayBeDeleted && (await this.isDeleted(customerId))
    if (!found && !isDeleted) throw unknownCustomer(customerId)
    return { customerId, events, subscriptions, isDeleted, seenAt }
  }

  /** Null for a customer that the provider does not know, or no longer knows. */
  async subscriptionsOf(customerId: string): Promise<Stripe.Subscription[] | null> {
    const found = await callStripeOrNull(() =>
      this.stripe.subscriptions.list({ customer: customerId, status: 'all', limit: MAX_SUBSCRIPTIONS }),
    )
    return found?.data ?? null
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
   * `PAYMENT_PROVIDER_FAILED` for one that was made with another secret key.
   */
  async isOurs(customerId: string): Promise<boolean> {
    const whose = await this.customers.whose(customerId)
    if (whose === 'of another key') throw unknownCustomer(customerId)
    return whose === 'ours'
  }

  /** Whether the provider knows the customer, even as a deleted one. */
  async isKnown(customerId: string): Promise<boolean> {
    return (await callStripeOrNull(() => this.stripe.customers.retrieve(customerId))) !== null
  }

  /** A customer that is as good as deleted, without asking the provider. */
  async asDeleted(customerId: string): Promise<CustomerSnapshot> {
    return { customerId, events: [], subscriptions: [], isDeleted: true, seenAt: await this.now() }
  }

  /**
   * A customer that is merely unknown was not deleted: with another account's key every customer is unknown.
   */
  private async isDeleted(customerId: string): Promise<boolean> {
    const customer = await callStripeOrNull(() => this.stripe.customers.retrieve(customerId))
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
