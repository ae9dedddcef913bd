import { Injectable } from '@nestjs/common'
import { RateLimiter } from '../../rate-limits/rate-limiter.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import { ProviderBulkhead } from './provider-bulkhead.js'

/** Limits what users make the payment provider do: its rate limit is shared by all our customers. */
@Injectable()
export class PaymentRequests {
  constructor(
    private readonly rateLimiter: RateLimiter,
    private readonly bulkhead: ProviderBulkhead,
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
}
