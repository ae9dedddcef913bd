import { Injectable } from '@nestjs/common'
import { and, eq, isNull, sql } from 'drizzle-orm'
import Stripe from 'stripe'
import type { Db } from '../../database/connection.js'
import { Database } from '../../database/database.js'
import { accounts, billingCustomers, checkouts } from '../../database/schema.js'
import type { ApiError } from '../../errors/api-error.js'
import { callStripe } from '../provider/payment-provider.js'
import { ProviderKey } from '../provider/provider-key.js'

/** The provider's customer of each account: found by our account id, never by an e-mail address. */
@Injectable()
export class BillingCustomers {
  constructor(
    private readonly database: Database,
    private readonly stripe: Stripe,
    private readonly key: ProviderKey,
  ) {}

  /**
   * The account's customer id; created at the provider on first use, and only once however many ask at the
   * same time. Throws like `callStripe`.
   */
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
    // If another attempt has overtaken this one, its customer counts.
    return (await this.find(accountId)) ?? this.ensure(accountId)
  }

  /** The account's customer id; null when none has been created, or it was deleted. */
  async find(accountId: string): Promise<string | null> {
    const [row] = await this.database.run(db =>
      db.select().from(billingCustomers).where(eq(billingCustomers.accountId, accountId)),
    )
    return row?.customerId ?? null
  }

  /**
   * Which key the customer belongs to. With the key of another account or mode nothing can be done with it.
   */
  async whose(customerId: string): Promise<'ours' | 'of another key' | 'nobody'> {
    const isOfAnother = sql<boolean>`coalesce(${this.key.isOfAnother()}, false)`
    const [found] = await this.database.run(db =>
      db.select({ isOfAnother }).from(billingCustomers).where(eq(billingCustomers.customerId, customerId)),
    )
    if (!found) return 'nobody'
    return found.isOfAnother ? 'of another key' : 'ours'
  }

  /** The customer of a checkout, by the provider's id of the checkout; null when it is not one of ours. */
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
   * The account of a provider's customer, locked with its payment records until this transaction ends; null
   * when the customer is not ours. The account is locked first, as in a deletion. The provider has just told
   * us of the customer, so it belongs to our key.
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

  /** The customer was deleted at the provider: the next checkout creates another. */
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

  /** The row is the lock: everybody who asks at once uses one idempotency key, and one of them writes. */
  private reserve(accountId: string): Promise<typeof billingCustomers.$inferSelect> {
    return this.database.run(async db => {
      await db.insert(billingCustomers).values({ accountId }).onConflictDoNothing()
      const [row] = await db.select().from(billingCustomers).where(eq(billingCustomers.accountId, accountId))
      return row as typeof billingCustomers.$inferSelect
    })
  }

  /**
   * The provider repeats a recorded failure under the same key for a day, so the next click uses a new key.
   */
  private async create(accountId: string, attempt: number): Promise<string> {
    try {
      const { id } = await callStripe(() =>
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
