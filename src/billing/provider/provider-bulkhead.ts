import { Injectable } from '@nestjs/common'
import { unavailable } from '../../platform/errors/api-error.js'

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
