import type { Caller } from '@mainstay-auth/verify/token-rules'
import { Injectable } from '@nestjs/common'
import type { Client } from '../../http/client.js'
import { RateLimiter } from '../../rate-limits/rate-limiter.js'
import { ProviderBulkhead } from './provider-bulkhead.js'

/** Limits what users make the payment provider do: its rate limit is shared by all our customers. */
@Injectable()
export class PaymentRequests {
  constructor(
    private readonly rateLimiter: RateLimiter,
    private readonly bulkhead: ProviderBulkhead,
  ) {}

  /**
   * Does `work`. Throws `TOO_MANY_ATTEMPTS` (429 with `Retry-After`) when this user, or the whole account,
   * has asked too often within the hour, and like {@link ProviderBulkhead.run}.
   */
  async run<T>(caller: Caller, client: Client, work: () => Promise<T>, patienceMs?: number): Promise<T> {
    const { userId, accountId } = caller
    await this.rateLimiter.count({
      kind: 'payment request',
      subject: userId,
      client,
      actor: { userId, accountId },
    })
    return this.bulkhead.run(work, patienceMs)
  }
}
