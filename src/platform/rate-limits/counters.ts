import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  type RateLimiterRes,
} from 'rate-limiter-flexible'
import { Logger } from '../log.js'
import type { RedisConnection } from '../redis/redis.js'
import { SilentShards } from '../redis/silent-shards.js'
import { Throttle, within } from '../time.js'

/** A counter. */
interface Counter {
  readonly key: string
  /** Its lifetime after its first count. */
  readonly windowSeconds: number
}

/** The state of a counter. */
export interface Count {
  readonly points: number
  /** Until it resets. */
  readonly msLeft: number
}

/** The state of a counter to which one was added. */
export interface Added extends Count {
  /** Whether it was counted in Redis, from where it has to be taken off too. */
  readonly isShared: boolean
}

/** The prefix of all keys in Redis. Limits and windows come with each call. */
const OPTIONS = { keyPrefix: 'attempts', points: 0, duration: 0 }

/**
 * The package's own script, but never below zero, which would allow free guesses, when a count is taken off after its
 * window. Adding nothing reads without creating the counter: the package's `get` does not follow a key to another
 * shard. ARGV: how much, the lifetime in seconds.
 */
const NEVER_BELOW_ZERO = `
local points, change = tonumber(redis.call('GET', KEYS[1]) or '0'), tonumber(ARGV[1])
if change == 0 or change < 0 and points <= 0 then return {points, math.max(0, redis.call('PTTL', KEYS[1]))} end
redis.call('SET', KEYS[1], 0, 'EX', ARGV[2], 'NX')
return {redis.call('INCRBY', KEYS[1], change), redis.call('PTTL', KEYS[1])}`

/** The fraction of a Redis command's time limit that a count may take, because a login waits for several. */
const SHARE_OF_TIMEOUT = 0.5
const LOG_EVERY_MS = 10_000

/**
 * Counters that expire, shared by all replicas through Redis; each is atomic. Each process also counts in memory, and
 * relies on that alone when there is no Redis, or while a shard does not answer. So whatever is wrong with Redis, users
 * can log in, and nobody gets more than the limit again from each process. The package's `insuranceLimiter` would begin
 * at zero, wait for a Redis that hangs, and not tell that it counts. Each method is one round trip.
 */
export class Counters {
  private readonly logger = new Logger('RateLimits')
  private readonly errorLines = new Throttle(LOG_EVERY_MS)
  private readonly own = new RateLimiterMemory(OPTIONS)
  private readonly shared: RateLimiterRedis | null
  private readonly silent = new SilentShards()

  constructor(private readonly redis: RedisConnection | null) {
    this.shared =
      redis &&
      new RateLimiterRedis({
        ...OPTIONS,
        storeClient: redis.commands,
        useRedisPackage: true,
        customIncrTtlLuaScript: NEVER_BELOW_ZERO,
      })
  }

  /** How many shards have failed to answer and have not answered since. */
  get silentShards(): number {
    const shards = this.redis?.shards() ?? []
    return shards.filter(shard => this.silent.has(shard)).length
  }

  /** The counters with their state. Reading does not create any. */
  async read<T extends Counter>(counters: readonly T[]): Promise<(T & Count)[]> {
    const look = ({ key }: T, redis: RateLimiterRedis) => redis.penalty(key, 0, { customDuration: 1 })
    const inRedis = await this.inRedis(counters, look, { triesAgain: true })
    const own = await Promise.all(counters.map(({ key }) => this.own.get(key)))
    return counters.map((counter, index) => ({ ...counter, ...countOf(inRedis[index] ?? own[index]) }))
  }

  /** Adds one to each, and returns them with their state afterwards. A window begins with the first count. */
  async add<T extends Counter>(counters: readonly T[]): Promise<(T & Added)[]> {
    const addTo = (limiter: RateLimiterAbstract, { key, windowSeconds }: Counter) =>
      limiter.penalty(key, 1, { customDuration: windowSeconds })
    const own = await Promise.all(counters.map(counter => addTo(this.own, counter)))
    const inRedis = await this.inRedis(counters, (counter, redis) => addTo(redis, counter))
    return counters.map((counter, index) => ({
      ...counter,
      ...countOf(inRedis[index] ?? own[index]),
      isShared: inRedis[index] !== null,
    }))
  }

  /** Takes off again what was added, wherever it was counted. */
  async takeOff(added: readonly (Counter & Added)[]): Promise<void> {
    await Promise.all(
      added.map(async ({ key, windowSeconds }) => {
        const { consumedPoints } = await this.own.reward(key, 1, { customDuration: windowSeconds })
        // The counter's window has ended in the meantime.
        if (consumedPoints < 0) await this.own.delete(key)
      }),
    )
    await this.inRedis(
      added.filter(({ isShared }) => isShared),
      ({ key, windowSeconds }, redis) => redis.reward(key, 1, { customDuration: windowSeconds }),
    )
  }

  /** Resets them. */
  async forget(counters: readonly Counter[]): Promise<void> {
    await Promise.all(counters.map(({ key }) => this.own.delete(key)))
    await this.inRedis(counters, ({ key }, redis) => redis.delete(key))
  }

  /**
   * What `work` resolves to for each, in one round trip. Null for those on a shard that does not answer or has no
   * master, and for all without Redis. Only what changes nothing `triesAgain` after a pause: a Redis that hangs executes
   * whatever it was sent once it wakes up.
   */
  private async inRedis<T extends Counter, R>(
    counters: readonly T[],
    work: (counter: T, limiter: RateLimiterRedis) => Promise<R>,
    { triesAgain = false } = {},
  ): Promise<(R | null)[]> {
    const { redis, shared } = this
    const found: (R | null)[] = counters.map(() => null)
    if (!redis || !shared) return found
    const shards = counters.map(({ key }) => redis.shardOf(shared.getKey(key)))
    const ask = async (shard: string | null) => {
      if (shard === null) return
      if (triesAgain ? this.silent.isLeftAlone(shard) : this.silent.has(shard)) return
      const positions = [...counters.keys()].filter(position => shards[position] === shard)
      const all = () => Promise.all(positions.map(position => work(counters[position] as T, shared)))
      try {
        const answers = await within(SHARE_OF_TIMEOUT * redis.timeoutMs, redis.run(all))
        for (const [index, position] of positions.entries()) found[position] = answers[index] as R
        this.silent.delete(shard)
      } catch (error) {
        this.silence(shard, error as Error)
      }
    }
    await Promise.all([...new Set(shards)].map(ask))
    return found
  }

  private silence(shard: string, { message, cause }: Error): void {
    this.silent.add(shard)
    if (!this.errorLines.take()) return
    const reason = (cause as Error | undefined)?.message ?? message
    this.logger.error(`Attempts are counted in each process only: ${reason}`)
  }
}

/** Null is a counter that does not exist. */
function countOf(found: RateLimiterRes | null | undefined): Count {
  return { points: found?.consumedPoints ?? 0, msLeft: found?.msBeforeNext ?? 0 }
}
