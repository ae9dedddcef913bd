import { Injectable } from '@nestjs/common'
import Stripe from 'stripe'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import { Database } from '../../platform/database/database.js'
import { ApiError, unavailable } from '../../platform/errors/api-error.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import { BillingCustomers } from '../provider/billing-customers.js'
import { callStripe, callStripeOrNull, isAnswered } from '../provider/payment-provider.js'
import { Subscriptions } from '../subscription/subscriptions.js'
import { BillingQueue } from '../sync/billing-queue.js'
import { type Checkout, type CheckoutIntent, Checkouts } from './checkouts.js'
import { HostedCheckouts } from './hosted-checkouts.js'

/**
 * Subscriptions whose first payment has failed; the customer could still pay them another way for some hours.
 */
@Injectable()
export class FailedFirstPayments {
  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly stripe: Stripe,
    private readonly queue: BillingQueue,
  ) {}

  /**
   * Ends the account's failed subscription for good before another is sold; does nothing when there is none. Throws
   * `ALREADY_SUBSCRIBED` when it was paid in the meantime, and like `callStripe`.
   */
  async end(accountId: string): Promise<void> {
    const row = await this.subscriptions.row(accountId)
    if (row?.status !== 'incomplete' || !row.firstPaymentFailed) return
    const found = await callStripeOrNull(() => this.stripe.subscriptions.retrieve(row.providerId))
    if (found?.status !== 'incomplete') return this.requeue(found)
    const invoice = found.latest_invoice
    if (invoice && !(await this.voidInvoiceIfOpen(typeof invoice === 'string' ? invoice : invoice.id)))
      return this.requeue(found)
    // Without its invoice nobody can pay it, but it would stay `incomplete` until it expires.
    await callStripeOrNull(() => this.stripe.subscriptions.cancel(found.id))
  }

  /** The provider voids only unpaid invoices, so a payment at this very moment is not lost. */
  private async voidInvoiceIfOpen(invoiceId: string): Promise<boolean> {
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

  private async requeue(found: Stripe.Subscription | null): Promise<void> {
    const customer = found?.customer
    if (typeof customer === 'string') await this.queue.add(customer)
    if (found && !['canceled', 'incomplete_expired'].includes(found.status))
      throw new ApiError('ALREADY_SUBSCRIBED')
  }
}

/** Starts hosted checkouts. No database transaction is open while the provider is asked. */
@Injectable()
export class CheckoutService {
  /** Ten concurrent clicks make one request to the provider. */
  private readonly underWay = new Map<string, Promise<string>>()

  constructor(
    private readonly checkouts: Checkouts,
    private readonly customers: BillingCustomers,
    private readonly hosted: HostedCheckouts,
    private readonly failedFirstPayments: FailedFirstPayments,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * The URL of the account's open checkout for this intent. Safe to repeat: the same intent gives the same
   * URL.
   */
  async start(actor: SessionActor, intent: CheckoutIntent): Promise<string> {
    await this.customers.requireOfOurKey(actor.accountId)
    await this.failedFirstPayments.end(actor.accountId)
    const checkout = await this.open(actor.accountId, intent)
    if (checkout.url) return checkout.url
    const underWay = this.underWay.get(checkout.id) ?? this.host(checkout, actor)
    this.underWay.set(checkout.id, underWay)
    return underWay.finally(() => this.underWay.delete(checkout.id))
  }

  private async open(accountId: string, intent: CheckoutIntent): Promise<Checkout> {
    let opened = await this.checkouts.open(accountId, intent)
    while (opened.conflictId !== null) {
      await this.expire(opened.conflictId)
      opened = await this.checkouts.open(accountId, intent, opened.conflictId)
    }
    return opened.checkout
  }

  private async host(checkout: Checkout, actor: SessionActor): Promise<string> {
    const { id: providerId, url } = await this.createHosted(checkout)
    const { priceId } = checkout
    const isOpen = await this.database.transaction(async transaction => {
      const created = auditEvent(actor, 'checkout.create', { checkout: providerId, priceId })
      await this.auditLog.record(transaction, created)
      return this.checkouts.setHosted(transaction, checkout.id, providerId, url as string)
    })
    if (isOpen) return url as string
    await this.expire(providerId)
    throw unavailable('TOO_BUSY')
  }

  /**
   * The provider repeats a recorded failure under the same key for a day, so the next click uses a new key.
   * Throws like {@link HostedCheckouts.create}.
   */
  private async createHosted(checkout: Checkout) {
    try {
      return await this.hosted.create(checkout)
    } catch (error) {
      const { code } = error as ApiError
      const isRefused = code === 'PLAN_UNAVAILABLE' || code === 'CURRENCY_FIXED'
      if (isRefused || isAnswered(error)) await this.checkouts.abandon(checkout.id)
      throw error
    }
  }

  /**
   * Two open pages could both be paid. Throws `ALREADY_SUBSCRIBED` or `PAYMENT_PENDING` (409) if this one
   * was.
   */
  private async expire(providerId: string): Promise<void> {
    const conflict = await this.hosted.expire(providerId)
    if (conflict) throw new ApiError(conflict)
  }
}
