import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { within } from '../clock/clock.js'
import { Logger } from '../log/logger.js'
import type { RedisConnection } from '../redis/redis-connection.js'
import { type Count, type Counted, type Limited, nameOf, SharedCounters } from './shared-counters.js'
import { UnsentChanges } from './unsent-changes.js'

/** One more in each of several counters. */
export interface Added {
  /** Their state afterwards. */
  readonly counts: readonly Count[]
  /** Takes it off again, now or as soon as Redis answers. */
  refund(which?: (key: string) => boolean): Promise<void>
}

/** Nothing was added, because one of them is full. */
interface Full extends Pick<Added, 'counts'> {
  readonly refund: null
}

/**
 * The share of a Redis command's time limit that a count may take, because a login also waits for the session
 * store.
 */
const PATIENCE = 0.5
/** How long a shard is not asked after it failed to answer. */
const PAUSE_MS = 1_000
const LOG_EVERY_MS = 10_000

const NOTHING: Count = { points: 0, msLeft: 0 }

/**
 * Counters that expire, shared by all replicas through Redis. Each process counts in memory too, and by that
 * alone without Redis or while it does not answer. Each method is one round trip; each counter is atomic.
 */
export class Counters {
  private readonly logger = new Logger('RateLimits')
  private readonly memory = new RateLimiterMemory({ points: 0, duration: 0 })
  private readonly shared: SharedCounters | null
  /** Null until something could not be sent. */
  private unsent: UnsentChanges | null = null
  /** The shards that have failed to answer, and when to ask each again, by performance.now(). */
  private readonly silent = new Map<string, number>()
  private lastLogAt = Number.NEGATIVE_INFINITY

  constructor(private readonly redis: RedisConnection | null) {
    this.shared = redis && new SharedCounters(redis)
  }

  /** How many shards have failed to answer and have not been heard of since. */
  get silentShards(): number {
    return this.silent.size
  }

  /** The state of the counters, in the order of the keys. Reading creates none. */
  async read(keys: readonly string[]): Promise<readonly Count[]> {
    const shared = await this.inShared(keys, (counters, some) => counters.read(some))
    return Promise.all(keys.map((key, index) => shared[index] ?? readOwn(this.memory, key)))
  }

  /**
   * Like {@link add}, if none of them is full. Where one script may have them all, it is one round trip, and nothing
   * comes between.
   */
  addUnlessFull(limited: readonly Limited[]): Promise<Added | Full> {
    return this.addWithin(limited, false)
  }

  /** The same, even if some are full. */
  async addEvenIfFull(limited: readonly Limited[]): Promise<Added> {
    return (await this.addWithin(limited, true)) as Added
  }

  /** Adds one to each. The window begins with the first. */
  async add(counted: readonly Counted[]): Promise<Added> {
    const own = await Promise.all(counted.map(each => addOwn(this.memory, each)))
    const shared = await this.inShared(counted, (counters, some) => counters.count(1, some))
    this.keepUnsent(counted, shared, (unsent, missed) => unsent.add(missed))
    return {
      counts: own.map((count, index) => shared[index] ?? count),
      refund: this.refundOf(counted),
    }
  }

  async forget(keys: readonly string[]): Promise<void> {
    this.unsent?.cancel(keys)
    await Promise.all(keys.map(key => this.memory.delete(key)))
    const sent = await this.inShared(keys, (counters, some) => counters.forget(some))
    this.keepUnsent(keys, sent, (unsent, missed) => unsent.reset(missed))
  }

  private async addWithin(limited: readonly Limited[], evenIfFull: boolean): Promise<Added | Full> {
    const shared = await this.inOneShard(counters => counters.countUnlessFull(limited, evenIfFull))
    if (!shared) return this.lookAndAdd(limited, evenIfFull)
    const { isCounted, counts } = shared
    if (!isCounted) return { counts, refund: null }
    const counted = zip(limited, counts).map(([{ key }, { msLeft }]) => ({
      key,
      windowSeconds: Math.max(1, Math.ceil(msLeft / 1000)),
    }))
    await Promise.all(counted.map(each => addOwn(this.memory, each)))
    return { counts, refund: this.refundOf(counted) }
  }

  private async lookAndAdd(limited: readonly Limited[], evenIfFull: boolean): Promise<Added | Full> {
    const timesFullKeys = limited.flatMap(({ timesFullKey }) => timesFullKey ?? [])
    const found = await this.read([...limited.map(({ key }) => key), ...timesFullKeys])
    const counts = found.slice(0, limited.length)
    const isFull = zip(limited, counts).some(([{ max }, { points }]) => max !== null && points >= max)
    if (isFull && !evenIfFull) return { counts, refund: null }
    return this.add(
      limited.map(({ key, windowsSeconds, timesFullKey }) => {
        const timesFull = timesFullKey && found[limited.length + timesFullKeys.indexOf(timesFullKey)]?.points
        return { key, windowSeconds: windowsSeconds[timesFull || 0] ?? (windowsSeconds.at(-1) as number) }
      }),
    )
  }

  private refundOf(counted: readonly Counted[]): Added['refund'] {
    return (which = () => true) => this.subtract(counted.filter(({ key }) => which(key)))
  }

  private async subtract(counted: readonly Counted[]): Promise<void> {
    await Promise.all(counted.map(each => subtractOwn(this.memory, each)))
    const unsent = counted.filter(({ key }) => this.unsent?.willAddTo(key))
    this.unsent?.subtract(unsent)
    const rest = counted.filter(each => !unsent.includes(each))
    const sent = await this.inShared(rest, (counters, some) => counters.count(-1, some))
    // Otherwise a right guess would stay counted against everybody in its network.
    this.keepUnsent(rest, sent, (changes, missed) => changes.subtract(missed))
  }

