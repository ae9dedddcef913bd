import { Injectable, Logger } from '@nestjs/common'
import { type Cache, caching } from 'cache-manager'
import { RedisConnection } from '../redis/redis-connection.js'
import type { KnownSubscription } from './subscription-view.js'

/** How long a replica without Redis may be behind; with Redis a webhook drops the entry for all. */
const TTL_MS = 60_000
const MAX_ENTRIES_IN_MEMORY = 10_000

/** Merely a cache: over our Redis connection where there is one, in memory otherwise. It fails silently to a miss. */
@Injectable()
export class SubscriptionCache {
  private constructor(
    private readonly cache: Cache,
    private readonly redis: RedisConnection | null,
  ) {}

  static async over(redis: RedisConnection | null): Promise<SubscriptionCache> {
    const cache = redis
      ? await overRedis(redis)
      : await caching('memory', { max: MAX_ENTRIES_IN_MEMORY, ttl: TTL_MS })
    return new SubscriptionCache(cache, redis)
  }

  async get(accountId: string): Promise<KnownSubscription | undefined> {
    return this.attempt(() => this.cache.get<KnownSubscription>(key(accountId)))
  }

  async put(accountId: string, known: KnownSubscription): Promise<void> {
    await this.attempt(() => this.cache.set(key(accountId), known))
  }

  async drop(accountId: string): Promise<void> {
    await this.attempt(() => this.cache.del(key(accountId)))
  }

  private async attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await (this.redis ? this.redis.run(work) : work())
    } catch (error) {
      new Logger('SubscriptionCache').warn((error as Error).message)
      return undefined
    }
  }
}

/** Loaded only where it is used: the package brings a second Redis client of its own. */
async function overRedis(redis: RedisConnection): Promise<Cache> {
  const { redisInsStore } = await import('cache-manager-redis-yet')
  return (await caching(redisInsStore(redis.commands as never, { ttl: TTL_MS }) as never)) as Cache
}

function key(accountId: string): string {
  return `subscription:${accountId}`
}
