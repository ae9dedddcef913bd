import { Logger } from '@nestjs/common'
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible'
import { type RedisConnection, within } from '../redis/redis-connection.js'

/** How far a counter has come. */
export interface Count {
  readonly points: number
  /** Until it begins anew. */
  readonly msLeft: number
}

/** What to count, and how long from the first time on. */
export interface Counted {
  readonly key: string
  readonly windowSeconds: number
}

/** Whoever logs in also waits for the session store, and 350 ms in all are promised. */
const PATIENCE_MS = 150
/** So long we do not ask a Redis that did not answer. */
const PAUSE_MS = 1_000
const LOG_EVERY_MS = 10_000

const NOTHING: Count = { points: 0, msLeft: 0 }
const PREFIX = 'attempts'

/**
 * Counters that expire, in Redis and so the same for all replicas; in the memory of this process where there is no
 * Redis and while it does not answer. Each method is one round trip, and each counter atomic.
 */
export class Counters {
  private readonly logger = new Logger('Attempts')
  private readonly memory = new RateLimiterMemory({ keyPrefix: PREFIX, points: 0, duration: 0 })
  private readonly shared: RateLimiterRedis | null
  private pausedUntil = Number.NEGATIVE_INFINITY
  private lastLogAt = Number.NEGATIVE_INFINITY

  constructor(private readonly redis: RedisConnection | null) {
    this.shared =
      redis &&
      new RateLimiterRedis({
        storeClient: redis.commands,
        useRedisPackage: true,
        keyPrefix: PREFIX,
        points: 0,
        duration: 0,
      })
  }

  /** The counters as they stand, in the order of the keys; looking makes none. */
  look(keys: readonly string[]): Promise<Count[]> {
    return this.each(keys, async (limiter, key) => {
      const found = await limiter.get(key)
      return found ? { points: found.consumedPoints, msLeft: found.msBeforeNext } : NOTHING
    })
  }

  /** Adds one to each; the counters with it. The window begins with the first. */
  add(counted: readonly Counted[]): Promise<Count[]> {
    return this.each(counted, async (limiter, { key, windowSeconds }) => {
      const added = await limiter.penalty(key, 1, { customDuration: windowSeconds })
      return { points: added.consumedPoints, msLeft: added.msBeforeNext }
    })
  }

  /** Takes one off each that is above nothing. */
  async giveBack(counted: readonly Counted[]): Promise<void> {
    await this.each(counted, async (limiter, { key, windowSeconds }) => {
      const { consumedPoints } = await limiter.reward(key, 1, { customDuration: windowSeconds })
      // It was counted elsewhere, or has expired since: what is below nothing would be guesses for free.
      if (consumedPoints < 0) await limiter.delete(key)
    })
  }

  async forget(keys: readonly string[]): Promise<void> {
    await this.each(keys, (limiter, key) => limiter.delete(key))
  }

  private async each<T, R>(
    items: readonly T[],
    work: (limiter: RateLimiterAbstract, item: T) => Promise<R>,
  ): Promise<R[]> {
    const all = (limiter: RateLimiterAbstract) => Promise.all(items.map(item => work(limiter, item)))
    const { redis, shared } = this
    if (!redis || !shared || performance.now() < this.pausedUntil) return all(this.memory)
    try {
      // Commands of one tick travel together.
      return await within(
        PATIENCE_MS,
        redis.run(() => all(shared)),
      )
    } catch (error) {
      this.pause(error as Error)
      return all(this.memory)
    }
  }

  /** Whatever is wrong with Redis, people can log in and nobody can guess without end. */
  private pause({ message, cause }: Error): void {
    this.pausedUntil = performance.now() + PAUSE_MS
    if (performance.now() - this.lastLogAt < LOG_EVERY_MS) return
    this.lastLogAt = performance.now()
    const reason = (cause as Error | undefined)?.message ?? message
    this.logger.error(`Attempts are counted by each process for itself: ${reason}`)
  }
}
