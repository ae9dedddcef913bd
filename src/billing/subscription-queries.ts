import { Injectable } from '@nestjs/common'
import { LRUCache } from 'lru-cache'
import { ApiError } from '../platform/errors/api-error.js'
import { NO_LIMITS, type PlanLimits, PlansFile } from '../platform/plans.js'
import { Clock } from '../platform/time.js'
import type { SessionActor } from '../sessions/session-actor.js'
import { SubscriptionCache } from './caches.js'
import { PlanCatalog } from './catalog.js'
import { Checkouts } from './checkout.js'
import { CustomerSync } from './customer-sync.js'
import { BillingCustomers } from './customers.js'
import { isAnswered, PaymentRequests } from './stripe.js'
import {
  isPaidFor,
  type KnownSubscription,
  Subscriptions,
  type SubscriptionView,
  viewOf,
} from './subscriptions.js'

/** The provider is asked at most once in this time, however often the page asks. */
const MIN_INTERVAL_MS = 2_000
const MAX_ACCOUNTS = 10_000
/** The browser keeps asking, and the event arrives anyway. */
const PATIENCE_MS = 3_000

/** An account's subscription, and how many it may have by it. */
type LimitedView = SubscriptionView & { readonly limits: PlanLimits }

/** `pending`: not paid, or not yet paid. */
type CheckoutOutcome = 'pending' | 'active'

/** What the users of an account see of its subscription, also on a return from the provider's pages before its event. */
@Injectable()
export class SubscriptionQueries {
  /** The questions of the last moments to the provider. */
  private readonly recent = new LRUCache<string, Promise<void>>({ max: MAX_ACCOUNTS, ttl: MIN_INTERVAL_MS })

  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly cache: SubscriptionCache,
    private readonly checkouts: Checkouts,
    private readonly customers: BillingCustomers,
    private readonly sync: CustomerSync,
    private readonly requests: PaymentRequests,
    private readonly catalog: PlanCatalog,
    private readonly plans: PlansFile,
    private readonly clock: Clock,
  ) {}

  /** The account's subscription. May be up to a minute old where several replicas run without Redis. */
  async read({ accountId }: SessionActor): Promise<LimitedView> {
    const known = await this.cache.read(accountId, () => this.subscriptions.find(accountId))
    return this.view(known)
  }

  /** Whether somebody may pay for the account: not while it is going to be deleted. */
  async mayBePaid({ accountId }: SessionActor): Promise<boolean> {
    return !(await this.checkouts.isClosing(accountId))
  }

  /**
   * The same after a return from a checkout, given our id of it or the provider's. Does not wait for the
   * event, which may be slower than the browser. Throws `NOT_FOUND` (404) for anything but a checkout of this
   * account, and `TOO_MANY_ATTEMPTS` (429).
   */
  async readAfter(
    actor: SessionActor,
    checkout: string,
  ): Promise<LimitedView & { checkout: CheckoutOutcome }> {
    if (!(await this.checkouts.find(actor.accountId, checkout))) throw new ApiError('NOT_FOUND')
    let view = await this.uncached(actor.accountId)
    if (!isPaidFor(view.state)) {
      await this.refresh(actor)
      view = await this.uncached(actor.accountId)
    }
    return { ...view, checkout: isPaidFor(view.state) ? 'active' : 'pending' }
  }

  /**
   * The same after a return from the provider's portal. The provider is asked only for callers who may open
   * one, because the account's users share the requests that it may make within an hour. Throws
   * `TOO_MANY_ATTEMPTS` (429).
   */
  async readAfterPortal(actor: SessionActor): Promise<LimitedView> {
    if (actor.permissions.payments) await this.refresh(actor)
    return this.uncached(actor.accountId)
  }

  /**
   * Asks the provider, unless we just did. If it does not answer, what we already have is the answer. Throws
   * `TOO_MANY_ATTEMPTS` (429).
   */
  private async refresh(actor: SessionActor): Promise<void> {
    const key = keyOf(actor)
    const running = this.recent.get(key) ?? this.ask(actor)
    this.recent.set(key, running, { noUpdateTTL: true })
    await running
  }

  private async ask(actor: SessionActor): Promise<void> {
    const customerId = await this.customers.find(actor.accountId)
    if (!customerId) return
    try {
      await this.requests.run(actor, () => this.sync.syncNow(customerId), PATIENCE_MS)
    } catch (error) {
      if (isProviderFailure(error)) return
      // Other users of the account may have asked less often.
      this.recent.delete(keyOf(actor))
      throw error
    }
  }

  private async uncached(accountId: string): Promise<LimitedView> {
    return this.view(await this.subscriptions.find(accountId))
  }

  private async view(known: KnownSubscription): Promise<LimitedView> {
    const view = viewOf(known, await this.catalog.knownName(known.plan), this.clock.now())
    return {
      ...view,
      limits: this.plans.limitsOf(isPaidFor(view.state) ? known.plan : null) ?? NO_LIMITS,
    }
  }
}

/** Those who may not pay have limits of their own, and their refusal must not reach the others. */
function keyOf({ accountId, permissions }: SessionActor): string {
  return `${accountId} ${permissions.payments}`
}

function isProviderFailure(error: unknown): boolean {
  const { code } = error as ApiError
  return code === 'PAYMENT_PROVIDER_UNAVAILABLE' || isAnswered(error) || code === 'TOO_BUSY'
}
