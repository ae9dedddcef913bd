import { isDeepStrictEqual } from 'node:util'
import { Injectable } from '@nestjs/common'
import { eq, lte, sql } from 'drizzle-orm'
import type Stripe from 'stripe'
import { Clock } from '../clock/clock.js'
import { Settings } from '../config/settings.js'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { subscriptions } from '../database/schema.js'
import { graceEnd, isOwing } from './subscription-state.js'
import { type SubscriptionStatus } from './subscription-status.js'
import { type KnownSubscription, NO_SUBSCRIPTION } from './subscription-view.js'

export type SubscriptionRow = typeof subscriptions.$inferSelect

/** What keeping a look at the provider did to our record. */
export type Kept = 'changed' | 'same' | 'older'

/** The subscription of each account, as last seen at the provider. */
@Injectable()
export class Subscriptions {
  constructor(
    private readonly database: Database,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  find(accountId: string): Promise<KnownSubscription> {
    return this.database.run(db => this.findIn(db, accountId))
  }

  async findIn(db: Db, accountId: string): Promise<KnownSubscription> {
    const row = await this.row(db, accountId)
    if (!row) return NO_SUBSCRIPTION
    const graceUntil = row.pastDueSince && graceEnd(row.pastDueSince, this.settings.paymentGraceSeconds)
    return {
      status: row.status as SubscriptionStatus,
      plan: row.priceId,
      quantity: row.quantity,
      currentPeriodEnd: row.currentPeriodEnd?.toISOString() ?? null,
      cancelAtPeriodEnd: row.cancelAtPeriodEnd,
      graceUntil: graceUntil?.toISOString() ?? null,
    }
  }

  /**
   * Keeps what the provider said when we began to ask at `seenAt`; `older` when that is not newer than what we have.
   * Every change at the provider has an event, and whoever begins to ask last sees them all: so the latest look wins,
   * in whatever order events and answers arrive.
   */
  async keep(transaction: Db, accountId: string, seen: Stripe.Subscription, seenAt: Date): Promise<Kept> {
    const before = await this.row(transaction, accountId)
    const row = { accountId, ...asRow(seen), pastDueSince: this.pastDueSince(before, seen), seenAt }
    const kept = await transaction
      .insert(subscriptions)
      .values(row)
      .onConflictDoUpdate({
        target: subscriptions.accountId,
        set: {
          ...row,
          seatsWanted: sql`case when ${subscriptions.seatsWanted} = excluded.quantity then null else ${subscriptions.seatsWanted} end`,
        },
        setWhere: lte(subscriptions.seenAt, seenAt),
      })
      .returning({ accountId: subscriptions.accountId })
    if (kept.length === 0) return 'older'
    return before && isDeepStrictEqual({ ...before, seenAt }, { ...before, ...row }) ? 'same' : 'changed'
  }

  /** The customer is gone at the provider, and what it had with it. Says whether we did not know. */
  async end(transaction: Db, accountId: string, seenAt: Date): Promise<boolean> {
    const row = await this.row(transaction, accountId)
    if (!row || row.status === 'canceled') return false
    await transaction
      .update(subscriptions)
      .set({ status: 'canceled', cancelAtPeriodEnd: false, pastDueSince: null, seenAt })
      .where(eq(subscriptions.accountId, accountId))
    return true
  }

  /** What we have of an account's subscription; null when it never had one. */
  async row(db: Db, accountId: string): Promise<SubscriptionRow | null> {
    const [row] = await db.select().from(subscriptions).where(eq(subscriptions.accountId, accountId))
    return row ?? null
  }

  /** Another failed try does not begin the grace period anew; a payment ends it. */
  private pastDueSince(before: SubscriptionRow | null, { id, status }: Stripe.Subscription): Date | null {
    if (!isOwing(status)) return null
    return (before?.providerId === id ? before.pastDueSince : null) ?? this.clock.now()
  }
}

function asRow(seen: Stripe.Subscription) {
  const [item] = seen.items.data
  return {
    providerId: seen.id,
    status: seen.status as SubscriptionStatus,
    priceId: item?.price.id ?? null,
    quantity: item?.quantity ?? null,
    currentPeriodEnd: item ? new Date(item.current_period_end * 1000) : null,
    cancelAtPeriodEnd: seen.cancel_at_period_end,
  }
}
