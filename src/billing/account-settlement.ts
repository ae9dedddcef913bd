import { Injectable } from '@nestjs/common'
import { and, eq, gt, isNull, notInArray } from 'drizzle-orm'
import type { Db } from '../platform/database/connection.js'
import { billingCustomers, checkouts, subscriptions } from '../platform/database/schema/billing.js'
import { ApiError } from '../platform/errors/api-error.js'
import { Clock, secondsAfter } from '../platform/time.js'
import { PAYABLE_FOR_SECONDS } from './checkout.js'
import { hasWaitingEvents, redactEvents } from './customer-sync.js'
import { BillingQueue } from './inbox.js'
import { ENDED_STATUSES, endsInLaterPeriod, isLive } from './subscriptions.js'

/** Time for the event of a page that was paid at the last moment, and for clocks that differ. */
const LEEWAY_SECONDS = 60 * 60

/** The payments that an account has to settle before it can be deleted. */
@Injectable()
export class AccountSettlement {
  constructor(
    private readonly clock: Clock,
    private readonly queue: BillingQueue,
  ) {}

  /**
   * The end of a subscription for a fixed term that has further periods to pay; null when no period will be
   * billed again. Throws `SUBSCRIPTION_LIVE` while no end is known: the subscription was not cancelled, or
   * there is a second one.
   */
  async billedUntil(transaction: Db, accountId: string): Promise<Date | null> {
    const [row] = await transaction.select().from(subscriptions).where(eq(subscriptions.accountId, accountId))
    if (!row || !isLive(row.status)) return null
    if (!row.cancelAtPeriodEnd || row.surplus.length > 0) throw new ApiError('SUBSCRIPTION_LIVE')
    return endsInLaterPeriod(row) ? row.endsAt : null
  }

  /**
   * An account that is going to be deleted must not be paid for: its page at the provider is expired soon after the
   * commit, and one that the provider is just creating is handed to no client. The account must be locked.
   */
  async closePages(transaction: Db, accountId: string): Promise<void> {
    const isOpen = and(eq(checkouts.accountId, accountId), eq(checkouts.isOpen, true))
    await transaction
      .update(checkouts)
      .set({ isOpen: false })
      .where(and(isOpen, isNull(checkouts.providerId)))
    const [open] = await transaction
      .select({ customerId: billingCustomers.customerId })
      .from(checkouts)
      .innerJoin(billingCustomers, eq(billingCustomers.accountId, checkouts.accountId))
      .where(isOpen)
    if (open?.customerId) await this.queue.add(open.customerId, transaction)
  }

  /**
   * Ends a cancelled subscription now, instead of at the end of the paid period; does nothing to any other.
   * For an account that is due for deletion, which waits until the provider has done it.
   */
  async endCancelled(db: Db, accountId: string): Promise<void> {
    const [found] = await db
      .select({ customerId: billingCustomers.customerId })
      .from(subscriptions)
      .innerJoin(billingCustomers, eq(billingCustomers.accountId, subscriptions.accountId))
      .where(and(eq(subscriptions.accountId, accountId), eq(subscriptions.cancelAtPeriodEnd, true)))
    if (found?.customerId) await this.queue.add(found.customerId, db)
  }

  /**
   * Whether nothing more can come from the provider: no subscription except ended ones, no page that can be
   * paid, and no event that waits to be handled.
   */
  async isSettled(transaction: Db, accountId: string): Promise<boolean> {
    const isGoing = and(
      eq(subscriptions.accountId, accountId),
      notInArray(subscriptions.status, [...ENDED_STATUSES]),
    )
    const openedAfter = secondsAfter(this.clock.now(), -PAYABLE_FOR_SECONDS - LEEWAY_SECONDS)
    const isPayable = and(
      eq(checkouts.accountId, accountId),
      eq(checkouts.isOpen, true),
      gt(checkouts.createdAt, openedAfter),
    )
    if ((await transaction.$count(subscriptions, isGoing)) > 0) return false
    if ((await transaction.$count(checkouts, isPayable)) > 0) return false
    return !(await hasWaitingEvents(transaction, accountId))
  }

  /** The status of a live subscription that was not cancelled; null when there is none. */
  async uncancelled(db: Db, accountId: string): Promise<string | null> {
    const [row] = await db.select().from(subscriptions).where(eq(subscriptions.accountId, accountId))
    return row && isLive(row.status) && !row.cancelAtPeriodEnd ? row.status : null
  }

  /**
   * Deletes what we store about its payments, and the personal data in their events. The customer stays at the
   * provider, because its invoices have to be kept.
   */
  async forget(transaction: Db, accountId: string): Promise<void> {
    await redactEvents(transaction, accountId)
    await transaction.delete(checkouts).where(eq(checkouts.accountId, accountId))
    await transaction.delete(subscriptions).where(eq(subscriptions.accountId, accountId))
    await transaction.delete(billingCustomers).where(eq(billingCustomers.accountId, accountId))
  }
}
