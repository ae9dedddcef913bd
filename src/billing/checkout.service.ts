import { Injectable } from '@nestjs/common'
import Stripe from 'stripe'
import { AuditLog } from '../audit/audit-log.js'
import { unixSeconds } from '../clock/clock.js'
import { Database } from '../database/database.js'
import { ApiError, unavailable } from '../errors/api-error.js'
import type { Client } from '../http/client.js'
import type { Caller } from '../tokens/claims.js'
import { BillingCustomers } from './billing-customers.js'
import { BillingWork } from './billing-work.js'
import { PAYABLE_FOR_SECONDS } from './checkout-times.js'
import { type Checkout, type CheckoutIntent, Checkouts } from './checkouts.js'
import { ask, askFor } from './payment-provider.js'
import { withCheckout } from './return-url.js'

/** Starts hosted checkouts. No database transaction is open while the provider is asked. */
@Injectable()
export class CheckoutService {
  /** Ten clicks at once are one request to the provider. */
  private readonly underWay = new Map<string, Promise<string>>()

  constructor(
    private readonly checkouts: Checkouts,
    private readonly customers: BillingCustomers,
    private readonly work: BillingWork,
    private readonly stripe: Stripe,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /** The URL of the account's open checkout for this intent. Safe to repeat: the same intent gives the same URL. */
  async start(caller: Caller, intent: CheckoutIntent, client: Client): Promise<string> {
    const checkout = await this.open(caller.accountId, intent)
    if (checkout.url) return checkout.url
    const underWay = this.underWay.get(checkout.id) ?? this.host(checkout, caller, client)
    this.underWay.set(checkout.id, underWay)
    return underWay.finally(() => this.underWay.delete(checkout.id))
  }

  private async open(accountId: string, intent: CheckoutIntent): Promise<Checkout> {
    let opened = await this.checkouts.openFor(accountId, intent)
    while (opened.inTheWay !== null) {
      await this.expire(opened.inTheWay)
      opened = await this.checkouts.openFor(accountId, intent, opened.inTheWay)
    }
    return opened.checkout
  }

  /** Our id is the idempotency key: repeated after a lost answer or a crash, the provider returns the first checkout. */
  private async host(checkout: Checkout, caller: Caller, client: Client): Promise<string> {
    const { id: providerId, url } = await this.createHosted(checkout)
    const { userId, accountId, sid } = caller
    const isOpen = await this.database.transaction(async transaction => {
      await this.auditLog.record(transaction, {
        action: 'checkout.create',
        outcome: 'ok',
        userId,
        accountId,
        sid,
        client,
        detail: { checkout: providerId, priceId: checkout.priceId },
      })
      return this.checkouts.setHosted(transaction, checkout.id, providerId, url as string)
    })
    if (isOpen) return url as string
    await this.expire(providerId)
    throw unavailable('TOO_BUSY')
  }

  /** A failure that the provider has noted under our key it repeats for a day: the next click gets another. */
  private async createHosted(checkout: Checkout): Promise<Stripe.Checkout.Session> {
    const customer = await this.customers.ensure(checkout.accountId)
    const options = { idempotencyKey: `checkout-${checkout.id}` }
    try {
      return await ask(() => this.stripe.checkout.sessions.create(paramsOf(checkout, customer), options))
    } catch (error) {
      if ((error as ApiError).code === 'PAYMENT_PROVIDER_FAILED') {
        await this.checkouts.abandon(checkout.id)
        // It may have been deleted there, and the event of it lost.
        await this.database.run(db => this.work.ask(db, customer))
      }
      throw error
    }
  }

  /** Two open pages could both be paid. Throws `ALREADY_SUBSCRIBED` for one that was: its event is on the way. */
  private async expire(providerId: string): Promise<void> {
    const checkout = await askFor(() => this.expireOrLook(providerId))
    if (checkout?.status === 'complete') throw new ApiError('ALREADY_SUBSCRIBED')
  }

  /** The provider expires only what is open. */
  private async expireOrLook(providerId: string): Promise<Stripe.Checkout.Session> {
    try {
      return await this.stripe.checkout.sessions.expire(providerId)
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
      return this.stripe.checkout.sessions.retrieve(providerId)
    }
  }
}

/** From our row alone, so that a repetition is the same to the letter. */
function paramsOf(checkout: Checkout, customer: string): Stripe.Checkout.SessionCreateParams {
  const { id, accountId, priceId, quantity, returnUrl, createdAt } = checkout
  const metadata = { accountId, checkoutId: id }
  return {
    mode: 'subscription',
    customer,
    client_reference_id: accountId,
    line_items: [{ price: priceId, quantity }],
    success_url: withCheckout(returnUrl, id),
    cancel_url: returnUrl,
    metadata,
    subscription_data: { metadata },
    expires_at: unixSeconds(createdAt) + PAYABLE_FOR_SECONDS,
  }
}
