import { type CryptoKey, createLocalJWKSet, errors, type JWSHeaderParameters } from 'jose'
import { AccessTokenError } from './access-token-error.js'

type FindKey = (header: JWSHeaderParameters) => Promise<CryptoKey>

/** The same as the service's Cache-Control: a key is published at least this long before it signs. */
const FRESH_MS = 600_000
/**
 * While the service cannot be reached, keys fetched within the last hour still count, so that what needs only
 * a signature keeps working.
 */
const USABLE_MS = 3_600_000
/** Made-up key ids, or requests during an outage, cause at most one fetch in this time, not one each. */
const BETWEEN_FETCHES_MS = 10_000
const TIMEOUT_MS = 3_000
/** How long requests wait for newer keys: an answer takes a round trip, and keys may have been replaced. */
const RENEWAL_WAIT_MS = 500

/** The public keys that the service publishes, cached and kept up to date. */
export class PublishedKeys {
  private find: FindKey | null = null
  private fetchedAt = Number.NEGATIVE_INFINITY
  private triedAt = Number.NEGATIVE_INFINITY
  /** Why the last request failed; null when it did not. */
  private failure: unknown = null
  private fetching: Promise<void> | null = null

  /** `elapsed` is in milliseconds, from a monotonic clock. */
  constructor(
    private readonly url: string,
    private readonly elapsed: () => number,
  ) {}

  /**
   * The key for a token's header. Keys that are not fresh are used when newer ones do not come within half a
   * second, during an outage at once. Waits for a fetch when there are no usable keys, or for an unknown key while
   * the service answers. Throws jose's JWKSNoMatchingKey when the key is not ours, and AccessTokenError
   * `KEYS_UNAVAILABLE` when that cannot be known.
   */
  async keyOf(header: JWSHeaderParameters): Promise<CryptoKey> {
    if (!this.isUsable()) await this.fetchInTurn()
    else if (this.age() > FRESH_MS) await this.renewed()
    try {
      return await this.known(header)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      const fetching = this.fetchInTurn()
      if (this.failure === null) await fetching
      // It may be a new key that we could not fetch.
      if (this.failure !== null) throw new AccessTokenError('KEYS_UNAVAILABLE', { cause: this.failure })
      return this.known(header)
    }
  }

  private age(): number {
    return this.elapsed() - this.fetchedAt
  }

  private known(header: JWSHeaderParameters): Promise<CryptoKey> {
    if (!this.find || this.age() > USABLE_MS)
      throw new AccessTokenError('KEYS_UNAVAILABLE', { cause: this.failure })
    return this.find(header)
  }

  /** During an outage nobody waits for a request that will time out. */
  private async renewed(): Promise<void> {
    const fetching = this.fetchInTurn()
    if (this.failure === null) await atMost(RENEWAL_WAIT_MS, fetching)
  }

  private isUsable(): boolean {
    return this.find !== null && this.age() <= USABLE_MS
  }

  /** One request at a time, and none too soon after the last one. A failure leaves the existing keys in place. */
  private async fetchInTurn(): Promise<void> {
    if (!this.fetching && this.elapsed() - this.triedAt < BETWEEN_FETCHES_MS) return
    this.fetching ??= this.fetch()
      .catch(error => {
        this.failure = error
      })
      .finally(() => {
        this.fetching = null
      })
    await this.fetching
  }

  private async fetch(): Promise<void> {
    this.triedAt = this.elapsed()
    const init = {
      // Frameworks that replace `fetch`, such as Next, may keep answers for ever.
      cache: 'no-store',
      // A redirect could lead to somebody else's keys.
      redirect: 'error' as const,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }
    const answer = await fetch(this.url, init)
    if (!answer.ok) throw new Error(`${this.url} answered ${answer.status}`)
    this.find = createLocalJWKSet((await answer.json()) as Parameters<typeof createLocalJWKSet>[0])
    this.fetchedAt = this.triedAt
    this.failure = null
  }
}

/** Waits for `work`, but no longer than `ms`. */
async function atMost(ms: number, work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const enough = new Promise<void>(resolve => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, enough])
  clearTimeout(timer)
}
