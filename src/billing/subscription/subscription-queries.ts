import type { Caller } from '@mainstay-auth/verify/token-rules'
import { Injectable } from '@nestjs/common'
import type { Client } from '../../http/client.js'
import { CheckoutReturn } from '../checkout/checkout-return.js'
import { Entitlements } from '../entitlements/entitlements.js'
import { PlanCatalog } from '../plans/plan-catalog.js'
import { SubscriptionCache } from './subscription-cache.js'
import { isPaidFor } from './subscription-state.js'
import type { KnownSubscription, SubscriptionView } from './subscription-view.js'
import { Subscriptions } from './subscriptions.js'

/** `pending`: not paid, or not yet paid. */
export type CheckoutOutcome = 'pending' | 'active'

@Injectable()
export class SubscriptionQueries {
  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly cache: SubscriptionCache,
    private readonly entitlements: Entitlements,
    private readonly returns: CheckoutReturn,
    private readonly catalog: PlanCatalog,
  ) {}

  /** The account's subscription. May be up to a minute old where several replicas run without Redis. */
  async read(accountId: string): Promise<SubscriptionView> {
    const known = await this.cache.read(accountId, () => this.subscriptions.find(accountId))
    return this.view(known)
  }

  /**
   * The same after a return from a checkout, given our id of it or the provider's. Does not wait for the
   * event, which may be slower than the browser. Throws `NOT_FOUND` (404) for anything but a checkout of this
   * account, and `TOO_MANY_ATTEMPTS` (429).
   */
  async readAfter(
    caller: Caller,
    checkout: string,
    client: Client,
  ): Promise<SubscriptionView & { checkout: CheckoutOutcome }> {
    const { accountId } = caller
    await this.returns.requireOwn(accountId, checkout)
    let view = await this.uncached(accountId)
    if (!isPaidFor(view.state)) {
      await this.returns.refresh(caller, client)
      view = await this.uncached(accountId)
    }
    return { ...view, checkout: isPaidFor(view.state) ? 'active' : 'pending' }
  }

  /**
   * The same after a return from the provider's portal. The provider is asked only for callers who may open
   * one, because the account's users share the requests that it may make within an hour. Throws
   * `TOO_MANY_ATTEMPTS` (429).
   */
  async readAfterPortal(caller: Caller, client: Client): Promise<SubscriptionView> {
    if (caller.permissions.payments) await this.returns.refresh(caller, client)
    return this.uncached(caller.accountId)
  }

  private async uncached(accountId: string): Promise<SubscriptionView> {
    return this.view(await this.subscriptions.find(accountId))
  }

  private async view(known: KnownSubscription): Promise<SubscriptionView> {
    return { ...this.entitlements.view(known), planName: await this.catalog.knownName(known.plan) }
  }
}
