import { Injectable } from '@nestjs/common'
import { eq } from 'drizzle-orm'
import Stripe from 'stripe'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { billingCustomers } from '../database/schema.js'
import { ask } from './payment-provider.js'

/** The provider's customer of each account: found by our account id, never by an e-mail address. */
@Injectable()
export class BillingCustomers {
  constructor(
    private readonly database: Database,
    private readonly stripe: Stripe,
  ) {}

  /** The customer id of the account, made at the provider on first use; one however many ask at once. */
  async ensure(accountId: string): Promise<string> {
    const known = await this.find(accountId)
    if (known) return known
    const { id: customerId } = await ask(() =>
      this.stripe.customers.create({ metadata: { accountId } }, { idempotencyKey: `customer-${accountId}` }),
    )
    await this.database.run(db =>
      db.insert(billingCustomers).values({ accountId, customerId }).onConflictDoNothing(),
    )
    return (await this.find(accountId)) ?? customerId
  }

  /** The account of a customer of the provider; null when it is none of ours. */
  async accountOf(transaction: Db, customerId: string): Promise<string | null> {
    const [row] = await transaction
      .select()
      .from(billingCustomers)
      .where(eq(billingCustomers.customerId, customerId))
    return row?.accountId ?? null
  }

  private async find(accountId: string): Promise<string | null> {
    const [row] = await this.database.run(db =>
      db.select().from(billingCustomers).where(eq(billingCustomers.accountId, accountId)),
    )
    return row?.customerId ?? null
  }
}
