import type { Caller } from '@mainstay-auth/verify/token-rules'
import { Injectable } from '@nestjs/common'
import Stripe from 'stripe'
import { Database } from '../../database/database.js'
import { ApiError, unavailable } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import { Plans } from '../../permissions/plans-file.js'
import type { CheckoutIntent } from '../checkout/checkouts.js'
import { withPortal } from '../checkout/return-url.js'
import { planItem } from '../plans/plan-item.js'
import { callStripeOrNull } from '../provider/payment-provider.js'
import { BillingQueue } from '../sync/billing-queue.js'
import { PortalService } from './portal.service.js'
import { isLive, type ProviderStatus } from './provider-status.js'
import { Subscriptions } from './subscriptions.js'

/** Changes the plan of an account that has one: its subscription is changed, so there is never a second. */
@Injectable()
export class PlanChangeService {
  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly portal: PortalService,
    private readonly queue: BillingQueue,
    private readonly plans: Plans,
    private readonly stripe: Stripe,
    private readonly database: Database,
  ) {}

  /**
   * The URL of the provider's page to confirm the change. Throws `ALREADY_SUBSCRIBED` (409) when it already
   * has this plan.
   */
  async start(caller: Caller, intent: CheckoutIntent, client: Client): Promise<string> {
    const { id, item } = await this.current(caller.accountId)
    const { priceId, quantity } = intent
    const returnUrl = withPortal(intent.returnUrl)
    if (item.price.id === priceId) throw new ApiError('ALREADY_SUBSCRIBED')
    return this.portal.open(caller, returnUrl, client, {
      type: 'subscription_update_confirm',
      subscription_update_confirm: { subscription: id, items: [{ id: item.id, price: priceId, quantity }] },
      after_completion: { type: 'redirect', redirect: { return_url: returnUrl } },
    })
  }

  /**
   * The subscription at the provider. Throws `TOO_BUSY` (503) when it has ended there and we have not heard
   * of it yet.
   */
  private async current(accountId: string): Promise<{ id: string; item: Stripe.SubscriptionItem }> {
    const row = await this.database.run(db => this.subscriptions.row(db, accountId))
    const found = row && (await callStripeOrNull(() => this.stripe.subscriptions.retrieve(row.providerId)))
    const item = found && planItem(found, this.plans, row.priceId)
    if (found && item && isLive(found.status as ProviderStatus)) return { id: found.id, item }
    const customer = typeof found?.customer === 'string' ? found.customer : null
    if (customer) await this.database.run(db => this.queue.ask(db, customer))
    throw unavailable('TOO_BUSY')
  }
}