  private keepUnsent<T>(
    items: readonly T[],
    sent: readonly unknown[],
    keep: (unsent: UnsentChanges, missed: readonly T[]) => void,
  ): void {
    const missed = items.filter((_, index) => sent[index] === null)
    if (!this.shared || missed.length === 0) return
    this.unsent ??= new UnsentChanges()
    keep(this.unsent, missed)
  }

  /**
   * What `work` returns for each in Redis. Null for those on a shard that does not answer or has no master,
   * and for all without Redis. What the other shards have counted stays counted.
   */
  private async inShared<T extends string | Counted, R>(
    items: readonly T[],
    work: (counters: SharedCounters, some: readonly T[]) => Promise<readonly R[]>,
  ): Promise<readonly (R | null)[]> {
    const { redis, shared } = this
    const found: (R | null)[] = items.map(() => null)
    if (!redis || !shared || items.length === 0) return found
    await this.catchUp(redis, shared)
    const ask = async (shard: string, places: readonly number[]) => {
      const some = places.map(place => items[place] as T)
      const answers = await this.ask(redis, shard, () => work(shared, some))
      for (const [index, place] of places.entries()) found[place] = answers?.[index] ?? null
    }
    await Promise.all(this.together(redis, items).map(({ shard, places }) => ask(shard, places)))
    return found
  }

  /** What `work` returns in Redis. Null where one script may not have all counters, and while it does not answer. */
  private async inOneShard<R>(work: (counters: SharedCounters) => Promise<R>): Promise<R | null> {
    const { redis, shared } = this
    if (!redis || !shared || redis.isCluster) return null
    await this.catchUp(redis, shared)
    const [shard] = redis.shards()
    if (shard === undefined || this.silent.has(shard)) return null
    return this.ask(redis, shard, () => work(shared))
  }

  /** Asks silent shards and sends what those that answer missed; both before anything else is sent. */
  private async catchUp(redis: RedisConnection, shared: SharedCounters): Promise<void> {
    const hasAsked = await this.askSilentShards(redis)
    // Commands of one tick are sent together, in this order.
    if (hasAsked || this.silent.size === 0)
      this.unsent?.send(shared, key => this.answeringShardOf(redis, key) !== null)
  }

  private async ask<R>(redis: RedisConnection, shard: string, work: () => Promise<R>): Promise<R | null> {
    try {
      return await within(PATIENCE * redis.timeoutMs, work())
    } catch (error) {
      this.silence(shard, error as Error)
      return null
    }
  }

  /** Which of them one script may have, by their places: all, or in a cluster each alone. */
  private together(
    redis: RedisConnection,
    items: readonly (string | Counted)[],
  ): { shard: string; places: number[] }[] {
    const places = items.flatMap((item, place) => {
      const shard = this.answeringShardOf(redis, typeof item === 'string' ? item : item.key)
      return shard === null ? [] : { shard, places: [place] }
    })
    const [first] = places
    if (redis.isCluster || !first) return places
    return [{ shard: first.shard, places: places.flatMap(each => each.places) }]
  }

  private answeringShardOf(redis: RedisConnection, key: string): string | null {
    const shard = redis.shardOf(nameOf(key))
    return shard === null || this.silent.has(shard) ? null : shard
  }

  /**
   * Pings the silent shards whose turn it is, before they are sent anything that changes a counter: a Redis
   * that hangs carries out everything it was sent when it wakes, even what has been sent again since.
   */
  private async askSilentShards(redis: RedisConnection): Promise<boolean> {
    const now = performance.now()
    const due = [...this.silent].filter(([, askAt]) => askAt <= now).map(([shard]) => shard)
    // Requests that come meanwhile do not wait as well.
    for (const shard of due) this.silent.set(shard, now + PAUSE_MS)
    await Promise.all(
      due.map(async shard => {
        if (!redis.shards().includes(shard)) return this.silent.delete(shard)
        const ping = redis.onShard(shard, server => server.ping())
        const hasAnswered = await within(PATIENCE * redis.timeoutMs, ping).then(Boolean, () => false)
        if (hasAnswered) this.silent.delete(shard)
      }),
    )
    return due.length > 0
  }

  /** Whatever is wrong with Redis, people can log in and nobody can guess without limit. */
  private silence(shard: string, { message, cause }: Error): void {
    this.silent.set(shard, performance.now() + PAUSE_MS)
    if (performance.now() - this.lastLogAt < LOG_EVERY_MS) return
    this.lastLogAt = performance.now()
    const reason = (cause as Error | undefined)?.message ?? message
    this.logger.error(`Attempts are counted in each process only: ${reason}`)
  }
}

async function readOwn(memory: RateLimiterMemory, key: string): Promise<Count> {
  const found = await memory.get(key)
  return found ? countOf(found) : NOTHING
}

async function addOwn(memory: RateLimiterMemory, { key, windowSeconds }: Counted): Promise<Count> {
  return countOf(await memory.penalty(key, 1, { customDuration: windowSeconds }))
}

async function subtractOwn(memory: RateLimiterMemory, { key, windowSeconds }: Counted): Promise<void> {
  const { consumedPoints } = await memory.reward(key, 1, { customDuration: windowSeconds })
  // Its window has ended in the meantime.
  if (consumedPoints < 0) await memory.delete(key)
}

function countOf({ consumedPoints, msBeforeNext }: RateLimiterRes): Count {
  return { points: consumedPoints, msLeft: msBeforeNext }
}

function zip<A, B>(some: readonly A[], others: readonly B[]): [A, B][] {
  return some.map((each, index) => [each, others[index] as B])
}
