import { Logger } from '@nestjs/common'
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible'
import { type RedisConnection, within } from '../redis/redis-connection.js'
import { Arrears } from './arrears.js'
import type { Count, Counted } from './count.js'

/** One more in each of some counters. */
export interface Added {
  /** The counters with it. */
  readonly counts: readonly Count[]
  /** Takes it off again, there and only there where it was counted: another's must not go in its stead. */
  giveBack(which?: (key: string) => boolean): Promise<void>
}

/** Whoever logs in also waits for the session store, and 350 ms in all are promised. */
const PATIENCE_MS = 150
/** So long we do not ask a Redis that did not answer. */
const PAUSE_MS = 1_000
const LOG_EVERY_MS = 10_000

/** Adds to a counter, or takes off it what is there: below nothing would be guesses for free. */
const COUNT = `
if tonumber(ARGV[1]) < 0 and tonumber(redis.call('get', KEYS[1]) or '0') <= 0 then return {0, 0} end
redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
return {redis.call('incrby', KEYS[1], ARGV[1]), redis.call('pttl', KEYS[1])}`

const NOTHING: Count = { points: 0, msLeft: 0 }
const PREFIX = 'attempts'

/**
 * Counters that expire, in Redis and so the same for all replicas. This process counts in its memory as well, and by that
 * alone where there is no Redis and while it does not answer. Each method is one round trip, with what is owed before it, and
 * each counter atomic.
 */
export class Counters {
  private readonly logger = new Logger('Attempts')
  private readonly memory = new RateLimiterMemory({ keyPrefix: PREFIX, points: 0, duration: 0 })
  private readonly shared: RateLimiterRedis | null
  private readonly arrears = new Arrears()
  private pausedUntil = Number.NEGATIVE_INFINITY
  private lastLogAt = Number.NEGATIVE_INFINITY

  constructor(private readonly redis: RedisConnection | null) {
    this.shared =
      redis &&
      new RateLimiterRedis({
        storeClient: redis.commands,
        useRedisPackage: true,
        customIncrTtlLuaScript: COUNT,
        keyPrefix: PREFIX,
        points: 0,
        duration: 0,
      })
  }

  /** The counters as they stand, in the order of the keys; looking makes none. */
  async look(keys: readonly string[]): Promise<readonly Count[]> {
    const lookIn = (limiter: RateLimiterAbstract) =>
      Promise.all(
        keys.map(async key => {
          const found = await limiter.get(key)
          return found ? { points: found.consumedPoints, msLeft: found.msBeforeNext } : NOTHING
        }),
      )
    return (await this.ofShared(lookIn)) ?? lookIn(this.memory)
  }

  /** Adds one to each. The window begins with the first. */
  async add(counted: readonly Counted[]): Promise<Added> {
    const addTo = (limiter: RateLimiterAbstract) =>
      Promise.all(
        counted.map(async ({ key, windowSeconds }) => {
          const added = await limiter.penalty(key, 1, { customDuration: windowSeconds })
          return { points: added.consumedPoints, msLeft: added.msBeforeNext }
        }),
      )
    const own = await addTo(this.memory)
    const shared = await this.ofShared(addTo)
    if (!shared && this.shared) this.arrears.add(counted)
    return {
      counts: shared ?? own,
      giveBack: async (which = () => true) => {
        const given = counted.filter(({ key }) => which(key))
        const keys = given.map(({ key }) => key)
        // What was owed may have been told meanwhile.
        const told = new Set(shared ? keys : this.arrears.takeOff(keys))
        await takeOff(this.memory, given)
        await this.ofShared(limiter =>
          takeOff(
            limiter,
            given.filter(({ key }) => told.has(key)),
          ),
        )
      },
    }
  }

  async forget(keys: readonly string[]): Promise<void> {
    const forgetIn = (limiter: RateLimiterAbstract) => Promise.all(keys.map(key => limiter.delete(key)))
    this.arrears.cancel(keys)
    await forgetIn(this.memory)
    const isTold = (await this.ofShared(forgetIn)) !== null
    if (this.shared && !isTold) this.arrears.forget(keys)
  }

  /** What `work` makes of the counters in Redis; null where there is none and while it does not answer. */
  private async ofShared<T>(work: (limiter: RateLimiterAbstract) => Promise<T>): Promise<T | null> {
    const { redis, shared } = this
    if (!redis || !shared || performance.now() < this.pausedUntil) return null
    try {
      return await within(
        PATIENCE_MS,
        // Commands of one tick travel together, in this order.
        redis.run(() => {
          this.arrears.settle(shared)
          return work(shared)
        }),
      )
    } catch (error) {
      this.pause(error as Error)
      return null
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

async function takeOff(limiter: RateLimiterAbstract, counted: readonly Counted[]): Promise<void> {
  await Promise.all(
    counted.map(async ({ key, windowSeconds }) => {
      const { consumedPoints } = await limiter.reward(key, 1, { customDuration: windowSeconds })
      // Its window has ended meanwhile.
      if (consumedPoints < 0) await limiter.delete(key)
    }),
  )
}
