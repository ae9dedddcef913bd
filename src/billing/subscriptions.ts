import { Injectable } from '@nestjs/common'
import { and, eq, inArray, lte, notInArray, or, sql } from 'drizzle-orm'
import type Stripe from 'stripe'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { subscriptions } from '../database/schema.js'
import {
  ENDED_STATUSES,
  NO_SUBSCRIPTION,
  REPLACEABLE_STATUSES,
  type SubscriptionStatus,
  type SubscriptionView,
} from './subscription-view.js'

/** The subscription of each account, as last seen at the provider. */
@Injectable()
export class Subscriptions {
  constructor(private readonly database: Database) {}

  async find(accountId: string): Promise<SubscriptionView> {
    const [row] = await this.database.run(db =>
      db.select().from(subscriptions).where(eq(subscriptions.accountId, accountId)),
    )
    if (!row) return NO_SUBSCRIPTION
    return {
      status: row.status as SubscriptionStatus,
      plan: row.priceId,
      currentPeriodEnd: row.currentPeriodEnd?.toISOString() ?? null,
      cancelAtPeriodEnd: row.cancelAtPeriodEnd,
    }
  }

  /**
   * Keeps what the provider said when we began to ask at `seenAt`; false when that is not newer than what we have,
   * or is about another subscription than the live one. Every change at the provider has an event, and whoever
   * begins to ask last sees them all: so the latest look wins, in whatever order events and answers arrive.
   */
  async keep(transaction: Db, accountId: string, seen: Stripe.Subscription, seenAt: Date): Promise<boolean> {
    const row = { accountId, ...asRow(seen), seenAt }
    const isSame = eq(subscriptions.providerId, sql`excluded.provider_id`)
    const isSuccessor = and(
      inArray(subscriptions.status, [...REPLACEABLE_STATUSES]),
      notInArray(sql`excluded.status`, [...ENDED_STATUSES]),
    )
    const kept = await transaction
      .insert(subscriptions)
      .values(row)
      .onConflictDoUpdate({
        target: subscriptions.accountId,
        set: row,
        setWhere: and(lte(subscriptions.seenAt, seenAt), or(isSame, isSuccessor)),
      })
      .returning({ accountId: subscriptions.accountId })
    return kept.length === 1
  }

  /** Whether this is the subscription that an account has with us. */
  async isKept(transaction: Db, providerId: string): Promise<boolean> {
    const rows = await transaction
      .select()
      .from(subscriptions)
      .where(eq(subscriptions.providerId, providerId))
    return rows.length > 0
  }
}

function asRow(seen: Stripe.Subscription) {
  const [item] = seen.items.data
  return {
    providerId: seen.id,
    status: seen.status as SubscriptionStatus,
    priceId: item?.price.id ?? null,
    currentPeriodEnd: item ? new Date(item.current_period_end * 1000) : null,
    cancelAtPeriodEnd: seen.cancel_at_period_end,
  }
}
