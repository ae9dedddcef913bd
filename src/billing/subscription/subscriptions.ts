import { isDeepStrictEqual } from 'node:util'
import { Injectable } from '@nestjs/common'
import { eq, lte, sql } from 'drizzle-orm'
import type Stripe from 'stripe'
import { Settings } from '../../platform/config/settings.js'
import type { Db } from '../../platform/database/connection.js'
import { Database } from '../../platform/database/database.js'
import { subscriptions } from '../../platform/database/schema/billing.js'
import { isAnyOf } from '../../platform/database/sql.js'
import type { Permissions } from '../../platform/permissions.js'
import { PlansFile } from '../../platform/plans.js'
import { Clock } from '../../platform/time.js'
import { type CurrentSubscription, currentSubscription, planItem } from './current-subscription.js'
import {
  type KnownSubscription,
  knownSubscription,
  pastDueSince,
  type SubscriptionRow,
} from './subscription-rules.js'

/** What the provider has, and how that has changed our record: `older` when we already had something newer. */
export interface SavedSubscription extends CurrentSubscription {
  readonly change: 'changed' | 'same' | 'older'
}

/** What the provider had when we started asking, at `seenAt`. */
export interface SeenSubscriptions {
  readonly subscriptions: readonly Stripe.Subscription[]
  /** Whether an invoice of an active one is still due. */
  readonly hasOverdueInvoice: boolean
  readonly seenAt: Date
}

/** The subscription of each account, as last seen at the provider. */
@Injectable()
export class Subscriptions {
  constructor(
    private readonly database: Database,
    private readonly settings: Settings,
    private readonly plans: PlansFile,
    private readonly clock: Clock,
  ) {}

  async find(accountId: string, transaction?: Db): Promise<KnownSubscription> {
    return this.known(await this.row(accountId, transaction))
  }

  /** What we have of an account's subscription; null when it never had one. */
  async row(accountId: string, transaction?: Db): Promise<SubscriptionRow | null> {
    const select = (db: Db) => db.select().from(subscriptions).where(eq(subscriptions.accountId, accountId))
    const [row] = await this.database.run(select, transaction)
    return row ?? null
  }

  /** {@link row} of many, by account. */
  async rows(transaction: Db, accountIds: readonly string[]): Promise<ReadonlyMap<string, SubscriptionRow>> {
    const found = await transaction
      .select()
      .from(subscriptions)
      .where(isAnyOf(subscriptions.accountId, accountIds))
    return new Map(found.map(row => [row.accountId, row]))
  }

  /** A row in our own terms; null stands for an account that never had a subscription. */
  known(row: SubscriptionRow | null): KnownSubscription {
    return knownSubscription(row, this.settings.paymentGraceSeconds)
  }

  /** The item of a subscription at the provider that is the plan; null only when it has none. */
  planItem(found: Stripe.Subscription, row: SubscriptionRow | null): Stripe.SubscriptionItem | null {
    return planItem(found, this.plans, row?.priceId ?? null)
  }

  /**
   * Stores which of the customer's subscriptions counts. Every change at the provider causes an event and thus a sync,
   * and the sync that starts last sees all changes, so the latest one wins whatever the order in which events and answers
   * arrive.
   */
  async save(
    transaction: Db,
    accountId: string,
    { subscriptions: found, hasOverdueInvoice, seenAt }: SeenSubscriptions,
  ): Promise<SavedSubscription> {
    const before = await this.row(accountId, transaction)
    const { current, surplus } = currentSubscription(found, before?.providerId ?? null)
    if (!current) return { current, surplus, change: 'same' }
    const isSame = before?.providerId === current.id
    const row = {
      accountId,
      ...columnsOf(current, this.planItem(current, isSame ? before : null)),
      surplus: surplus.map(({ id }) => id),
      firstPaymentFailed: isSame && before.firstPaymentFailed,
      lastEntitled: isSame ? before.lastEntitled : null,
      pastDueSince: pastDueSince(before, current, hasOverdueInvoice, this.clock.now()),
      seenAt,
    }
    const saved = await transaction
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
    if (saved.length === 0) return { current, surplus, change: 'older' }
    const isUnchanged = before && isDeepStrictEqual({ ...before, seenAt }, { ...before, ...row })
    return { current, surplus, change: isUnchanged ? 'same' : 'changed' }
  }

  /** The customer is gone at the provider, with everything it had. */
  async end(transaction: Db, accountId: string, seenAt: Date): Promise<void> {
    const row = await this.row(accountId, transaction)
    if (!row || row.status === 'canceled') return
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
  }

  /** The first payment of a subscription has failed. No effect unless it is the account's. Safe to repeat. */
  async recordFailedPayment(transaction: Db, providerId: string): Promise<void> {
    await transaction
      .update(subscriptions)
      .set({ firstPaymentFailed: true })
      .where(eq(subscriptions.providerId, providerId))
  }

  /** Records what each account's plan allows, for when its price is no longer in any plan. Safe to repeat. */
  async saveEntitled(transaction: Db, byAccount: ReadonlyMap<string, Permissions>): Promise<void> {
    if (byAccount.size === 0) return
    const rows = [...byAccount].map(([id, entitled]) => ({ id, entitled }))
    await transaction.execute(sql`
      update ${subscriptions} set last_entitled = saved.entitled
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as saved(id uuid, entitled jsonb)
      where ${subscriptions.accountId} = saved.id`)
  }
}

function columnsOf(seen: Stripe.Subscription, item: Stripe.SubscriptionItem | null) {
  const periodEnd = dateOf(item?.current_period_end ?? null)
  const endsAt = dateOf(seen.ended_at ?? seen.cancel_at) ?? (seen.cancel_at_period_end ? periodEnd : null)
  return {
    providerId: seen.id,
    status: seen.status,
    priceId: item?.price.id ?? null,
    quantity: item?.quantity ?? null,
    currentPeriodEnd: periodEnd,
    // In flexible billing mode, the default since 2025-09-30.clover, the portal sets `cancel_at` and not the
    // flag.
    cancelAtPeriodEnd: seen.ended_at === null && endsAt !== null,
    endsAt,
  }
}

function dateOf(seconds: number | null): Date | null {
  return seconds === null ? null : new Date(seconds * 1000)
}
