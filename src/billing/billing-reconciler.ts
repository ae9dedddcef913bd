import { Injectable, Logger } from '@nestjs/common'
import { Cron } from '@nestjs/schedule'
import { and, asc, gt, isNotNull, lt } from 'drizzle-orm'
import { Clock, secondsAfter } from '../clock/clock.js'
import { Database } from '../database/database.js'
import { takeLease } from '../database/lease.js'
import { billingCustomers, providerEvents } from '../database/schema.js'
import { BillingWork } from './billing-work.js'

/** When there is little to do in most of the world. */
const NIGHTLY = '17 3 * * *'
/** Shorter than a day, longer than clocks can differ. */
const LEASE_SECONDS = 12 * 60 * 60
const CUSTOMERS_A_PAGE = 500
/** Well under the provider's limit of a hundred requests a second, which checkouts share. */
const CUSTOMERS_A_SECOND = 10
/** The provider repeats an event for three days; the rest is for operators. */
const KEEP_EVENTS_DAYS = 90

/** Compares every customer with the provider and mends what differs, at night and when an operator asks. */
@Injectable()
export class BillingReconciler {
  private readonly logger = new Logger('Billing')

  constructor(
    private readonly database: Database,
    private readonly work: BillingWork,
    private readonly clock: Clock,
  ) {}

  /** On one replica a night. */
  @Cron(NIGHTLY)
  async everyNight(): Promise<void> {
    try {
      const now = this.clock.now()
      if (!(await takeLease(this.database, 'billing-reconcile', now, LEASE_SECONDS))) return
      const customers = await this.reconcile()
      const forgotten = await this.forgetOldEvents(now)
      this.logger.log(`Looking again at ${customers} customers; ${forgotten} old events forgotten`)
    } catch (error) {
      this.logger.error(`Reconciliation did not begin, the next night will: ${(error as Error).message}`)
    }
  }

  /** Asks for a look at every customer, some each second; says how many. The looks themselves are the worker's. */
  async reconcile(customersASecond = CUSTOMERS_A_SECOND): Promise<number> {
    let count = 0
    for (
      let page = await this.pageAfter('');
      page.length > 0;
      page = await this.pageAfter(page.at(-1) as string)
    )
      for (const customerId of page)
        await this.database.run(db => this.work.ask(db, customerId, count++ / customersASecond))
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
    const removed = await this.database.run(db =>
      db
        .delete(providerEvents)
        .where(and(lt(providerEvents.receivedAt, before), isNotNull(providerEvents.effect)))
        .returning({ id: providerEvents.id }),
    )
    return removed.length
  }
}
