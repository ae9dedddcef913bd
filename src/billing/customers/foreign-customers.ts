import { Injectable } from '@nestjs/common'
import { and, asc, count, isNotNull, isNull, type SQL } from 'drizzle-orm'
import { Database } from '../../database/database.js'
import { billingCustomers } from '../../database/schema.js'
import { type ProviderIdentity, ProviderKey } from '../provider/provider-key.js'
import { AfterCommit } from '../sync/after-commit.js'
import { CustomerSnapshots } from '../sync/customer-snapshot.js'
import { CustomerWriter } from '../sync/customer-writer.js'

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
    private readonly writer: CustomerWriter,
    private readonly afterCommit: AfterCommit,
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
   * Detaches the customer: the account can buy again, and what it bought with the other key has ended.
   * Nothing changes at the provider.
   */
  async forget({ customerId }: ForeignCustomer): Promise<void> {
    const gone = await this.snapshots.lookAway(customerId)
    const written = await this.database.transaction(transaction =>
      this.writer.write(transaction, gone, 'routine'),
    )
    await this.afterCommit.publish(written, false)
  }

  private async select(which: SQL | undefined): Promise<ForeignCustomer[]> {
    const { accountId, customerId } = billingCustomers
    const rows = await this.database.run(db =>
      db.select({ accountId, customerId }).from(billingCustomers).where(which).orderBy(asc(customerId)),
    )
    return rows as ForeignCustomer[]
  }
}
