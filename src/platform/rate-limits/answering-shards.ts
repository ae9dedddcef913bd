import { Logger } from '../log.js'
import type { RedisConnection } from '../redis/redis.js'
import { Throttle, within } from '../time.js'
import { nameOf } from './shared-counters.js'

/**
 * The fraction of a Redis command's time limit that a count may take, because a login also waits for the
 * session store.
 */
const SHARE_OF_TIMEOUT = 0.5
/** How long to leave a shard alone after it failed to answer. */
const PAUSE_MS = 1_000
const LOG_EVERY_MS = 10_000

/** The keys that one script may use, by their positions in a list. */
export interface ShardPositions {
  readonly shard: string
  readonly positions: readonly number[]
}

/** Which shards of Redis are counting now. One that has failed to answer is left alone for a while. */
export class AnsweringShards {
  private readonly logger = new Logger('RateLimits')
  /** The shards that have failed to answer, and when to ask each again, by performance.now(). */
  private readonly silent = new Map<string, number>()
  private readonly errorLines = new Throttle(LOG_EVERY_MS)

  constructor(private readonly redis: RedisConnection) {}

  get silentCount(): number {
    return this.silent.size
  }

  /** If so, no script may use several keys. */
  get isCluster(): boolean {
    return this.redis.isCluster
  }

  /** The shard of this key; null while it does not answer or has no master. */
  of(key: string): string | null {
    const shard = this.redis.shardOf(nameOf(key))
    return shard === null || this.silent.has(shard) ? null : shard
  }

  /**
   * The positions of the keys whose shards answer, in groups of one script call each: all together or, in a
   * cluster, each alone.
   */
  groups(keys: readonly string[]): readonly ShardPositions[] {
    const alone = keys.flatMap((key, position) => {
      const shard = this.of(key)
      return shard === null ? [] : { shard, positions: [position] }
    })
    const [first] = alone
    if (this.isCluster || !first) return alone
    return [{ shard: first.shard, positions: alone.flatMap(each => each.positions) }]
  }

  /** What `work` resolves to; null when this shard does not answer in time. */
  async ask<R>(shard: string, work: () => Promise<R>): Promise<R | null> {
    try {
      return await within(this.patienceMs, work())
    } catch (error) {
      this.silence(shard, error as Error)
      return null
    }
  }

  /** The same for the only shard; null also while it is left alone. */
  async askOnly<R>(work: () => Promise<R>): Promise<R | null> {
    const [shard] = this.redis.shards()
    if (shard === undefined || this.silent.has(shard)) return null
    return this.ask(shard, work)
  }

  /**
   * Pings the silent shards that are due, before they are sent anything that changes a counter: a Redis that
   * hangs executes everything it was sent once it wakes up, even what has been sent again since. False when
   * there was none to ask.
   */
  async askSilent(): Promise<boolean> {
    const now = performance.now()
    const due = [...this.silent].filter(([, askAt]) => askAt <= now).map(([shard]) => shard)
    // So that requests that arrive meanwhile do not wait too.
    for (const shard of due) this.silent.set(shard, now + PAUSE_MS)
    await Promise.all(
      due.map(async shard => {
        if (!this.redis.shards().includes(shard)) return this.silent.delete(shard)
        const ping = this.redis.onShard(shard, server => server.ping())
        const hasAnswered = await within(this.patienceMs, ping).then(Boolean, () => false)
        if (hasAnswered) this.silent.delete(shard)
      }),
    )
    return due.length > 0
  }

  private get patienceMs(): number {
    return SHARE_OF_TIMEOUT * this.redis.timeoutMs
  }

  /** Whatever is wrong with Redis, people can log in, and nobody gets unlimited guesses. */
  private silence(shard: string, { message, cause }: Error): void {
    this.silent.set(shard, performance.now() + PAUSE_MS)
    if (!this.errorLines.take()) return
    const reason = (cause as Error | undefined)?.message ?? message
    this.logger.error(`Attempts are counted in each process only: ${reason}`)
  }
}
