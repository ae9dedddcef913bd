import { Injectable, Logger } from '@nestjs/common'
import { and, eq } from 'drizzle-orm'
import Stripe from 'stripe'
import type { Db } from '../../database/connection.js'
import { Database } from '../../database/database.js'
import { accounts, billingCustomers, users } from '../../database/schema.js'
import type { ApiError } from '../../errors/api-error.js'
import { callStripeOrNull } from '../provider/payment-provider.js'
import { BillingCustomers } from './billing-customers.js'

/** Whom the provider writes to, and whose name is on its invoices. */
export interface CustomerDetails {
  readonly customerId: string
  /** The account's name, or else its owner's; empty without either. */
  readonly name: string
  readonly email: string
}

/** The provider's receipts and reminders go to the account's current owner. */
@Injectable()
export class CustomerDetailsSync {
  private readonly logger = new Logger('Billing')

  constructor(
    private readonly database: Database,
    private readonly stripe: Stripe,
    private readonly customers: BillingCustomers,
  ) {}

  /**
   * The account's customer, created on first use, with the current name and e-mail address. Throws like
   * `ask`.
   */
  async ensureCustomer(accountId: string): Promise<string> {
    const customerId = await this.customers.ensure(accountId)
    const details = await this.database.run(db => this.due(db, accountId))
    if (details) await this.tellIfTaken(details)
    return customerId
  }

  /** What the provider has to be told; null when it is up to date or the account is not a customer. */
  async due(transaction: Db, accountId: string): Promise<CustomerDetails | null> {
    const { customerId, toldName, toldEmail } = billingCustomers
    const [row] = await transaction
      .select({
        customerId,
        toldName,
        toldEmail,
        account: accounts.name,
        owner: users.name,
        email: users.email,
      })
      .from(billingCustomers)
      .innerJoin(accounts, eq(accounts.id, billingCustomers.accountId))
      .innerJoin(users, and(eq(users.accountId, accounts.id), eq(users.role, 'owner')))
      .where(eq(billingCustomers.accountId, accountId))
    if (!row?.customerId) return null
    const name = row.account ?? row.owner ?? ''
    if (row.toldName === name && row.toldEmail === row.email) return null
    return { customerId: row.customerId, name, email: row.email }
  }

  /** Tells the provider. Safe to repeat; throws like `callStripe`. */
  async tell({ customerId, name, email }: CustomerDetails): Promise<void> {
    await callStripeOrNull(() => this.stripe.customers.update(customerId, { name, email }))
    await this.database.run(db =>
      db
        .update(billingCustomers)
        .set({ toldName: name, toldEmail: email })
        .where(eq(billingCustomers.customerId, customerId)),
    )
  }

  /** An address that the provider rejects must not keep anybody from paying. */
  private async tellIfTaken(details: CustomerDetails): Promise<void> {
    try {
      await this.tell(details)
    } catch (error) {
      if ((error as ApiError).code !== 'PAYMENT_PROVIDER_FAILED') throw error
      this.logger.warn(
        `The provider does not accept the name and e-mail address of customer ${details.customerId}`,
      )
    }
  }
}
