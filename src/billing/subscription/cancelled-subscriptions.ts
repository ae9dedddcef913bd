import { Injectable } from '@nestjs/common'
import { and, eq, lte } from 'drizzle-orm'
import Stripe from 'stripe'
import { Clock } from '../../clock/clock.js'
import type { Db } from '../../database/connection.js'
import { accounts, users } from '../../database/schema.js'
import { UndoTokens } from '../../users/links/undo-tokens.js'
import { callStripeOrNull } from '../provider/payment-provider.js'
import { isLive, type ProviderStatus } from './provider-status.js'

/** Cancelled subscriptions that are paid for until later. */
@Injectable()
export class CancelledSubscriptions {
  constructor(
    private readonly stripe: Stripe,
    private readonly clock: Clock,
    private readonly undoTokens: UndoTokens,
  ) {}

  /** The id of one that has to end now because its account is being deleted; null when there is none. */
  async due(
    transaction: Db,
    accountId: string,
    found: readonly Stripe.Subscription[],
  ): Promise<string | null> {
    const cancelled = found.find(isCancelled)
    return cancelled && (await this.isDueForDeletion(transaction, accountId)) ? cancelled.id : null
  }

  /**
   * Ends it at the provider, without a refund. Bills what was noted for the next invoice, such as new seats,
   * which the provider would otherwise forget. Safe to repeat; throws like `callStripe`.
   */
  async end(subscriptionId: string): Promise<void> {
    await callStripeOrNull(() => this.stripe.subscriptions.cancel(subscriptionId, { invoice_now: true }))
  }

  /** Not while the owner can undo a change of e-mail address: a thief may have requested the deletion. */
  private async isDueForDeletion(transaction: Db, accountId: string): Promise<boolean> {
    const isDue = and(eq(accounts.id, accountId), lte(accounts.deleteAt, this.clock.now()))
    const [owner] = await transaction
      .select({ id: users.id })
      .from(accounts)
      .innerJoin(users, and(eq(users.accountId, accounts.id), eq(users.role, 'owner')))
      .where(isDue)
    return owner !== undefined && !(await this.undoTokens.areAnyOpen(transaction, [owner.id]))
  }
}

/** By either of the provider's two fields. */
function isCancelled({ status, cancel_at, cancel_at_period_end }: Stripe.Subscription): boolean {
  return isLive(status as ProviderStatus) && (cancel_at_period_end || cancel_at !== null)
}
