import { randomUUID } from 'node:crypto'
import { Injectable, Logger } from '@nestjs/common'
import { type Cache, caching } from 'cache-manager'
import { RedisConnection } from '../redis/redis-connection.js'
import type { KnownSubscription } from './subscription-view.js'

/** How long a replica without Redis may be behind; with Redis a webhook drops the entry for all. */
const TTL_MS = 60_000
/** Longer than an entry lives and its reading takes, or an entry from before the drop could count again. */
const MARK_TTL_MS = 2 * TTL_MS
const NEVER_DROPPED = ''
const MAX_ENTRIES_IN_MEMORY = 10_000

interface Entry {
  /** Of the drop that it was read after. */
  readonly mark: string
  readonly known: KnownSubscription
}

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

  /**
   * What is cached, else what `find` reads. What was read before the last {@link drop} is never served after it, also
   * when it is written later: an entry counts only together with the mark of the drop that it was read after.
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

  /** What was read until now counts no more, whoever has it. Call it when the change is committed. */
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
