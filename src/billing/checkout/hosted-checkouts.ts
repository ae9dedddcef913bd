import { Injectable } from '@nestjs/common'
import Stripe from 'stripe'
import { Settings } from '../../platform/config/settings.js'
import { ApiError, unavailable } from '../../platform/errors/api-error.js'
import { unixSeconds } from '../../platform/time.js'
import { PlanCache, RefusedCurrencies } from '../billing-caches.js'
import { BillingCustomers } from '../provider/billing-customers.js'
import { MeteredPrices } from '../provider/metered-prices.js'
import { callStripe, callStripeOrNull, isAnswered } from '../provider/payment-provider.js'
import { refusalOfPrice } from '../provider/price-refusal.js'
import { ENDED_STATUSES } from '../subscription/subscription-rules.js'
import { BillingQueue } from '../sync/billing-queue.js'
import { type Checkout, PAYABLE_FOR_SECONDS } from './checkouts.js'
import { withCheckout } from './return-url.js'

/** Checkouts as they are at the provider. */
@Injectable()
export class HostedCheckouts {
  constructor(
    private readonly stripe: Stripe,
    private readonly plans: PlanCache,
    private readonly currencies: RefusedCurrencies,
    private readonly customers: BillingCustomers,
    private readonly queue: BillingQueue,
    private readonly meteredPrices: MeteredPrices,
    private readonly settings: Settings,
  ) {}

  /**
   * Our id is the idempotency key: after a lost answer or a crash, a retry returns the first checkout. Throws
   * like `callStripe`, and `CURRENCY_FIXED` and `PLAN_UNAVAILABLE` (409).
   */
  async create(checkout: Checkout): Promise<Stripe.Checkout.Session> {
    const customer = await this.customers.ensure(checkout.accountId)
    const sale = { customer, price: checkout.priceId }
    this.currencies.requireNot(sale)
    const params = await this.paramsOf(checkout, customer)
    const options = { idempotencyKey: `checkout-${checkout.id}` }
    try {
      return await callStripe(() => this.stripe.checkout.sessions.create(params, options))
    } catch (error) {
      // The customer may have been deleted there and the event lost.
      if (isAnswered(error)) await this.queue.add(customer)
      const { stripe, plans, currencies } = this
      const refusal = await refusalOfPrice({ stripe, plans, currencies }, error, sale)
      const { code, cause } = refusal as ApiError
      throw code === 'PAYMENT_PROVIDER_REFUSED' ? new ApiError('PLAN_UNAVAILABLE', { cause }) : refusal
    }
  }

  /**
   * Expires the page; null when nobody can pay it any longer, and what was bought on it has ended, if anything was.
   * Returns `ALREADY_SUBSCRIBED` if somebody has paid it, `PAYMENT_PENDING` if somebody has begun to; the customer is
   * then synced, because the event may have been lost. Safe to repeat. Throws like `callStripe`, also when it is still
   * open.
   */
  async expire(providerId: string): Promise<'ALREADY_SUBSCRIBED' | 'PAYMENT_PENDING' | null> {
    const checkout = await callStripeOrNull(() => this.expireOrRetrieve(providerId))
    if (checkout?.status === 'open') throw unavailable('PAYMENT_PROVIDER_UNAVAILABLE')
    if (checkout?.status !== 'complete' || (await this.hasEnded(checkout))) return null
    if (typeof checkout.customer === 'string') await this.queue.add(checkout.customer)
    return checkout.payment_status === 'unpaid' ? 'PAYMENT_PENDING' : 'ALREADY_SUBSCRIBED'
  }

  /** Whether the subscription that was bought on a page can never bill again. */
  private async hasEnded({ subscription }: Stripe.Checkout.Session): Promise<boolean> {
    if (typeof subscription !== 'string') return false
    const found = await callStripeOrNull(() => this.stripe.subscriptions.retrieve(subscription))
    return found === null || ENDED_STATUSES.includes(found.status)
  }

  /** The provider expires only what is open. */
  private async expireOrRetrieve(providerId: string): Promise<Stripe.Checkout.Session> {
    try {
      return await this.stripe.checkout.sessions.expire(providerId)
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
      return this.stripe.checkout.sessions.retrieve(providerId)
    }
  }

  /** From our row, the settings and what never changes alone, so that a retry is byte-identical. */
  private async paramsOf(checkout: Checkout, customer: string): Promise<Stripe.Checkout.SessionCreateParams> {
    const { id, accountId, priceId, quantity, returnUrl, trialDays, createdAt } = checkout
    const metadata = { accountId, checkoutId: id }
    const { subscription_data: trial, ...options } = this.settings.stripe.checkoutOptions
    return {
      ...options,
      mode: 'subscription',
      customer,
      client_reference_id: accountId,
      line_items: [{ price: priceId, ...(await this.meteredPrices.quantityOf(priceId, quantity)) }],
      success_url: withCheckout(returnUrl, id),
      cancel_url: returnUrl,
      metadata,
      subscription_data: { metadata, ...(trialDays > 0 && { ...trial, trial_period_days: trialDays }) },
      expires_at: unixSeconds(createdAt) + PAYABLE_FOR_SECONDS,
    }
  }
}
