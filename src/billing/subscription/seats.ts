import { Injectable } from '@nestjs/common'
import { and, count, eq, isNull, sql } from 'drizzle-orm'
import Stripe from 'stripe'
import { Settings } from '../../config/settings.js'
import type { Db } from '../../database/connection.js'
import { Database } from '../../database/database.js'
import { subscriptions, users } from '../../database/schema.js'
import type { ApiError } from '../../errors/api-error.js'
import { Plans } from '../../permissions/plans-file.js'
import { planItem } from '../plans/plan-item.js'
import { callStripe } from '../provider/payment-provider.js'
import { currentSubscription } from './current-subscription.js'
import { isLive, type ProviderStatus } from './provider-status.js'

/** A quantity to request of the provider, and the number of the request. */
export interface SeatChange {
  readonly accountId: string
  readonly subscriptionId: string
  readonly itemId: string
  readonly seats: number
  readonly version: number
}

/**
 * What the provider bills by: the active users of an account, including its owner, where the plan says so.
 */
@Injectable()
export class Seats {
  constructor(
    private readonly database: Database,
    private readonly plans: Plans,
    private readonly stripe: Stripe,
    private readonly settings: Settings,
  ) {}

  /** The quantity to buy of a price. */
  async quantityFor(db: Db, accountId: string, priceId: string | null): Promise<number> {
    if (!this.plans.of(priceId)?.seats) return 1
    const isActive = and(eq(users.accountId, accountId), isNull(users.disabledAt))
    const [row] = await db.select({ count: count() }).from(users).where(isActive)
    return Math.max(row?.count ?? 1, 1)
  }

  /**
   * The change that is due, given what the provider has; null when none is. The request keeps its number
   * until it is answered.
   */
  async due(
    transaction: Db,
    accountId: string,
    found: readonly Stripe.Subscription[],
  ): Promise<SeatChange | null> {
    const known = await this.known(transaction, accountId)
    const { current } = currentSubscription(found, known?.id ?? null)
    const item = current && planItem(current, this.plans, known?.priceId ?? null)
    if (!current || !item || !isLive(current.status as ProviderStatus)) return null
    if (!this.plans.of(item.price.id)?.seats) return null
    const seats = await this.quantityFor(transaction, accountId, item.price.id)
    if (item.quantity === seats) return null
    const [row] = await transaction
      .update(subscriptions)
      .set({
        seatsVersion: sql`${subscriptions.seatsVersion} + case when ${subscriptions.seatsWanted} is not distinct from ${seats} then 0 else 1 end`,
        seatsWanted: seats,
      })
      .where(eq(subscriptions.accountId, accountId))
      .returning({ version: subscriptions.seatsVersion })
    return {
      accountId,
      subscriptionId: current.id,
      itemId: item.id,
      seats,
      version: row?.version ?? 0,
    }
  }

  /** Tells the provider; after a crash or a lost answer again, under the same key. Throws like `callStripe`. */
  async sync({ accountId, subscriptionId, itemId, seats, version }: SeatChange): Promise<void> {
    try {
      await callStripe(() =>
        this.stripe.subscriptions.update(
          subscriptionId,
          { items: [{ id: itemId, quantity: seats }], proration_behavior: this.settings.stripe.proration },
          { idempotencyKey: `seats-${subscriptionId}-${version}` },
        ),
      )
    } catch (error) {
      // The provider repeats a recorded failure under the same key for a day.
      if ((error as ApiError).code === 'PAYMENT_PROVIDER_FAILED')
        await this.resetSeatRequest(accountId, version)
      throw error
    }
    // It repeats answers too: if somebody changes the number in the portal, a request under the old key would
    // not change it back.
    await this.resetSeatRequest(accountId, version)
  }

  private async resetSeatRequest(accountId: string, version: number): Promise<void> {
    const isThis = and(eq(subscriptions.accountId, accountId), eq(subscriptions.seatsVersion, version))
    await this.database.run(db => db.update(subscriptions).set({ seatsWanted: null }).where(isThis))
  }

  private async known(db: Db, accountId: string) {
    const { providerId: id, priceId } = subscriptions
    const [row] = await db
      .select({ id, priceId })
      .from(subscriptions)
      .where(eq(subscriptions.accountId, accountId))
    return row ?? null
  }
}
