import { Injectable } from '@nestjs/common'
import { and, eq, isNull, sql } from 'drizzle-orm'
import Stripe from 'stripe'
import { Settings } from '../platform/config/settings.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { accounts, users } from '../platform/database/schema/accounts.js'
import { billingCustomers } from '../platform/database/schema/billing.js'
import { ApiError } from '../platform/errors/api-error.js'
import { Logger } from '../platform/log.js'
import {
  callStripe,
  callStripeOrNull,
  isAnswered,
  type ProviderIdentity,
  ProviderKey,
  stripeSettingsOf,
} from './stripe.js'

/** Whom the provider writes to, and whose name is on its invoices. */
export interface CustomerDetails {
  readonly customerId: string
  /** The account's name, or else its owner's; empty without either. */
  readonly name: string
  readonly email: string
  /** The owner's, for what the provider writes, as a BCP 47 tag; null while it is not known. */
  readonly language: string | null
}

/**
 * Of an account that gets another customer, or none: nothing was sent to it, and the request that is creating one finds
 * that out.
 */
const ANEW = {
  toldName: null,
  toldEmail: null,
  toldLanguage: null,
  attempt: sql`${billingCustomers.attempt} + 1`,
}

/**
 * The provider's customer of each account: found by our account id, never by an e-mail address. Its receipts
 * and reminders go to the account's current owner.
 */
@Injectable()
export class BillingCustomers {
  private readonly logger = new Logger('Billing')

  constructor(
    private readonly database: Database,
    private readonly stripe: Stripe,
    private readonly key: ProviderKey,
    private readonly settings: Settings,
  ) {}

  /**
   * The account's customer id, with the current name and e-mail address at the provider; created there on
   * first use, and only once however many ask at the same time. Throws like `callStripe`.
   */
  async ensure(accountId: string): Promise<string> {
    const customerId = await this.ensureId(accountId)
    const details = await this.database.run(db => this.detailsDue(db, accountId))
    try {
      if (details) await this.sendDetails(details)
    } catch (error) {
      // An address that the provider rejects must not keep the account from paying.
      if (!isAnswered(error)) throw error
      this.logger.warn(`The provider does not accept the name and e-mail address of customer ${customerId}`)
    }
    return customerId
  }

  /** The account's customer id; null when none has been created, or it was deleted. */
  async find(accountId: string): Promise<string | null> {
    const [row] = await this.database.run(db =>
      db.select().from(billingCustomers).where(eq(billingCustomers.accountId, accountId)),
    )
    return row?.customerId ?? null
  }

  /** The account that has the customer; null for none. */
  async accountOf(customerId: string): Promise<string | null> {
    const [row] = await this.database.run(db =>
      db.select().from(billingCustomers).where(eq(billingCustomers.customerId, customerId)),
    )
    return row?.accountId ?? null
  }

  /**
   * Which key the customer belongs to. With the key of another account or mode nothing can be done with it.
   */
  async ownerOf(customerId: string): Promise<'ours' | 'of another key' | 'unknown'> {
    const isOfAnother = sql<boolean>`coalesce(${this.key.isOfAnother()}, false)`
    const [found] = await this.database.run(db =>
      db.select({ isOfAnother }).from(billingCustomers).where(eq(billingCustomers.customerId, customerId)),
    )
    if (!found) return 'unknown'
    return found.isOfAnother ? 'of another key' : 'ours'
  }

  /**
   * Throws `PAYMENT_PROVIDER_REFUSED` when the account's customer was made with another secret key: a page that it was
   * given then could still be paid, but to the other account of ours, and we would never hear of it. Asks the provider
   * once, whose key it is; throws like `callStripe`.
   */
  async requireOfOurKey(accountId: string): Promise<void> {
    const customerId = await this.find(accountId)
    if (customerId === null) return
    await this.key.identify()
    if ((await this.ownerOf(customerId)) === 'of another key') throw unknownCustomer(customerId)
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
    const isOwnAccount = eq(accounts.id, found.accountId)
    await transaction.select({ id: accounts.id }).from(accounts).where(isOwnAccount).for('no key update')
    const [row] = await transaction.select().from(billingCustomers).where(isThis).for('update')
    if (row && row.isLive === null && this.key.known)
      await transaction.update(billingCustomers).set(this.key.known).where(isThis)
    return row?.accountId ?? null
  }

  /**
   * Gives the account a customer that exists at the provider, in place of `before`. False when there is no such account,
   * it is going to be deleted, has another customer than `before`, or the customer is another account's. Safe to repeat.
   */
  async link(
    transaction: Db,
    { accountId, customerId, before }: { accountId: string; customerId: string; before: string | null },
    identity: ProviderIdentity,
  ): Promise<boolean> {
    const isThis = eq(accounts.id, accountId)
    const [account] = await transaction.select().from(accounts).where(isThis).for('no key update')
    if (!account || account.deleteAt) return false
    await transaction.insert(billingCustomers).values({ accountId }).onConflictDoNothing()
    const isOfAccount = eq(billingCustomers.accountId, accountId)
    const [row] = await transaction.select().from(billingCustomers).where(isOfAccount).for('update')
    if (row?.customerId === customerId) return true
    const isTaken = await transaction.$count(billingCustomers, eq(billingCustomers.customerId, customerId))
    if (isTaken > 0 || row?.customerId !== before) return false
    await transaction
      .update(billingCustomers)
      .set({ customerId, ...identity, ...ANEW })
      .where(isOfAccount)
    return true
  }

