import { Injectable } from '@nestjs/common'
import { and, eq, gt, isNotNull } from 'drizzle-orm'
import { Clock, secondsAfter } from '../clock/clock.js'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { checkouts, subscriptions } from '../database/schema.js'
import { PAYABLE_FOR_SECONDS } from './checkout-times.js'
import { HostedCheckouts } from './hosted-checkouts.js'
import { isLive, type SubscriptionStatus } from './subscription-status.js'

/** The pages of an account that has bought in another way, or from another page: each could bill it a second time. */
@Injectable()
export class OpenPages {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly hosted: HostedCheckouts,
  ) {}

  /** Their ids at the provider; none while nothing is bought or on its way. */
  async due(transaction: Db, accountId: string): Promise<string[]> {
    const [bought] = await transaction
      .select({ status: subscriptions.status, hasFailed: subscriptions.firstPaymentFailed })
      .from(subscriptions)
      .where(eq(subscriptions.accountId, accountId))
    const isOnItsWay = bought?.status === 'incomplete' && !bought.hasFailed
    if (!bought || !(isLive(bought.status as SubscriptionStatus) || isOnItsWay)) return []
    const rows = await transaction
      .select({ providerId: checkouts.providerId })
      .from(checkouts)
      .where(
        and(
          eq(checkouts.accountId, accountId),
          eq(checkouts.isOpen, true),
          isNotNull(checkouts.providerId),
          gt(checkouts.createdAt, secondsAfter(this.clock.now(), -PAYABLE_FOR_SECONDS)),
        ),
      )
    return rows.map(row => row.providerId as string)
  }

  /** Nobody can pay them any more. Safe to repeat; throws as `ask` does. */
  async close(providerIds: readonly string[]): Promise<void> {
    for (const providerId of providerIds) {
      // One that was paid at this moment has an event of its own, which tells of a second subscription.
      await this.hosted.expire(providerId)
      const isThis = eq(checkouts.providerId, providerId)
      await this.database.run(db => db.update(checkouts).set({ isOpen: false }).where(isThis))
    }
  }
}
