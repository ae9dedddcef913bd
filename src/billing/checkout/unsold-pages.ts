import { Injectable, type OnApplicationBootstrap } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { eq } from 'drizzle-orm'
import { Database } from '../../platform/database/database.js'
import { billingCustomers, checkouts } from '../../platform/database/schema/billing.js'
import { causeMessage } from '../../platform/errors/api-error.js'
import { Logger } from '../../platform/log.js'
import { BillingQueue } from '../sync/billing-queue.js'
import { Checkouts } from './checkouts.js'

/**
 * At start, has the pages closed whose price is no longer on sale: whoever paid on one would pay for something that may
 * be in no plan any more. The nightly comparison closes those that an older replica opens after that.
 */
@Injectable()
export class UnsoldPages implements OnApplicationBootstrap {
  private readonly logger = new Logger('Billing')

  constructor(
    private readonly database: Database,
    private readonly checkouts: Checkouts,
    private readonly queue: BillingQueue,
    private readonly server: HttpAdapterHost,
  ) {}

  /** In the background, and not at the command line: the worker asks the provider. */
  onApplicationBootstrap(): void {
    if (this.server.httpAdapter) void this.close()
  }

  private async close(): Promise<void> {
    try {
      const customers = await this.database.run(db =>
        db
          .select({ customerId: billingCustomers.customerId })
          .from(checkouts)
          .innerJoin(billingCustomers, eq(billingCustomers.accountId, checkouts.accountId))
          .where(this.checkouts.isUnsold()),
      )
      for (const { customerId } of customers) if (customerId) await this.queue.add(customerId)
    } catch (error) {
      this.logger.warn(`Pages of prices that are no longer on sale stay open: ${causeMessage(error)}`)
    }
  }
}
