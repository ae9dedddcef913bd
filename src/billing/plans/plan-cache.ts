import { Injectable, Logger } from '@nestjs/common'
import { type Cache, caching } from 'cache-manager'
import { Clock } from '../../clock/clock.js'
import { Settings } from '../../config/settings.js'
import { RedisConnection } from '../../redis/redis-connection.js'
import type { OfferedPlan } from '../checkout/offered-plan.js'

/** The provider's last answer about prices, and its age. */
export interface PlanCopy {
  readonly plans: readonly OfferedPlan[]
  /** Whether the provider need not be asked yet. */
  readonly isFresh: boolean
}

interface Kept {
  readonly plans: readonly OfferedPlan[]
  /** Milliseconds since 1970. */
  readonly freshUntil: number
}

/** An older copy is worthless. A timer cannot run for more than 24 days. */
const KEEP_MS = 20 * 24 * 60 * 60 * 1000
/**
 * Prices change seldom. People may see the old one for this long; what they pay is on the provider's page.
 */
const FRESH_FOR_MS = 10 * 60_000
/** How long a provider that did not answer is left alone. */
const LEFT_ALONE_FOR_MS = 30_000

/** A cache shared by all replicas through Redis; each process also keeps the last copy that it saw. */
@Injectable()
export class PlanCache {
  private last: Kept | undefined

  private constructor(
    private readonly cache: Cache,
    private readonly redis: RedisConnection | null,
    private readonly key: string,
    private readonly clock: Clock,
  ) {}

  static async over(redis: RedisConnection | null, { stripe }: Settings, clock: Clock): Promise<PlanCache> {
    // Each list of prices has its own entry.
    const key = `plans:${stripe.priceIds.join(',')}`
    return new PlanCache(
      redis ? await overRedis(redis) : await caching('memory', { max: 1, ttl: KEEP_MS }),
      redis,
      key,
      clock,
    )
  }

  /** Null while nothing is known. */
  async get(): Promise<PlanCopy | null> {
    const kept = (await this.attempt(() => this.cache.get<Kept>(this.key))) ?? this.last
    if (!kept) return null
    this.last = kept
    return { plans: kept.plans, isFresh: this.now() < kept.freshUntil }
  }

  /** Stores what the provider has just said. */
  async put(plans: readonly OfferedPlan[]): Promise<void> {
    await this.keep({ plans, freshUntil: this.now() + FRESH_FOR_MS })
  }

  /** The provider did not answer: the old copy is kept a little longer. */
  async prolong(plans: readonly OfferedPlan[]): Promise<void> {
    await this.keep({ plans, freshUntil: this.now() + LEFT_ALONE_FOR_MS })
  }

  private async keep(kept: Kept): Promise<void> {
    this.last = kept
    await this.attempt(() => this.cache.set(this.key, kept, KEEP_MS))
  }

  private now(): number {
    return this.clock.now().getTime()
  }

  private async attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await (this.redis ? this.redis.run(work) : work())
    } catch (error) {
      new Logger('PlanCache').warn((error as Error).message)
      return undefined
    }
  }
}

/** Loaded only where it is used: the package brings a second Redis client of its own. */
async function overRedis(redis: RedisConnection): Promise<Cache> {
  const { redisInsStore } = await import('cache-manager-redis-yet')
  return (await caching(redisInsStore(redis.commands as never) as never)) as Cache
}
