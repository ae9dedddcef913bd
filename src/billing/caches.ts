import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { type Cache, caching } from 'cache-manager'
import { Settings } from '../platform/config/settings.js'
import { causeMessage } from '../platform/errors/api-error.js'
import { Logger } from '../platform/log.js'
import type { PlanText } from '../platform/plans.js'
import { RedisConnection } from '../platform/redis/redis.js'
import { Clock } from '../platform/time.js'
import { stripeSettingsOf } from './stripe.js'
import type { KnownSubscription } from './subscriptions.js'

/** How long a replica without Redis may be outdated; with Redis a webhook drops the entry for all. */
const SUBSCRIPTION_TTL_MS = 60_000
/**
 * Longer than an entry lives plus the time to read it; otherwise an entry from before the drop could count
 * again.
 */
const MARK_TTL_MS = 2 * SUBSCRIPTION_TTL_MS
const NEVER_DROPPED = ''
const MAX_SUBSCRIPTIONS_IN_MEMORY = 10_000

/** An older copy is worthless. A timer cannot run for more than 24 days. */
const PLANS_TTL_MS = 20 * 24 * 60 * 60 * 1000
/** People may see an old price for this long; what they pay is on the provider's page. */
const FRESH_FOR_MS = 10 * 60_000
/** A provider that did not answer is asked again only after this long. */
const RETRY_AFTER_MS = 30_000

/** In Redis where there is one, shared by all replicas; in memory otherwise. A failure is a miss. */
class SharedCache {
  private constructor(
    private readonly logger: Logger,
    private readonly cache: Cache,
    private readonly redis: RedisConnection | null,
  ) {}

  static async over(redis: RedisConnection | null, name: string, max: number): Promise<SharedCache> {
    return new SharedCache(
      new Logger(name),
      redis ? await overRedis(redis) : await caching('memory', { max, ttl: 0 }),
      redis,
    )
  }

  get<T>(key: string): Promise<T | undefined> {
    return this.attempt(() => this.cache.get<T>(key))
  }

  async set(key: string, value: unknown, ttlMs: number): Promise<void> {
    await this.attempt(() => this.cache.set(key, value, ttlMs))
  }

  private async attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await (this.redis ? this.redis.run(work) : work())
    } catch (error) {
      this.logger.warn(causeMessage(error))
      return undefined
    }
  }
}

/** Loaded only where it is used: the package brings a second Redis client of its own. */
async function overRedis(redis: RedisConnection): Promise<Cache> {
  const { redisInsStore } = await import('cache-manager-redis-yet')
  return (await caching(redisInsStore(redis.commands as never) as never)) as Cache
}

interface SubscriptionEntry {
  /** The mark of the drop after which it was read. */
  readonly mark: string
  readonly known: KnownSubscription
}

/** The accounts' subscriptions. */
@Injectable()
export class SubscriptionCache {
  private constructor(private readonly cache: SharedCache) {}

  static async over(redis: RedisConnection | null): Promise<SubscriptionCache> {
    return new SubscriptionCache(
      await SharedCache.over(redis, 'SubscriptionCache', MAX_SUBSCRIPTIONS_IN_MEMORY),
    )
  }

  /**
   * The cached value, or else what `find` reads. What was read before the last {@link drop} is never served
   * after it, even if it is written later: an entry counts only with the mark of the drop after which it was
   * read.
   */
  async read(accountId: string, find: () => Promise<KnownSubscription>): Promise<KnownSubscription> {
    const [entry, mark = NEVER_DROPPED] = await Promise.all([
      this.cache.get<SubscriptionEntry>(entryKey(accountId)),
      this.cache.get<string>(markKey(accountId)),
    ])
    if (entry?.mark === mark) return entry.known
    const known = await find()
    await this.cache.set(
      entryKey(accountId),
      { mark, known } satisfies SubscriptionEntry,
      SUBSCRIPTION_TTL_MS,
    )
    return known
  }

  /** Invalidates everything read so far, in every process. Call it after the commit. */
  async drop(accountId: string): Promise<void> {
    await this.cache.set(markKey(accountId), randomUUID(), MARK_TTL_MS)
  }
}

function entryKey(accountId: string): string {
  return `subscription-view:${accountId}`
}

function markKey(accountId: string): string {
  return `subscription-dropped:${accountId}`
}

/** A price that can be bought, as the provider has it. */
export interface OfferedPlan extends PlanText {
  readonly priceId: string
  /**
   * For one period, or for one seat of it, in the currency's smallest unit; null where the provider charges
   * by tiers or by usage.
   */
  readonly amount: number | null
  /** ISO 4217, lower case. */
  readonly currency: string
  readonly interval: 'day' | 'week' | 'month' | 'year'
  readonly intervalCount: number
  /** Whether each active user is billed. */
  readonly seats: boolean
}

/** The provider's last answer about prices, and its age. */
interface PlanCopy {
  readonly plans: readonly OfferedPlan[]
  /** Whether the provider need not be asked yet. */
  readonly isFresh: boolean
}

interface PlanEntry {
  readonly plans: readonly OfferedPlan[]
  /** Milliseconds since 1970. */
  readonly freshUntil: number
}

/** What is on sale. Each process also keeps the last copy that it saw. */
@Injectable()
export class PlanCache {
  private last: PlanEntry | undefined

  private constructor(
    private readonly cache: SharedCache,
    private readonly key: string,
    private readonly clock: Clock,
  ) {}

  static async over(redis: RedisConnection | null, settings: Settings, clock: Clock): Promise<PlanCache> {
    // Each list of prices has its own entry.
    const key = `plans:${stripeSettingsOf(settings).priceIds.join(',')}`
    return new PlanCache(await SharedCache.over(redis, 'PlanCache', 2), key, clock)
  }

  /** Null while nothing is known. */
  async get(): Promise<PlanCopy | null> {
    this.last = (await this.cache.get<PlanEntry>(this.key)) ?? this.last
    return this.last ? { plans: this.last.plans, isFresh: this.now() < this.last.freshUntil } : null
  }

  /** Stores what the provider has just said. */
  async put(plans: readonly OfferedPlan[]): Promise<void> {
    await this.save({ plans, freshUntil: this.now() + FRESH_FOR_MS })
  }

  /** The provider did not answer: the old copy is served a little longer. */
  async prolong(plans: readonly OfferedPlan[]): Promise<void> {
    await this.save({ plans, freshUntil: this.now() + RETRY_AFTER_MS })
  }

  /** The copy is known to be wrong: the provider is asked before it is shown again. */
  async expire(): Promise<void> {
    const copy = await this.get()
    if (copy) await this.save({ plans: copy.plans, freshUntil: 0 })
  }

  private async save(entry: PlanEntry): Promise<void> {
    this.last = entry
    await this.cache.set(this.key, entry, PLANS_TTL_MS)
  }

  private now(): number {
    return this.clock.now().getTime()
  }
}
