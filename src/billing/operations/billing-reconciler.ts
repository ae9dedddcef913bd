import { Injectable, Logger } from '@nestjs/common'
import { Cron } from '@nestjs/schedule'
import { and, asc, gt, isNotNull, lt } from 'drizzle-orm'
import { Clock, secondsAfter } from '../../clock/clock.js'
import { Database } from '../../database/database.js'
import { keepLease, takeLease } from '../../database/lease.js'
import { removeRows } from '../../database/remove-expired-rows.js'
import { billingCustomers, providerEvents } from '../../database/schema.js'
import { BillingQueue } from '../sync/billing-queue.js'

/**
 * When traffic is low in most of the world. The first attempt that succeeds is the only one of that night.
 */
const NIGHTLY = '7,17,27,37,47,57 3-5 * * *'
const LEASE = 'billing-reconcile'
/** Shorter than the time between two attempts, so that the next one takes over. */
const TRY_SECONDS = 9 * 60
/** Longer than the attempts of a night, shorter than a day. */
const DONE_SECONDS = 12 * 60 * 60
const CUSTOMERS_A_PAGE = 500
/** Well below the provider's limit of a hundred requests a second, which checkouts share. */
const CUSTOMERS_A_SECOND = 10
/** The provider repeats an event for three days; the rest is for operators. */
const KEEP_EVENTS_DAYS = 90

/**
 * Compares every customer with the provider and corrects what differs, at night and when an operator asks.
 */
@Injectable()
export class BillingReconciler {
  private readonly logger = new Logger('Billing')

  constructor(
    private readonly database: Database,
    private readonly queue: BillingQueue,
    private readonly clock: Clock,
  ) {}

  /** On one replica each night. After a database failure it starts again within ten minutes. */
  @Cron(NIGHTLY)
  async everyNight(): Promise<void> {
    try {
      const now = this.clock.now()
      if (!(await takeLease(this.database, LEASE, now, TRY_SECONDS))) return
      const customers = await this.reconcile()
      const forgotten = await this.forgetOldEvents(now)
      await keepLease(this.database, LEASE, now, DONE_SECONDS)
      this.logger.log(`Comparing ${customers} customers with the provider; removed ${forgotten} old events`)
    } catch (error) {
      this.logger.error(`The comparison with the provider could not start: ${(error as Error).message}`)
    }
  }

  /** Queues every customer, some each second; returns how many. The worker does the looking. */
  async reconcile(customersASecond = CUSTOMERS_A_SECOND): Promise<number> {
    let count = 0
    for (
      let page = await this.pageAfter('');
      page.length > 0;
      page = await this.pageAfter(page.at(-1) as string)
    ) {
      await this.queue.addRoutine(page, count / customersASecond, 1 / customersASecond)
      count += page.length
    }
    return count
  }

  private async pageAfter(customerId: string): Promise<string[]> {
    const rows = await this.database.run(db =>
      db
        .select({ customerId: billingCustomers.customerId })
        .from(billingCustomers)
        .where(gt(billingCustomers.customerId, customerId))
        .orderBy(asc(billingCustomers.customerId))
        .limit(CUSTOMERS_A_PAGE),
    )
    // Nulls are not greater than anything.
    return rows.map(row => row.customerId as string)
  }

  private async forgetOldEvents(now: Date): Promise<number> {
    const before = secondsAfter(now, -KEEP_EVENTS_DAYS * 24 * 60 * 60)
    const isOld = and(lt(providerEvents.receivedAt, before), isNotNull(providerEvents.effect))
    return removeRows(this.database, providerEvents, isOld)
  }
}
