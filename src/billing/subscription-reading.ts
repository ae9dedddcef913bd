import { Injectable } from '@nestjs/common'
import type { Client } from '../http/client.js'
import type { Caller } from '../tokens/claims.js'
import { CheckoutReturn } from './checkout-return.js'
import { Entitlements } from './entitlements/entitlements.js'
import { PlanCatalog } from './plan-catalog.js'
import { SubscriptionCache } from './subscription-cache.js'
import { isPaidFor } from './subscription-state.js'
import type { KnownSubscription, SubscriptionView } from './subscription-view.js'
import { Subscriptions } from './subscriptions.js'

/** `pending`: not paid, or not yet. */
export type CheckoutOutcome = 'pending' | 'active'

@Injectable()
export class SubscriptionReading {
  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly cache: SubscriptionCache,
    private readonly entitlements: Entitlements,
    private readonly returns: CheckoutReturn,
    private readonly catalog: PlanCatalog,
  ) {}

  /** The account's subscription; may be up to a minute old where several replicas run without Redis. */
  async read(accountId: string): Promise<SubscriptionView> {
    const known = await this.cache.read(accountId, () => this.subscriptions.find(accountId))
    return this.view(known)
  }

  /**
   * The same for who comes back from a checkout, by our id of it or the provider's: without waiting for the event, which may
   * be slower than the browser. Throws `NOT_FOUND` (404) for what is no checkout of this account, and `TOO_MANY_ATTEMPTS`
   * (429).
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
      await this.returns.look(caller, client)
      view = await this.uncached(accountId)
    }
    return { ...view, checkout: isPaidFor(view.state) ? 'active' : 'pending' }
  }

  /**
   * The same for who comes back from the provider's portal. Only for whoever could open one is the provider asked: what it may
   * be asked for within an hour is there for the whole account. Throws `TOO_MANY_ATTEMPTS` (429).
   */
  async readAfterPortal(caller: Caller, client: Client): Promise<SubscriptionView> {
    if (caller.permissions.payments) await this.returns.look(caller, client)
    return this.uncached(caller.accountId)
  }

  private async uncached(accountId: string): Promise<SubscriptionView> {
    return this.view(await this.subscriptions.find(accountId))
  }

  private async view(known: KnownSubscription): Promise<SubscriptionView> {
    return { ...this.entitlements.view(known), planName: await this.catalog.knownName(known.plan) }
  }
}
