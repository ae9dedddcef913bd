import { Injectable } from '@nestjs/common'
import { and, eq, isNull, sql } from 'drizzle-orm'
import Stripe from 'stripe'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { accounts, billingCustomers, checkouts } from '../database/schema.js'
import type { ApiError } from '../errors/api-error.js'
import { ask } from './payment-provider.js'
import { ProviderKey } from './provider-key.js'

/** The provider's customer of each account: found by our account id, never by an e-mail address. */
@Injectable()
export class BillingCustomers {
  constructor(
    private readonly database: Database,
    private readonly stripe: Stripe,
    private readonly key: ProviderKey,
  ) {}

  /** The customer id of the account, made at the provider on first use; one however many ask at once. Throws as `ask` does. */
  async ensure(accountId: string): Promise<string> {
    const { customerId, attempt } = await this.reserve(accountId)
    if (customerId) return customerId
    const identity = await this.key.identify()
    const created = await this.create(accountId, attempt)
    await this.database.run(db =>
      db
        .update(billingCustomers)
        .set({ customerId: created, ...identity })
        .where(and(isUnmade(accountId), eq(billingCustomers.attempt, attempt))),
    )
    // Where another attempt has overtaken this one, its customer is the one.
    return (await this.find(accountId)) ?? this.ensure(accountId)
  }

  /** The customer id of the account; null when none has been made, or it was deleted. */
  async find(accountId: string): Promise<string | null> {
    const [row] = await this.database.run(db =>
      db.select().from(billingCustomers).where(eq(billingCustomers.accountId, accountId)),
    )
    return row?.customerId ?? null
  }

  /** Whose the customer is: with the key of another account or mode nothing can be done about it. */
  async whose(customerId: string): Promise<'ours' | 'of another key' | 'nobody'> {
    const isOfAnother = sql<boolean>`coalesce(${this.key.isOfAnother()}, false)`
    const [found] = await this.database.run(db =>
      db.select({ isOfAnother }).from(billingCustomers).where(eq(billingCustomers.customerId, customerId)),
    )
    if (!found) return 'nobody'
    return found.isOfAnother ? 'of another key' : 'ours'
  }

  /** The customer of a checkout, by the provider's id of that; null when it is none of ours. */
  async ofCheckout(providerId: string): Promise<string | null> {
    const [found] = await this.database.run(db =>
      db
        .select({ customerId: billingCustomers.customerId })
        .from(checkouts)
        .innerJoin(billingCustomers, eq(billingCustomers.accountId, checkouts.accountId))
        .where(eq(checkouts.providerId, providerId)),
    )
    return found?.customerId ?? null
  }

  /**
   * The account of a customer of the provider, held with all that is known of its payments until this transaction ends; null
   * when it is none of ours. The account comes first, as for whoever deletes it. The provider has just told of the customer: so
   * it is of our key.
   */
  async lockAccountOf(transaction: Db, customerId: string): Promise<string | null> {
    const isThis = eq(billingCustomers.customerId, customerId)
    const [found] = await transaction.select().from(billingCustomers).where(isThis)
    if (!found) return null
    const isItsAccount = eq(accounts.id, found.accountId)
    await transaction.select({ id: accounts.id }).from(accounts).where(isItsAccount).for('no key update')
    const [row] = await transaction.select().from(billingCustomers).where(isThis).for('update')
    if (row && row.isLive === null && this.key.known)
      await transaction.update(billingCustomers).set(this.key.known).where(isThis)
    return row?.accountId ?? null
  }

  /** The customer was deleted at the provider: the next checkout makes another. */
  async forget(transaction: Db, { accountId, customerId }: { accountId: string; customerId: string }) {
    await transaction
      .update(billingCustomers)
      .set({
        customerId: null,
        providerAccount: null,
        isLive: null,
        toldName: null,
        toldEmail: null,
        attempt: sql`${billingCustomers.attempt} + 1`,
      })
      .where(and(eq(billingCustomers.accountId, accountId), eq(billingCustomers.customerId, customerId)))
  }

  /** The row is the lock: all who ask at once ask the provider under one key, and one of them writes. */
  private reserve(accountId: string): Promise<typeof billingCustomers.$inferSelect> {
    return this.database.run(async db => {
      await db.insert(billingCustomers).values({ accountId }).onConflictDoNothing()
      const [row] = await db.select().from(billingCustomers).where(eq(billingCustomers.accountId, accountId))
      return row as typeof billingCustomers.$inferSelect
    })
  }

  /** A failure that the provider has noted under our key it repeats for a day: the next click gets another. */
  private async create(accountId: string, attempt: number): Promise<string> {
    try {
      const { id } = await ask(() =>
        this.stripe.customers.create(
          { metadata: { accountId } },
          { idempotencyKey: `customer-${accountId}-${attempt}` },
        ),
      )
      return id
    } catch (error) {
      if ((error as ApiError).code === 'PAYMENT_PROVIDER_FAILED') await this.beginAnew(accountId, attempt)
      throw error
    }
  }

  private async beginAnew(accountId: string, attempt: number): Promise<void> {
    const isThisAttempt = and(isUnmade(accountId), eq(billingCustomers.attempt, attempt))
    await this.database.run(db =>
      db
        .update(billingCustomers)
        .set({ attempt: attempt + 1 })
        .where(isThisAttempt),
    )
  }
}

function isUnmade(accountId: string) {
  return and(eq(billingCustomers.accountId, accountId), isNull(billingCustomers.customerId))
}
