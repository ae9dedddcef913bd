import { Injectable } from '@nestjs/common'
import { AttemptLimits } from '../attempts/attempt-limits.js'
import type { Client } from '../http/client.js'
import type { Caller } from '../tokens/claims.js'
import { ProviderBulkhead } from './provider-bulkhead.js'

/** What people make the payment provider do. It allows some requests a second for all of our customers together. */
@Injectable()
export class PaymentRequests {
  constructor(
    private readonly attempts: AttemptLimits,
    private readonly bulkhead: ProviderBulkhead,
  ) {}

  /**
   * Does `work`; throws `TOO_MANY_ATTEMPTS` (429 with `Retry-After`) when this user, or all of the account, have asked too
   * often within the hour, and as {@link ProviderBulkhead.run} does.
   */
  async run<T>(caller: Caller, client: Client, work: () => Promise<T>, patienceMs?: number): Promise<T> {
    const { userId, accountId } = caller
    await this.attempts.count({
      kind: 'payment request',
      subject: userId,
      client,
      actor: { userId, accountId },
    })
    return this.bulkhead.run(work, patienceMs)
  }
}
