import { Injectable } from '@nestjs/common'
import { sql } from 'drizzle-orm'
import Stripe from 'stripe'
import { Database } from '../database/database.js'
import { askFor } from './payment-provider.js'
import { referenceIn } from './provider-event.js'
import { isLive, type SubscriptionStatus } from './subscription-status.js'

/** Enough for every customer but one who was made to look strange; the newest come first. */
const MOST_SUBSCRIPTIONS = 100

/** A customer as it is at the provider. */
export interface CustomerLook {
  readonly customerId: string
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
  ) {}

  async look(customerId: string): Promise<CustomerLook> {
    const seenAt = await this.now()
    const subscriptions = await this.subscriptionsOf(customerId)
    const hasLive = subscriptions.some(({ status }) => isLive(status as SubscriptionStatus))
    // Whoever has something live was not deleted: one question less for most.
    const isDeleted = !hasLive && (await this.isDeleted(customerId))
    return { customerId, subscriptions, isDeleted, seenAt }
  }

  /** None for a customer that the provider does not know, or not any more. */
  async subscriptionsOf(customerId: string): Promise<Stripe.Subscription[]> {
    const found = await askFor(() =>
      this.stripe.subscriptions.list({ customer: customerId, status: 'all', limit: MOST_SUBSCRIPTIONS }),
    )
    return found?.data ?? []
  }

  /** The customer itself, or whose the charge or checkout was that stands for it; null when nobody's that is known. */
  async customerBehind(customerId: string): Promise<string | null> {
    const reference = referenceIn(customerId)
    if (!reference) return customerId
    const { kind, id } = reference
    const found = await askFor<Stripe.Charge | Stripe.Checkout.Session>(() =>
      kind === 'charge' ? this.stripe.charges.retrieve(id) : this.stripe.checkout.sessions.retrieve(id),
    )
    const customer = found?.customer ?? null
    return typeof customer === 'string' ? customer : (customer?.id ?? null)
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
