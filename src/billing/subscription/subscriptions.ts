import { isDeepStrictEqual } from 'node:util'
import { Injectable } from '@nestjs/common'
import { eq, inArray, lte, sql } from 'drizzle-orm'
import type Stripe from 'stripe'
import { Clock } from '../../clock/clock.js'
import { Settings } from '../../config/settings.js'
import type { Db } from '../../database/connection.js'
import { Database } from '../../database/database.js'
import { subscriptions } from '../../database/schema.js'
import type { Permissions } from '../../permissions/permissions.js'
import { Plans } from '../../permissions/plans-file.js'
import { planItem } from '../plans/plan-item.js'
import type { CurrentSubscription } from './current-subscription.js'
import { type ProviderStatus } from './provider-status.js'
import { graceEnd, isPastDue } from './subscription-state.js'
import { type KnownSubscription, NO_SUBSCRIPTION } from './subscription-view.js'

export type SubscriptionRow = typeof subscriptions.$inferSelect

/** The subscription that counts, and any others that bill. */
type SeenSubscriptions = CurrentSubscription & { readonly current: Stripe.Subscription }

/** The effect of a look on our record. */
export type Kept = 'changed' | 'same' | 'older'

/** The subscription of each account, as last seen at the provider. */
@Injectable()
export class Subscriptions {
  constructor(
    private readonly database: Database,
    private readonly settings: Settings,
    private readonly plans: Plans,
    private readonly clock: Clock,
  ) {}

  find(accountId: string): Promise<KnownSubscription> {
    return this.database.run(db => this.findIn(db, accountId))
  }

  async findIn(db: Db, accountId: string): Promise<KnownSubscription> {
    return this.asKnown(await this.row(db, accountId))
  }

  /** A row in our own terms; null for an account that never had a subscription. */
  asKnown(row: SubscriptionRow | null): KnownSubscription {
    if (!row) return NO_SUBSCRIPTION
    const graceUntil = row.pastDueSince && graceEnd(row.pastDueSince, this.settings.paymentGraceSeconds)
    return {
      status: row.status as ProviderStatus,
      plan: row.priceId,
      quantity: row.quantity,
      currentPeriodEnd: row.currentPeriodEnd?.toISOString() ?? null,
      cancelAtPeriodEnd: row.cancelAtPeriodEnd,
      endsAt: row.endsAt?.toISOString() ?? null,
      graceUntil: graceUntil?.toISOString() ?? null,
      isPaymentPending: row.status === 'incomplete' && !row.firstPaymentFailed,
    }
  }

  /**
   * Stores what the provider said when we started asking at `seenAt`; `older` when we already have something
   * newer. Every change at the provider causes an event and thus a look, and the look that starts last sees
   * all changes, so the latest one wins whatever the order in which events and answers arrive.
   */
  async keep(
    transaction: Db,
    accountId: string,
    { current: seen, surplus }: SeenSubscriptions,
    seenAt: Date,
  ): Promise<Kept> {
    const before = await this.row(transaction, accountId)
    const isSame = before?.providerId === seen.id
    const row = {
      accountId,
      ...asRow(seen, planItem(seen, this.plans, isSame ? before.priceId : null)),
      surplus: surplus.map(({ id }) => id),
      firstPaymentFailed: isSame && before.firstPaymentFailed,
      lastEntitled: isSame ? before.lastEntitled : null,
      pastDueSince: this.pastDueSince(before, seen),
      seenAt,
    }
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

  /** The customer is gone at the provider, with everything it had. Returns whether that is news. */
  async end(transaction: Db, accountId: string, seenAt: Date): Promise<boolean> {
    const row = await this.row(transaction, accountId)
    if (!row || row.status === 'canceled') return false
    await transaction
      .update(subscriptions)
      .set({
        status: 'canceled',
        cancelAtPeriodEnd: false,
        endsAt: this.clock.now(),
        pastDueSince: null,
        surplus: [],
        seenAt,
      })
      .where(eq(subscriptions.accountId, accountId))
    return true
  }

  /** The first payment of a subscription has failed. No effect unless it is the account's. Safe to repeat. */
  async noteFailedPayment(transaction: Db, providerId: string): Promise<void> {
    await transaction
      .update(subscriptions)
      .set({ firstPaymentFailed: true })
      .where(eq(subscriptions.providerId, providerId))
  }

  /** Records what each account's plan allows, for when its price is no longer in any plan. Safe to repeat. */
  async keepEntitled(transaction: Db, byAccount: ReadonlyMap<string, Permissions>): Promise<void> {
    if (byAccount.size === 0) return
    const rows = [...byAccount].map(([id, entitled]) => ({ id, entitled }))
    await transaction.execute(sql`
      update ${subscriptions} set last_entitled = kept.entitled
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as kept(id uuid, entitled jsonb)
      where ${subscriptions.accountId} = kept.id`)
  }

  /** What we have of an account's subscription; null when it never had one. */
  async row(db: Db, accountId: string): Promise<SubscriptionRow | null> {
    const [row] = await db.select().from(subscriptions).where(eq(subscriptions.accountId, accountId))
    return row ?? null
  }

  /** {@link row} of many, by account. */
  async rows(db: Db, accountIds: readonly string[]): Promise<ReadonlyMap<string, SubscriptionRow>> {
    const found = await db
      .select()
      .from(subscriptions)
      .where(inArray(subscriptions.accountId, [...accountIds]))
    return new Map(found.map(row => [row.accountId, row]))
  }

  /** Another failed attempt does not restart the grace period; a payment ends it. */
  private pastDueSince(before: SubscriptionRow | null, { id, status }: Stripe.Subscription): Date | null {
    if (!isPastDue(status)) return null
    return (before?.providerId === id ? before.pastDueSince : null) ?? this.clock.now()
  }
}

function asRow(seen: Stripe.Subscription, item: Stripe.SubscriptionItem | null) {
  const periodEnd = dateOf(item?.current_period_end ?? null)
  const endsAt = dateOf(seen.ended_at ?? seen.cancel_at) ?? (seen.cancel_at_period_end ? periodEnd : null)
  return {
    providerId: seen.id,
    status: seen.status as ProviderStatus,
    priceId: item?.price.id ?? null,
    quantity: item?.quantity ?? null,
    currentPeriodEnd: periodEnd,
    // In flexible billing mode, the default since 2025-09-30.clover, the portal sets `cancel_at` and not the flag.
    cancelAtPeriodEnd: seen.ended_at === null && endsAt !== null,
    endsAt,
  }
}

function dateOf(seconds: number | null): Date | null {
  return seconds === null ? null : new Date(seconds * 1000)
}
