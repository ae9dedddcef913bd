import { Injectable } from '@nestjs/common'
import { eq } from 'drizzle-orm'
import type Stripe from 'stripe'
import { Settings } from '../../config/settings.js'
import type { Db } from '../../database/connection.js'
import { Database } from '../../database/database.js'
import { billingCustomers } from '../../database/schema.js'

/** An account gets one trial: whoever cancels and subscribes again pays at once. */
@Injectable()
export class Trials {
  constructor(
    private readonly settings: Settings,
    private readonly database: Database,
  ) {}

  /** How many days of the account's next subscription are free; 0 for none. */
  async daysFor(accountId: string): Promise<number> {
    const { trialDays } = this.settings.stripe
    if (trialDays === 0) return 0
    const { hadTrial } = billingCustomers
    const [row] = await this.database.run(db =>
      db.select({ hadTrial }).from(billingCustomers).where(eq(billingCustomers.accountId, accountId)),
    )
    return row?.hadTrial ? 0 : trialDays
  }

  /** Records that there was a trial, even one given at the provider. Safe to repeat. */
  async note(transaction: Db, accountId: string, seen: readonly Stripe.Subscription[]): Promise<void> {
    if (!seen.some(({ trial_start }) => trial_start !== null)) return
    await transaction
      .update(billingCustomers)
      .set({ hadTrial: true })
      .where(eq(billingCustomers.accountId, accountId))
  }
}
