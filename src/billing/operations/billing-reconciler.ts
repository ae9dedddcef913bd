import { Injectable } from '@nestjs/common'
import { Cron } from '@nestjs/schedule'
import { and, asc, eq, gt, isNotNull, lt } from 'drizzle-orm'
import { Database } from '../../platform/database/database.js'
import { billingCustomers, checkouts, providerEvents } from '../../platform/database/schema/billing.js'
import { removeRows } from '../../platform/database/sql.js'
import { LeasedJobs } from '../../platform/jobs.js'
import { Logger } from '../../platform/log.js'
import { secondsAfter } from '../../platform/time.js'
import { BillingQueue } from '../sync/billing-queue.js'

/**
 * When traffic is low in most of the world. The first attempt that succeeds is the only one of that night.
 */
const NIGHTLY = '7,17,27,37,47,57 3-5 * * *'
/** It rests for longer than the attempts of a night take, and for less than a day. */
const JOB = { name: 'billing-reconcile', everyMs: 10 * 60_000, restSeconds: 12 * 60 * 60 }
const CUSTOMERS_A_PAGE = 500
/** Well below the provider's limit of a hundred requests a second, which checkouts share. */
const CUSTOMERS_A_SECOND = 10
/** The provider repeats an event for three days, and a checkout can be paid for one; the rest is for operators. */
const KEEP_DAYS = 90

/**
 * Compares every customer with the provider and corrects what differs, at night and when an operator asks.
 */
@Injectable()
export class BillingReconciler {
  private readonly logger = new Logger('Billing')

  constructor(
    private readonly database: Database,
    private readonly queue: BillingQueue,
    private readonly jobs: LeasedJobs,
  ) {}

  /** On one replica each night. After a database failure it starts again within ten minutes. */
  @Cron(NIGHTLY)
  async everyNight(): Promise<void> {
    await this.jobs.run(JOB, async now => {
      const customers = await this.reconcile()
      const before = secondsAfter(now, -KEEP_DAYS * 24 * 60 * 60)
      const events = await this.removeEvents(before)
      const pages = await this.removeCheckouts(before)
      this.logger.log(
        `Comparing ${customers} customers with the provider; removed ${events} old events, ${pages} checkouts`,
      )
    })
  }

  /** Queues every customer, some each second; returns how many. The worker does the comparing. */
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

  private async removeEvents(before: Date): Promise<number> {
    const isOld = and(lt(providerEvents.receivedAt, before), isNotNull(providerEvents.effect))
    return removeRows(this.database, providerEvents, isOld)
  }

  private async removeCheckouts(before: Date): Promise<number> {
    const isOld = and(lt(checkouts.createdAt, before), eq(checkouts.isOpen, false))
    return removeRows(this.database, checkouts, isOld)
  }
}
