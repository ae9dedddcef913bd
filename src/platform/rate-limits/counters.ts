import type { RedisConnection } from '../redis/redis.js'
import { AnsweringShards, type ShardPositions } from './answering-shards.js'
import { OwnCounters } from './own-counters.js'
import {
  type Count,
  type Increment,
  type LimitedCounter,
  SharedCounters,
  type WhenFull,
} from './shared-counters.js'
import { UnsentChanges } from './unsent-changes.js'

/** The result of adding one to each of several counters. */
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
 * Counters that expire, shared by all replicas through Redis. Each process also counts in memory, and relies
 * on that alone when there is no Redis, or while it does not answer. Each method is one round trip; each
 * counter is atomic.
 */
export class Counters {
  private readonly own = new OwnCounters()
  private readonly shared: { readonly counters: SharedCounters; readonly shards: AnsweringShards } | null
  /** Null until something could not be sent. */
  private unsent: UnsentChanges | null = null

  constructor(redis: RedisConnection | null) {
    this.shared = redis && { counters: new SharedCounters(redis), shards: new AnsweringShards(redis) }
  }

  /** How many shards have failed to answer and have not answered since. */
  get silentShards(): number {
    return this.shared?.shards.silentCount ?? 0
  }

  /** The state of the counters, in the order of the keys. Reading does not create any. */
  async read(keys: readonly string[]): Promise<readonly Count[]> {
    const shared = await this.inShared(keys, (counters, some) => counters.read(some))
    return Promise.all(keys.map((key, index) => shared[index] ?? this.own.read(key)))
  }

  /**
   * Like {@link add}, but only if none of them is full. Where one script may use them all, it is one round
   * trip, and atomic.
   */
  addUnlessFull(limited: readonly LimitedCounter[]): Promise<Added | Full> {
    return this.addWithin(limited, 'refuse')
  }

  /** The same, even if some are full. */
  async addEvenIfFull(limited: readonly LimitedCounter[]): Promise<Added> {
    return (await this.addWithin(limited, 'count')) as Added
  }

  /** Adds one to each. A counter's window begins with its first count. */
  async add(increments: readonly Increment[]): Promise<Added> {
    const own = await Promise.all(increments.map(each => this.own.add(each)))
    const shared = await this.inShared(increments, (counters, some) => counters.count(1, some))
    this.keepUnsent(increments, shared, (unsent, missed) => unsent.add(missed))
    return {
      counts: own.map((count, index) => shared[index] ?? count),
      refund: this.refundOf(increments),
    }
  }

  async forget(keys: readonly string[]): Promise<void> {
    this.unsent?.cancel(keys)
    await Promise.all(keys.map(key => this.own.forget(key)))
    const sent = await this.inShared(keys, (counters, some) => counters.forget(some))
    this.keepUnsent(keys, sent, (unsent, missed) => unsent.reset(missed))
  }

  private async addWithin(limited: readonly LimitedCounter[], whenFull: WhenFull): Promise<Added | Full> {
    const shared = await this.inOneShard(counters => counters.countLimited(limited, whenFull))
    if (!shared) return this.readThenAdd(limited, whenFull)
    const { isCounted, counts } = shared
    if (!isCounted) return { counts, refund: null }
    const counted = zip(limited, counts).map(([{ key }, { msLeft }]) => ({
      key,
      windowSeconds: Math.max(1, Math.ceil(msLeft / 1000)),
    }))
    await Promise.all(counted.map(each => this.own.add(each)))
    return { counts, refund: this.refundOf(counted) }
  }

  private async readThenAdd(limited: readonly LimitedCounter[], whenFull: WhenFull): Promise<Added | Full> {
    const timesFullKeys = limited.flatMap(({ timesFullKey }) => timesFullKey ?? [])
    const found = await this.read([...limited.map(({ key }) => key), ...timesFullKeys])
    const counts = found.slice(0, limited.length)
    const isFull = zip(limited, counts).some(([{ max }, { points }]) => max !== null && points >= max)
    if (isFull && whenFull === 'refuse') return { counts, refund: null }
    return this.add(
      limited.map(({ key, windowsSeconds, timesFullKey }) => {
        const timesFull = timesFullKey && found[limited.length + timesFullKeys.indexOf(timesFullKey)]?.points
        return { key, windowSeconds: windowsSeconds[timesFull || 0] ?? (windowsSeconds.at(-1) as number) }
      }),
    )
  }

  private refundOf(counted: readonly Increment[]): Added['refund'] {
    return (which = () => true) => this.subtract(counted.filter(({ key }) => which(key)))
  }

  private async subtract(counted: readonly Increment[]): Promise<void> {
    await Promise.all(counted.map(each => this.own.subtract(each)))
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
   * What `work` returns for each item in Redis. Null for those on a shard that does not answer or has no
   * master, and for all without Redis. What the other shards have counted stays counted.
   */
  private async inShared<T extends string | Increment, R>(
    items: readonly T[],
    work: (counters: SharedCounters, some: readonly T[]) => Promise<readonly R[]>,
  ): Promise<readonly (R | null)[]> {
    const { shared } = this
    const found: (R | null)[] = items.map(() => null)
    if (!shared || items.length === 0) return found
    const { counters, shards } = shared
    await this.catchUp(counters, shards)
    const ask = async ({ shard, positions }: ShardPositions) => {
      const some = positions.map(position => items[position] as T)
      const answers = await shards.ask(shard, () => work(counters, some))
      for (const [index, position] of positions.entries()) found[position] = answers?.[index] ?? null
    }
    await Promise.all(shards.groups(items.map(keyOf)).map(ask))
    return found
  }

  /**
   * What `work` returns in Redis. Null where one script may not use all counters, and while Redis does not
   * answer.
   */
  private async inOneShard<R>(work: (counters: SharedCounters) => Promise<R>): Promise<R | null> {
    if (!this.shared) return null
    const { counters, shards } = this.shared
    if (shards.isCluster) return null
    await this.catchUp(counters, shards)
    return shards.askOnly(() => work(counters))
  }

  /** Asks silent shards, and sends those that answer what they missed, both before anything else is sent. */
  private async catchUp(counters: SharedCounters, shards: AnsweringShards): Promise<void> {
    const hasAsked = await shards.askSilent()
    // Commands issued in the same tick are sent together, in this order.
    if (hasAsked || shards.silentCount === 0) this.unsent?.send(counters, key => shards.of(key) !== null)
  }
}

function keyOf(item: string | Increment): string {
  return typeof item === 'string' ? item : item.key
}

function zip<A, B>(some: readonly A[], others: readonly B[]): [A, B][] {
  return some.map((each, index) => [each, others[index] as B])
}
