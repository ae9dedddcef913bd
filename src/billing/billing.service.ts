import { Injectable } from '@nestjs/common'
import { Satellites } from '../cors/satellites.js'
import { Settings } from '../platform/config/settings.js'
import { Database } from '../platform/database/database.js'
import { ApiError } from '../platform/errors/api-error.js'
import type { SessionActor } from '../sessions/session-actor.js'
import type { CreateSubscriptionBody } from './billing.dto.js'
import { CheckoutService } from './checkout/checkout.service.js'
import type { CheckoutIntent } from './checkout/checkouts.js'
import { isSafeReturnUrl, withPortal } from './checkout/return-url.js'
import { BillingCustomers } from './provider/billing-customers.js'
import { PaymentRequests } from './provider/payment-requests.js'
import { Seats } from './provider/seats.js'
import { PortalService } from './subscription/portal.service.js'
import { isLive } from './subscription/subscription-rules.js'
import { Subscriptions } from './subscription/subscriptions.js'

/** Works out what a request to subscribe asks for. */
@Injectable()
export class CheckoutIntents {
  constructor(
    private readonly settings: Settings,
    private readonly database: Database,
    private readonly seats: Seats,
    private readonly customers: BillingCustomers,
    private readonly satellites: Satellites,
  ) {}

  /** Throws `UNKNOWN_PRICE` and `INVALID_RETURN_URL` (400). */
  async of(accountId: string, body: CreateSubscriptionBody): Promise<CheckoutIntent> {
    const { priceIds } = this.settings.stripe
    const { priceId = priceIds[0] as string } = body
    if (!priceIds.includes(priceId)) throw new ApiError('UNKNOWN_PRICE')
    const returnUrl = this.returnUrl(accountId, body.return)
    const quantity = await this.database.run(db => this.seats.quantityFor(db, accountId, priceId))
    const trialDays = await this.customers.trialDaysFor(accountId)
    return { priceId, quantity, returnUrl, trialDays }
  }

  /** The main site's front page when none was requested. Throws `INVALID_RETURN_URL` (400). */
  returnUrl(accountId: string, requested = `${this.settings.mainOrigin}/`): string {
    const satellites = { has: (origin: string) => this.satellites.isOf(accountId, origin) }
    const { mainOrigin } = this.settings
    if (!isSafeReturnUrl(requested, { mainOrigin, satellites })) throw new ApiError('INVALID_RETURN_URL')
    return requested
  }
}

/**
 * Buying and managing subscriptions. Throws `PAYMENT_PROVIDER_UNAVAILABLE` and `PAYMENT_PROVIDER_REFUSED` (503) and
 * `PAYMENT_PROVIDER_FAILED` (502) within 10 s, and `TOO_MANY_ATTEMPTS` (429) for callers who ask too often.
 */
@Injectable()
export class BillingService {
  constructor(
    private readonly intents: CheckoutIntents,
    private readonly subscriptions: Subscriptions,
    private readonly checkouts: CheckoutService,
    private readonly portal: PortalService,
    private readonly requests: PaymentRequests,
  ) {}

  /**
   * The URL of a hosted page: a checkout, or the page for changing the plan while a subscription is live.
   * Throws `UNKNOWN_PRICE` and `INVALID_RETURN_URL` (400), `ALREADY_SUBSCRIBED` (409) for the plan that the
   * account has, `PAYMENT_PENDING` (409) while a first payment is on its way, `CURRENCY_FIXED` (409) for a plan in
   * another currency than the account pays in, `PLAN_UNAVAILABLE` (409) for one that the provider does not sell, and
   * `ACCOUNT_CLOSING` (409).
   */
  async startCheckout(actor: SessionActor, body: CreateSubscriptionBody): Promise<string> {
    const intent = await this.intents.of(actor.accountId, body)
    const { status, plan, isPaymentPending } = await this.subscriptions.find(actor.accountId)
    if (isPaymentPending) throw new ApiError('PAYMENT_PENDING')
    if (isLive(status) && plan === intent.priceId) throw new ApiError('ALREADY_SUBSCRIBED')
    return this.requests.click(actor, intent.priceId, () =>
      isLive(status) ? this.portal.changePlan(actor, intent) : this.checkouts.start(actor, intent),
    )
  }

  /**
   * The URL of the provider's pages for invoices, cards and cancelling. Throws `INVALID_RETURN_URL` and
   * `NEVER_SUBSCRIBED`.
   */
  async openPortal(actor: SessionActor, requested: string | undefined): Promise<string> {
    const returnUrl = withPortal(this.intents.returnUrl(actor.accountId, requested))
    return this.requests.click(actor, 'portal', () => this.portal.open(actor, returnUrl))
  }
}
