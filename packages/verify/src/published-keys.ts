import { type CryptoKey, createLocalJWKSet, errors, type JWSHeaderParameters } from 'jose'
import { AccessTokenError } from './access-token-error.js'

type FindKey = (header: JWSHeaderParameters) => Promise<CryptoKey>

/** What the service's own Cache-Control says: a key is published this long before it signs. */
const FRESH_MS = 600_000
/**
 * While the service cannot be reached, its keys of the last hour still count: what needs only a signature
 * goes on.
 */
const USABLE_MS = 3_600_000
/**
 * Whoever sends made-up key ids, or comes during an outage, causes one request in this time, not one each.
 */
const BETWEEN_FETCHES_MS = 10_000
const TIMEOUT_MS = 3_000

/** The public keys that the service publishes, kept and kept up to date. */
export class PublishedKeys {
  private find: FindKey | null = null
  private fetchedAt = Number.NEGATIVE_INFINITY
  private triedAt = Number.NEGATIVE_INFINITY
  /** Whether the last request failed. */
  private isOut = false
  private fetching: Promise<void> | null = null

  /** `elapsed` is in milliseconds, by a clock that is never set. */
  constructor(
    private readonly url: string,
    private readonly elapsed: () => number,
  ) {}

  /**
   * The key of a token's header. Keys that are good are used at once and renewed behind the answer; only
   * without any, or for an unknown one while the service answers, does this wait for a request. Throws jose's
   * JWKSNoMatchingKey when it is not ours, AccessTokenError `KEYS_UNAVAILABLE` when that cannot be known.
   */
  async keyOf(header: JWSHeaderParameters): Promise<CryptoKey> {
    if (!this.isUsable()) await this.fetchInTurn()
    else if (this.age() > FRESH_MS) void this.fetchInTurn()
    try {
      return await this.known(header)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      const fetching = this.fetchInTurn()
      // In an outage nobody waits for a request that will time out.
      if (!this.isOut) await fetching
      // It may be a new one that we could not fetch.
      if (this.isOut) throw new AccessTokenError('KEYS_UNAVAILABLE', { cause: error })
      return this.known(header)
    }
  }

  private age(): number {
    return this.elapsed() - this.fetchedAt
  }

  private known(header: JWSHeaderParameters): Promise<CryptoKey> {
    if (!this.find || this.age() > USABLE_MS) throw new AccessTokenError('KEYS_UNAVAILABLE')
    return this.find(header)
  }

  private isUsable(): boolean {
    return this.find !== null && this.age() <= USABLE_MS
  }

  /**
   * One request at a time, and none too soon after the last one. A failure leaves the keys that are there.
   */
  private async fetchInTurn(): Promise<void> {
    if (!this.fetching && this.elapsed() - this.triedAt < BETWEEN_FETCHES_MS) return
    this.fetching ??= this.fetch()
      .catch(() => {
        this.isOut = true
      })
      .finally(() => {
        this.fetching = null
      })
    await this.fetching
  }

  private async fetch(): Promise<void> {
    this.triedAt = this.elapsed()
    // A redirect could lead to keys of somebody else.
    const answer = await fetch(this.url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (!answer.ok) throw new Error(`${this.url} answered ${answer.status}`)
    this.find = createLocalJWKSet((await answer.json()) as Parameters<typeof createLocalJWKSet>[0])
    this.fetchedAt = this.triedAt
    this.isOut = false
  }
}
