import { Injectable } from '@nestjs/common'
import { and, eq, gt, isNotNull } from 'drizzle-orm'
import { Clock, secondsAfter } from '../../clock/clock.js'
import type { Db } from '../../database/connection.js'
import { Database } from '../../database/database.js'
import { checkouts, subscriptions } from '../../database/schema.js'
import { isLive, type ProviderStatus } from '../subscription/provider-status.js'
import { PAYABLE_FOR_SECONDS } from './checkout-times.js'
import { HostedCheckouts } from './hosted-checkouts.js'

/**
 * Open checkout pages of an account that has bought another way, or from another page: each could bill it a
 * second time.
 */
@Injectable()
export class OpenPages {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly hosted: HostedCheckouts,
  ) {}

  /** Their ids at the provider; none while nothing has been bought and no payment is on its way. */
  async due(transaction: Db, accountId: string): Promise<string[]> {
    const [bought] = await transaction
      .select({ status: subscriptions.status, hasFailed: subscriptions.firstPaymentFailed })
      .from(subscriptions)
      .where(eq(subscriptions.accountId, accountId))
    const isOnItsWay = bought?.status === 'incomplete' && !bought.hasFailed
    if (!bought || !(isLive(bought.status as ProviderStatus) || isOnItsWay)) return []
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

  /** Closes them, so that nobody can pay them any longer. Safe to repeat; throws like `callStripe`. */
  async close(providerIds: readonly string[]): Promise<void> {
    for (const providerId of providerIds) {
      // One that is paid at this very moment has an event of its own, which reports a second subscription.
      await this.hosted.expire(providerId)
      const isThis = eq(checkouts.providerId, providerId)
      await this.database.run(db => db.update(checkouts).set({ isOpen: false }).where(isThis))
    }
  }
}
