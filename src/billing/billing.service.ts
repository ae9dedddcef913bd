import type { Caller } from '@mainstay-auth/verify/token-rules'
import { Injectable } from '@nestjs/common'
import { Settings } from '../config/settings.js'
import { Database } from '../database/database.js'
import { ApiError } from '../errors/api-error.js'
import type { Client } from '../http/client.js'
import type { CreateSubscriptionBody } from './checkout/checkout.dto.js'
import { CheckoutService } from './checkout/checkout.service.js'
import type { CheckoutIntent } from './checkout/checkouts.js'
import { isSafeReturnUrl, withPortal } from './checkout/return-url.js'
import { Trials } from './checkout/trials.js'
import { PaymentRequests } from './provider/payment-requests.js'
import { PlanChangeService } from './subscription/plan-change.service.js'
import { PortalService } from './subscription/portal.service.js'
import { isLive } from './subscription/provider-status.js'
import { Seats } from './subscription/seats.js'
import { Subscriptions } from './subscription/subscriptions.js'

/**
 * Buying and managing subscriptions. Throws `PAYMENT_PROVIDER_UNAVAILABLE` (503) and
 * `PAYMENT_PROVIDER_FAILED` (502) within 10 s, and `TOO_MANY_ATTEMPTS` (429) to whoever asks too often.
 */
@Injectable()
export class BillingService {
  constructor(
    private readonly settings: Settings,
    private readonly database: Database,
    private readonly subscriptions: Subscriptions,
    private readonly seats: Seats,
    private readonly trials: Trials,
    private readonly checkouts: CheckoutService,
    private readonly planChanges: PlanChangeService,
    private readonly portal: PortalService,
    private readonly requests: PaymentRequests,
  ) {}

  /**
   * The URL of a hosted page: a checkout, or the page for changing the plan while a subscription is live.
   * Throws `UNKNOWN_PRICE` and `INVALID_RETURN_URL` (400), `ALREADY_SUBSCRIBED` (409) for the plan that the
   * account has, `PAYMENT_PENDING` (409) while a first payment is on its way, and `ACCOUNT_CLOSING` (409).
   */
  async startCheckout(caller: Caller, body: CreateSubscriptionBody, client: Client): Promise<string> {
    const intent = await this.intentOf(caller.accountId, body)
    const { status, plan, isPaymentPending } = await this.subscriptions.find(caller.accountId)
    if (isPaymentPending) throw new ApiError('PAYMENT_PENDING')
    if (isLive(status) && plan === intent.priceId) throw new ApiError('ALREADY_SUBSCRIBED')
    return this.requests.run(caller, client, () =>
      isLive(status)
        ? this.planChanges.start(caller, intent, client)
        : this.checkouts.start(caller, intent, client),
    )
  }

  /** The URL of the provider's pages for invoices, cards and cancelling. Throws `INVALID_RETURN_URL` and `NEVER_SUBSCRIBED`. */
  async openPortal(caller: Caller, returnUrl: string | undefined, client: Client): Promise<string> {
    const safeUrl = this.safeReturnUrl(returnUrl)
    return this.requests.run(caller, client, () => this.portal.open(caller, withPortal(safeUrl), client))
  }

  private async intentOf(accountId: string, body: CreateSubscriptionBody): Promise<CheckoutIntent> {
    const priceId = this.priceOf(body)
    const returnUrl = this.safeReturnUrl(body.return)
    const quantity = await this.database.run(db => this.seats.quantityFor(db, accountId, priceId))
    const trialDays = await this.trials.daysFor(accountId)
    return { priceId, quantity, returnUrl, trialDays }
  }

  private priceOf({ priceId = this.settings.stripe.priceIds[0] as string }: CreateSubscriptionBody): string {
    if (!this.settings.stripe.priceIds.includes(priceId)) throw new ApiError('UNKNOWN_PRICE')
    return priceId
  }

  private safeReturnUrl(returnUrl = `${this.settings.mainOrigin}/`): string {
    if (!isSafeReturnUrl(returnUrl, this.settings)) throw new ApiError('INVALID_RETURN_URL')
    return returnUrl
  }
}