  /** The customer was deleted at the provider: the next checkout creates another. */
  async forget(transaction: Db, { accountId, customerId }: { accountId: string; customerId: string }) {
    await transaction
      .update(billingCustomers)
      .set({ customerId: null, providerAccount: null, isLive: null, ...ANEW })
      .where(and(eq(billingCustomers.accountId, accountId), eq(billingCustomers.customerId, customerId)))
  }

  /** What has to be sent to the provider; null when it is up to date or the account is not a customer. */
  async detailsDue(transaction: Db, accountId: string): Promise<CustomerDetails | null> {
    const { customerId, toldName, toldEmail, toldLanguage } = billingCustomers
    const [row] = await transaction
      .select({
        customerId,
        toldName,
        toldEmail,
        toldLanguage,
        account: accounts.name,
        owner: users.name,
        email: users.email,
        language: users.language,
      })
      .from(billingCustomers)
      .innerJoin(accounts, eq(accounts.id, billingCustomers.accountId))
      .innerJoin(users, and(eq(users.accountId, accounts.id), eq(users.role, 'owner')))
      .where(eq(billingCustomers.accountId, accountId))
    if (!row?.customerId) return null
    const name = row.account ?? row.owner ?? ''
    const { email, language } = row
    if (row.toldName === name && row.toldEmail === email && row.toldLanguage === language) return null
    return { customerId: row.customerId, name, email, language }
  }

  /** Tells the provider. Safe to repeat; throws like `callStripe`. */
  async sendDetails({ customerId, name, email, language }: CustomerDetails): Promise<void> {
    const params = { name, email, ...(language && { preferred_locales: [language] }) }
    await callStripeOrNull(() => this.stripe.customers.update(customerId, params))
    const told = { toldName: name, toldEmail: email, toldLanguage: language }
    await this.database.run(db =>
      db.update(billingCustomers).set(told).where(eq(billingCustomers.customerId, customerId)),
    )
  }

  /**
   * How many days of the account's next subscription are free. An account gets one trial: if it cancels and
   * subscribes again, it pays at once.
   */
  async trialDaysFor(accountId: string): Promise<number> {
    const { trialDays } = stripeSettingsOf(this.settings)
    if (trialDays === 0) return 0
    const { hadTrial } = billingCustomers
    const [row] = await this.database.run(db =>
      db.select({ hadTrial }).from(billingCustomers).where(eq(billingCustomers.accountId, accountId)),
    )
    return row?.hadTrial ? 0 : trialDays
  }

  /** Records that there was a trial, even one given at the provider. Safe to repeat. */
  async recordTrial(transaction: Db, accountId: string): Promise<void> {
    const isThis = eq(billingCustomers.accountId, accountId)
    await transaction.update(billingCustomers).set({ hadTrial: true }).where(isThis)
  }

  private async ensureId(accountId: string): Promise<string> {
    const { customerId, attempt } = await this.reserve(accountId)
    if (customerId) return customerId
    const identity = await this.key.identify()
    const created = await this.create(accountId, attempt)
    await this.updateAttempt(accountId, attempt, { customerId: created, ...identity })
    // If another attempt has overtaken this one, its customer counts.
    return (await this.find(accountId)) ?? this.ensureId(accountId)
  }

  /** The row is the lock: concurrent calls use the same idempotency key, and one of them writes. */
  private reserve(accountId: string): Promise<typeof billingCustomers.$inferSelect> {
    return this.database.run(async db => {
      await db.insert(billingCustomers).values({ accountId }).onConflictDoNothing()
      const [row] = await db.select().from(billingCustomers).where(eq(billingCustomers.accountId, accountId))
      return row as typeof billingCustomers.$inferSelect
    })
  }

  /** The provider repeats a recorded failure under its key for a day, so the next click uses a new key. */
  private async create(accountId: string, attempt: number): Promise<string> {
    const options = { idempotencyKey: `customer-${accountId}-${attempt}` }
    try {
      const { id } = await callStripe(() =>
        this.stripe.customers.create({ metadata: { accountId } }, options),
      )
      return id
    } catch (error) {
      if (isAnswered(error)) await this.updateAttempt(accountId, attempt, { attempt: attempt + 1 })
      throw error
    }
  }

  /** No effect once a customer was created, or another attempt has begun. */
  private async updateAttempt(
    accountId: string,
    attempt: number,
    set: Partial<typeof billingCustomers.$inferInsert>,
  ) {
    const { accountId: account, customerId, attempt: current } = billingCustomers
    const isThis = and(eq(account, accountId), isNull(customerId), eq(current, attempt))
    await this.database.run(db => db.update(billingCustomers).set(set).where(isThis))
  }
}

/** The provider does not know the customer under our key. */
export function unknownCustomer(customerId: string): ApiError {
  const cause = new Error(
    `It does not know customer ${customerId}. Is STRIPE_SECRET_KEY of another account or mode?`,
  )
  return new ApiError('PAYMENT_PROVIDER_REFUSED', { cause })
}
