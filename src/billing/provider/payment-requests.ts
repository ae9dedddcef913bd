import { Injectable } from '@nestjs/common'
import { unavailable } from '../../errors/api-error.js'
import { RateLimiter } from '../../rate-limits/rate-limiter.js'
import type { SessionActor } from '../../sessions/session-actor.js'

/** A hanging provider must not fill the process with waiting requests; logins must go on. */
const MAX_AT_ONCE = 50
/** How long a person waits for the provider, however many requests their click needs. */
const PATIENCE_MS = 10_000

/**
 * Bounds the requests to us that wait for the payment provider. The billing worker, which nobody waits for, has a
 * few of its own.
 */
@Injectable()
export class ProviderBulkhead {
  private underWay = 0

  /**
   * Runs `work`; throws `TOO_BUSY` (503) when too much is in progress, and `PAYMENT_PROVIDER_UNAVAILABLE` (503)
   * after `patienceMs`. The work continues, and the next request finds its result.
   */
  async run<T>(work: () => Promise<T>, patienceMs = PATIENCE_MS): Promise<T> {
    if (this.underWay >= MAX_AT_ONCE) throw unavailable('TOO_BUSY')
    this.underWay++
    const done = work().finally(() => this.underWay--)
    let timer: NodeJS.Timeout | undefined
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(unavailable('PAYMENT_PROVIDER_UNAVAILABLE')), patienceMs)
    })
    return Promise.race([done, tooLate]).finally(() => clearTimeout(timer))
  }
}

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
