import { Injectable, type OnApplicationBootstrap } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { Interval } from '@nestjs/schedule'
import { and, asc, count, isNotNull, isNull, type SQL } from 'drizzle-orm'
import { Database } from '../../platform/database/database.js'
import { billingCustomers } from '../../platform/database/schema/billing.js'
import { causeMessage } from '../../platform/errors/api-error.js'
import { Logger } from '../../platform/log.js'
import { describeIdentity, type ProviderIdentity, ProviderKey } from '../provider/payment-provider.js'
import { BillingQueue } from '../sync/billing-queue.js'
import { CustomerSnapshots, CustomerSync } from '../sync/customer-sync.js'

/** A customer that our secret key cannot access. */
export interface ForeignCustomer {
  readonly accountId: string
  readonly customerId: string
}

/**
 * Customers in our database that the provider does not know under our key, because the key was replaced by
 * another account's.
 */
@Injectable()
export class ForeignCustomers {
  constructor(
    private readonly database: Database,
    private readonly key: ProviderKey,
    private readonly snapshots: CustomerSnapshots,
    private readonly sync: CustomerSync,
    private readonly queue: BillingQueue,
  ) {}

  /** How many there are for each other key, as far as that is known. */
  async count(): Promise<(ProviderIdentity & { readonly customers: number })[]> {
    const { providerAccount, isLive } = billingCustomers
    const rows = await this.database.run(db =>
      db
        .select({ providerAccount, isLive, customers: count() })
        .from(billingCustomers)
        .where(this.key.isOfAnother())
        .groupBy(providerAccount, isLive),
    )
    return rows.map(row => ({ ...row, isLive: row.isLive === true }))
  }

  /** All of them. The provider is asked about those whose key was not recorded. Throws like `callStripe`. */
  async list(): Promise<ForeignCustomer[]> {
    await this.key.identify()
    const certain = await this.select(this.key.isOfAnother())
    const { customerId, isLive } = billingCustomers
    const uncertain = await this.select(and(isNotNull(customerId), isNull(isLive)))
    const unknown: ForeignCustomer[] = []
    for (const customer of uncertain)
      if (!(await this.snapshots.isKnown(customer.customerId))) unknown.push(customer)
    return [...certain, ...unknown]
  }

  /**
   * Detaches these customers: their accounts can buy again, and what they bought with the other key has
   * ended. Nothing changes at the provider. The worker then drops what was waiting for them.
   */
  async forget(customers: readonly ForeignCustomer[]): Promise<void> {
    for (const { customerId } of customers) {
      await this.sync.forget(customerId)
      await this.queue.add(customerId)
    }
  }

  private async select(which: SQL | undefined): Promise<ForeignCustomer[]> {
    const { accountId, customerId } = billingCustomers
    const rows = await this.database.run(db =>
      db.select({ accountId, customerId }).from(billingCustomers).where(which).orderBy(asc(customerId)),
    )
    return rows as ForeignCustomer[]
  }
}

const RETRY_MS = 60_000

/** Logs at start which account and mode payments go to, and whether customers belong to another. */
@Injectable()
export class ProviderKeyCheck implements OnApplicationBootstrap {
  private readonly logger = new Logger('Billing')
  private isDone = false

  constructor(
    private readonly key: ProviderKey,
    private readonly foreign: ForeignCustomers,
    private readonly server: HttpAdapterHost,
  ) {}

  /** In the background: a provider that is down must not keep anybody from logging in. */
  onApplicationBootstrap(): void {
    // At the command line nobody would read it, and not every command needs the provider.
    if (this.server.httpAdapter) void this.check()
    else this.isDone = true
  }

  @Interval(RETRY_MS)
  async check(): Promise<void> {
    if (this.isDone) return
    try {
      const identity = await this.key.identify()
      this.logger.log(`Payments go to ${describeIdentity(identity)}`)
      for (const { customers, ...other } of await this.foreign.count())
        this.logger.error(
          `${customers} accounts have customers of another key (${describeIdentity(other)}): they can neither pay nor change ` +
            'anything. If STRIPE_SECRET_KEY is right, run billing:forget-customers',
        )
      this.isDone = true
    } catch (error) {
      this.logger.warn(`Cannot determine yet which Stripe account receives payments: ${causeMessage(error)}`)
    }
  }
}
