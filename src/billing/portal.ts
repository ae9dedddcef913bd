import { Injectable } from '@nestjs/common'
import Stripe from 'stripe'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { ApiError, unavailable } from '../platform/errors/api-error.js'
import type { SessionActor } from '../sessions/session-actor.js'
import { PriceRefusals } from './catalog.js'
import { type CheckoutIntent, withPortal } from './checkout.js'
import { BillingCustomers } from './customers.js'
import { BillingQueue } from './inbox.js'
import {
  callStripe,
  callStripeOrNull,
  isAnswered,
  MeteredPrices,
  ProviderRefusals,
  withAllItems,
} from './stripe.js'
import { isLive, Subscriptions } from './subscriptions.js'

type Flow = Stripe.BillingPortal.SessionCreateParams.FlowData

/**
 * The provider's pages for existing subscriptions. Opening one changes nothing, so it needs no idempotency
 * key.
 */
@Injectable()
export class PortalService {
  constructor(
    private readonly customers: BillingCustomers,
    private readonly subscriptions: Subscriptions,
    private readonly stripe: Stripe,
    private readonly priceRefusals: PriceRefusals,
    private readonly refusals: ProviderRefusals,
    private readonly queue: BillingQueue,
    private readonly meteredPrices: MeteredPrices,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * The URL of a page, valid for some minutes. Without `flow` it shows everything. Throws `NEVER_SUBSCRIBED`
   * (409) for an account without a customer, `CURRENCY_FIXED` and `PLAN_UNAVAILABLE` (409), and like `callStripe`.
   */
  async open(actor: SessionActor, returnUrl: string, flow?: Flow): Promise<string> {
    const customer = await this.customers.find(actor.accountId)
    if (!customer) throw new ApiError('NEVER_SUBSCRIBED')
    const { url } = await this.create({ customer, return_url: returnUrl, ...(flow && { flow_data: flow }) })
    this.auditLog.enqueue(auditEvent(actor, 'billing.portal', flow && { flow: flow.type }))
    return url
  }

  /**
   * The URL of the page to confirm another plan: the subscription is changed, so there is never a second. The
   * provider has no such page for a subscription with several items, or with a change that is scheduled, or where
   * the portal is not set to offer this plan: then it is that of the whole portal. Throws `ALREADY_SUBSCRIBED` (409)
   * when it already has this plan, and like `open`.
   */
  async changePlan(actor: SessionActor, intent: CheckoutIntent): Promise<string> {
    const { id, item, isPlain } = await this.current(actor.accountId)
    const { priceId, quantity } = intent
    const returnUrl = withPortal(intent.returnUrl)
    if (item.price.id === priceId) throw new ApiError('ALREADY_SUBSCRIBED')
    if (!isPlain) return this.open(actor, returnUrl)
    const changed = {
      id: item.id,
      price: priceId,
      ...(await this.meteredPrices.quantityOf(priceId, quantity)),
    }
    try {
      return await this.open(actor, returnUrl, {
        type: 'subscription_update_confirm',
        subscription_update_confirm: { subscription: id, items: [changed] },
        after_completion: { type: 'redirect', redirect: { return_url: returnUrl } },
      })
    } catch (error) {
      if ((error as ApiError).code !== 'PAYMENT_PROVIDER_REFUSED') throw error
      this.refusals.report(error)
      return this.open(actor, returnUrl)
    }
  }

  private async create(params: Stripe.BillingPortal.SessionCreateParams & { customer: string }) {
    const price = params.flow_data?.subscription_update_confirm?.items[0]?.price
    const sale = price ? { customer: params.customer, price } : null
    if (sale) this.priceRefusals.requireNotFixed(sale)
    try {
      return await callStripe(() => this.stripe.billingPortal.sessions.create(params))
    } catch (error) {
      // The customer may have been deleted there and the event lost.
      if (isAnswered(error)) await this.queue.add(params.customer)
      throw sale ? await this.priceRefusals.explain(error, sale) : error
    }
  }

  /**
   * The subscription at the provider. Throws `TOO_BUSY` (503) when it has ended there and we have not heard
   * of it yet.
   */
  private async current(
    accountId: string,
  ): Promise<{ id: string; item: Stripe.SubscriptionItem; isPlain: boolean }> {
    const row = await this.subscriptions.row(accountId)
    const found = row && (await callStripeOrNull(() => this.stripe.subscriptions.retrieve(row.providerId)))
    const whole = found && isLive(found.status) ? await withAllItems(this.stripe, found) : null
    const item = whole && this.subscriptions.planItem(whole, row)
    if (found && item) {
      const isPlain = found.items.data.length === 1 && found.schedule === null
      return { id: found.id, item, isPlain }
    }
    if (typeof found?.customer === 'string') await this.queue.add(found.customer)
    throw unavailable('TOO_BUSY')
  }
}
