import { Injectable } from '@nestjs/common'
import { and, eq, isNull, sql } from 'drizzle-orm'
import Stripe from 'stripe'
import { Settings } from '../../platform/config/settings.js'
import type { Db } from '../../platform/database/connection.js'
import { Database } from '../../platform/database/database.js'
import { users } from '../../platform/database/schema/accounts.js'
import { subscriptions } from '../../platform/database/schema/billing.js'
import { PlansFile } from '../../platform/plans.js'
import { currentSubscription } from '../subscription/current-subscription.js'
import { isLive, isPastDue } from '../subscription/subscription-rules.js'
import { Subscriptions } from '../subscription/subscriptions.js'
import { callStripe, isAnswered } from './payment-provider.js'

/** All subscriptions that the provider has for a customer, newest first. */
export type FoundSubscriptions = readonly Stripe.Subscription[]

/** A quantity to request from the provider, and the number of the request. */
export interface SeatChange {
  readonly accountId: string
  readonly subscriptionId: string
  readonly itemId: string
  readonly seats: number
  readonly version: number
  /** Whether a payment is due, so that nothing may be billed at once. */
  readonly isPaymentDue: boolean
}

/**
 * What the provider bills by: the active users of an account, including its owner, where the plan says so, and
 * once for every other plan.
 */
@Injectable()
export class Seats {
  constructor(
    private readonly database: Database,
    private readonly plans: PlansFile,
    private readonly stripe: Stripe,
    private readonly settings: Settings,
    private readonly subscriptions: Subscriptions,
  ) {}

  /** The quantity to buy of a price. */
  async quantityFor(db: Db, accountId: string, priceId: string | null): Promise<number> {
    if (!this.plans.of(priceId)?.seats) return 1
    const isActive = and(eq(users.accountId, accountId), isNull(users.disabledAt))
    return Math.max(await db.$count(users, isActive), 1)
  }

  /**
   * The change that is due, given what the provider has; null when none is, or the price is in no plan. The
   * request keeps its number until it is answered.
   */
  async due(transaction: Db, accountId: string, found: FoundSubscriptions): Promise<SeatChange | null> {
    if (this.plans.version === null) return null
    const row = await this.subscriptions.row(accountId, transaction)
    const { current } = currentSubscription(found, row?.providerId ?? null)
    const item = current && this.subscriptions.planItem(current, row)
    if (!current || !item || !isLive(current.status)) return null
    // Agreed by hand at the provider.
    if (current.metadata.quantity === 'fixed') return null
    // What is billed by usage has no quantity.
    if (!this.plans.of(item.price.id) || item.quantity === undefined) return null
    const seats = await this.quantityFor(transaction, accountId, item.price.id)
    if (item.quantity === seats) return null
    const [request] = await transaction
      .update(subscriptions)
      .set({
        seatsVersion: sql`${subscriptions.seatsVersion} + case when ${subscriptions.seatsWanted} is not distinct from ${seats} then 0 else 1 end`,
        seatsWanted: seats,
      })
      .where(eq(subscriptions.accountId, accountId))
      .returning({ version: subscriptions.seatsVersion })
    const version = request?.version ?? 0
    const isPaymentDue = isPastDue(current)
    return { accountId, subscriptionId: current.id, itemId: item.id, seats, version, isPaymentDue }
  }

  /** Tells the provider; after a lost answer, again under the same key. Throws like `callStripe`. */
  async sync(change: SeatChange): Promise<void> {
    const { accountId, subscriptionId, itemId, seats, version } = change
    const proration = this.prorationOf(change)
    try {
      await callStripe(() =>
        this.stripe.subscriptions.update(
          subscriptionId,
          { items: [{ id: itemId, quantity: seats }], proration_behavior: proration },
          // A key is for one body only, and what is due may change between a lost answer and the next try.
          { idempotencyKey: `seats-${subscriptionId}-${version}-${proration}` },
        ),
      )
    } catch (error) {
      // The provider repeats a recorded failure under the same key for a day.
      if (isAnswered(error)) await this.resetSeatRequest(accountId, version)
      throw error
    }
    // It repeats answers too: if somebody changes the number in the portal, a request under the old key would
    // not change it back.
    await this.resetSeatRequest(accountId, version)
  }

  /**
   * A credit that is invoiced at once is also paid at once, and the provider calls a past due subscription active as
   * soon as its latest invoice is paid.
   */
  private prorationOf({ isPaymentDue }: SeatChange) {
    const { proration } = this.settings.stripe
    return isPaymentDue && proration === 'always_invoice' ? 'create_prorations' : proration
  }

  private async resetSeatRequest(accountId: string, version: number): Promise<void> {
    const isThis = and(eq(subscriptions.accountId, accountId), eq(subscriptions.seatsVersion, version))
    await this.database.run(db => db.update(subscriptions).set({ seatsWanted: null }).where(isThis))
  }
}
