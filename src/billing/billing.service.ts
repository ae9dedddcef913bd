import { Injectable } from '@nestjs/common'
import { ApiError } from '../errors/api-error.js'
import type { SessionActor } from '../sessions/actor.js'
import type { CreateSubscriptionBody } from './billing.dto.js'
import { CheckoutService } from './checkout/checkout.service.js'
import { CheckoutIntents } from './checkout/checkout-intents.js'
import { withPortal } from './checkout/return-url.js'
import { PaymentRequests } from './provider/payment-requests.js'
import { PortalService } from './subscription/portal.service.js'
import { isLive } from './subscription/subscription.js'
import { Subscriptions } from './subscription/subscriptions.js'

/**
 * Buying and managing subscriptions. Throws `PAYMENT_PROVIDER_UNAVAILABLE` (503) and
 * `PAYMENT_PROVIDER_FAILED` (502) within 10 s, and `TOO_MANY_ATTEMPTS` (429) to whoever asks too often.
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
   * account has, `PAYMENT_PENDING` (409) while a first payment is on its way, and `ACCOUNT_CLOSING` (409).
   */
  async startCheckout(actor: SessionActor, body: CreateSubscriptionBody): Promise<string> {
    const intent = await this.intents.of(actor.accountId, body)
    const { status, plan, isPaymentPending } = await this.subscriptions.find(actor.accountId)
    if (isPaymentPending) throw new ApiError('PAYMENT_PENDING')
    if (isLive(status) && plan === intent.priceId) throw new ApiError('ALREADY_SUBSCRIBED')
    return this.requests.run(actor, () =>
      isLive(status) ? this.portal.changePlan(actor, intent) : this.checkouts.start(actor, intent),
    )
  }

  /** The URL of the provider's pages for invoices, cards and cancelling. Throws `INVALID_RETURN_URL` and `NEVER_SUBSCRIBED`. */
  async openPortal(actor: SessionActor, requested: string | undefined): Promise<string> {
    const returnUrl = withPortal(this.intents.returnUrl(requested))
    return this.requests.run(actor, () => this.portal.open(actor, returnUrl))
  }
}
