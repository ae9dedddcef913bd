import { randomUUID } from 'node:crypto'
import { Injectable, Logger } from '@nestjs/common'
import { type Cache, caching } from 'cache-manager'
import { RedisConnection } from '../../redis/redis-connection.js'
import type { KnownSubscription } from './subscription-view.js'

/** How long a replica without Redis may be outdated; with Redis a webhook drops the entry for all. */
const TTL_MS = 60_000
/**
 * Longer than an entry lives plus the time to read it; otherwise an entry from before the drop could count
 * again.
 */
const MARK_TTL_MS = 2 * TTL_MS
const NEVER_DROPPED = ''
const MAX_ENTRIES_IN_MEMORY = 10_000

interface Entry {
  /** The mark of the drop after which it was read. */
  readonly mark: string
  readonly known: KnownSubscription
}

/** A cache in Redis where there is one, in memory otherwise. Failures are treated as misses. */
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

  /**
   * The cached value, or else what `find` reads. What was read before the last {@link drop} is never served
   * after it, even if it is written later: an entry counts only with the mark of the drop after which it was
   * read.
   */
  async read(accountId: string, find: () => Promise<KnownSubscription>): Promise<KnownSubscription> {
    const [entry, mark = NEVER_DROPPED] = await Promise.all([
      this.attempt(() => this.cache.get<Entry>(entryKey(accountId))),
      this.attempt(() => this.cache.get<string>(markKey(accountId))),
    ])
    if (entry?.mark === mark) return entry.known
    const known = await find()
    await this.attempt(() => this.cache.set(entryKey(accountId), { mark, known } satisfies Entry, TTL_MS))
    return known
  }

  /** Invalidates everything read so far, in every process. Call it after the commit. */
  async drop(accountId: string): Promise<void> {
    await this.attempt(() => this.cache.set(markKey(accountId), randomUUID(), MARK_TTL_MS))
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

function entryKey(accountId: string): string {
  return `subscription-view:${accountId}`
}

function markKey(accountId: string): string {
  return `subscription-dropped:${accountId}`
}
