import { Injectable } from '@nestjs/common'
import { Settings } from '../config/settings.js'
import { ApiError } from '../errors/api-error.js'
import type { Client } from '../http/client.js'
import type { Caller } from '../tokens/claims.js'
import { CheckoutService } from './checkout.service.js'
import type { CreateSubscriptionBody } from './create-subscription.body.js'
import { isSafeReturnUrl } from './return-url.js'
import { SubscriptionCache } from './subscription-cache.js'
import { isLive, type SubscriptionView } from './subscription-view.js'
import { Subscriptions } from './subscriptions.js'

@Injectable()
export class BillingService {
  constructor(
    private readonly settings: Settings,
    private readonly subscriptions: Subscriptions,
    private readonly cache: SubscriptionCache,
    private readonly checkoutService: CheckoutService,
  ) {}

  /**
   * The URL of a hosted checkout. Throws `UNKNOWN_PRICE` and `INVALID_RETURN_URL` (400), `ALREADY_SUBSCRIBED` (409),
   * `PAYMENT_PROVIDER_UNAVAILABLE` (503) and `PAYMENT_PROVIDER_FAILED` (502).
   */
  async startCheckout(caller: Caller, body: CreateSubscriptionBody, client: Client): Promise<string> {
    const intent = { priceId: this.priceOf(body), returnUrl: this.returnUrlOf(body) }
    const { status } = await this.subscriptions.find(caller.accountId)
    if (isLive(status)) throw new ApiError('ALREADY_SUBSCRIBED')
    return this.checkoutService.start(caller, intent, client)
  }

  /** The account's subscription; may be up to a minute old where several replicas run without Redis. */
  async subscription(accountId: string): Promise<SubscriptionView> {
    const cached = await this.cache.get(accountId)
    if (cached) return cached
    const view = await this.subscriptions.find(accountId)
    await this.cache.put(accountId, view)
    return view
  }

  private priceOf({ priceId = this.settings.stripe.priceIds[0] as string }: CreateSubscriptionBody): string {
    if (!this.settings.stripe.priceIds.includes(priceId)) throw new ApiError('UNKNOWN_PRICE')
    return priceId
  }

  private returnUrlOf({
    return: returnUrl = `${this.settings.mainOrigin}/`,
  }: CreateSubscriptionBody): string {
    if (!isSafeReturnUrl(returnUrl, this.settings)) throw new ApiError('INVALID_RETURN_URL')
    return returnUrl
  }
}
