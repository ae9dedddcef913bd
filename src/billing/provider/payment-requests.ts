import { Injectable } from '@nestjs/common'
import { LRUCache } from 'lru-cache'
import Stripe from 'stripe'
import type { ApiError } from '../../platform/errors/api-error.js'
import { RateLimiter } from '../../platform/rate-limits/rate-limiter.js'
import { Clock, secondsAfter } from '../../platform/time.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import { ProviderBulkhead } from './provider-bulkhead.js'
import { ProviderRefusals } from './provider-refusals.js'

/** How long the provider is not asked again for what it has refused: by then an operator may have mended it. */
const REFUSED_FOR_SECONDS = 60
const MAX_REFUSALS = 10_000

interface Refusal {
  readonly error: ApiError
  readonly until: Date
}

/** Limits what users make the payment provider do: its rate limit is shared by all our customers. */
@Injectable()
export class PaymentRequests {
  private readonly refused = new LRUCache<string, Refusal>({ max: MAX_REFUSALS })

  constructor(
    private readonly rateLimiter: RateLimiter,
    private readonly bulkhead: ProviderBulkhead,
    private readonly refusals: ProviderRefusals,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs `work`. Throws `TOO_MANY_ATTEMPTS` (429 with `Retry-After`) when this user, or the whole account, has
   * asked too often within the hour, and like {@link ProviderBulkhead.run}. Those who may not pay are counted
   * apart, so that they cannot keep the others from paying.
   */
  async run<T>(actor: SessionActor, work: () => Promise<T>, patienceMs?: number): Promise<T> {
    const { userId, accountId, client, permissions } = actor
    await this.rateLimiter.count({
      kind: permissions.payments ? 'payment request' : 'payment question',
      subject: userId,
      client,
      actor: { userId, accountId },
    })
    return this.bulkhead.run(work, patienceMs)
  }

  /**
   * The same for a click on `what`, such as a price. What the provider has refused until an operator acts is refused for
   * a minute without asking it again, and reported.
   */
  async click<T>(actor: SessionActor, what: string, work: () => Promise<T>): Promise<T> {
    const key = `${actor.accountId} ${what}`
    const refused = this.refused.get(key)
    if (refused && this.clock.now() < refused.until) throw refused.error
    try {
      return await this.run(actor, work)
    } catch (error) {
      this.refusals.report(error)
      if (isRefused(error)) {
        const until = secondsAfter(this.clock.now(), REFUSED_FOR_SECONDS)
        this.refused.set(key, { error, until })
      }
      throw error
    }
  }
}

/** Not where we refuse without asking. */
function isRefused(error: unknown): error is ApiError {
  const { code, cause } = error as ApiError
  return (
    (code === 'PAYMENT_PROVIDER_REFUSED' || code === 'PLAN_UNAVAILABLE') &&
    cause instanceof Stripe.errors.StripeError
  )
}
