import { Injectable } from '@nestjs/common'
import Stripe from 'stripe'
import { Database } from '../../database/database.js'
import { ApiError } from '../../errors/api-error.js'
import { callStripe, callStripeOrNull } from '../provider/payment-provider.js'
import { BillingQueue } from '../sync/billing-queue.js'
import { Subscriptions } from './subscriptions.js'

/**
 * Subscriptions whose first payment has failed; the customer could still pay them another way for some hours.
 */
@Injectable()
export class FailedFirstPayments {
  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly stripe: Stripe,
    private readonly queue: BillingQueue,
    private readonly database: Database,
  ) {}

  /**
   * Ends the account's for good before another is sold; does nothing when there is none. Throws
   * `ALREADY_SUBSCRIBED` when it was paid meanwhile, and like `callStripe`.
   */
  async end(accountId: string): Promise<void> {
    const row = await this.database.run(db => this.subscriptions.row(db, accountId))
    if (row?.status !== 'incomplete' || !row.firstPaymentFailed) return
    const found = await callStripeOrNull(() => this.stripe.subscriptions.retrieve(row.providerId))
    if (found?.status !== 'incomplete') return this.lookAgain(found)
    const invoice = found.latest_invoice
    if (invoice && !(await this.voidOpen(typeof invoice === 'string' ? invoice : invoice.id)))
      return this.lookAgain(found)
    // Without its invoice nobody can pay it, but it would stay `incomplete` until it expires.
    await callStripeOrNull(() => this.stripe.subscriptions.cancel(found.id))
  }

  /** The provider voids only unpaid invoices, so a payment at this very moment is not lost. */
  private async voidOpen(invoiceId: string): Promise<boolean> {
    return callStripe(async () => {
      try {
        await this.stripe.invoices.voidInvoice(invoiceId)
        return true
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
        return (await this.stripe.invoices.retrieve(invoiceId)).status === 'void'
      }
    })
  }

  private async lookAgain(found: Stripe.Subscription | null): Promise<void> {
    const customer = found?.customer
    if (typeof customer === 'string') await this.database.run(db => this.queue.ask(db, customer))
    if (found && !['canceled', 'incomplete_expired'].includes(found.status))
      throw new ApiError('ALREADY_SUBSCRIBED')
  }
}
