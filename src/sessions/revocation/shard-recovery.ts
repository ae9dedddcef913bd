import { randomUUID } from 'node:crypto'
import { Logger } from '@nestjs/common'
import type { Database } from '../../database/database.js'
import { dropLease, holdLease } from '../../database/lease.js'
import type { RedisConnection } from '../../redis/redis-connection.js'
import { RedisChanges } from '../redis-changes.js'
import { changesOf, type StoreChanges } from '../session-change.js'
import type { ChangeHistory } from './change-history.js'
import type { Markers } from './markers.js'
import { LostStoreError, NotYetError } from './shard-gate.js'
import type { StoreGeneration } from './store-generation.js'

/** Up to here every process repeats them by itself; for more they take turns, and the next has less to do. */
const FEW = 10_000
/** Renewed with every page. */
const LEASE_SECONDS = 10
const LEASE = 'session-replay'

/** What is known of a shard when it is to be opened. */
export interface ShardBefore {
  /** Of the server that was open last; null when what it lacks has to be looked up. */
  readonly identity: string | null
  /** Changes that did not get through to it. */
  readonly waiting: StoreChanges
}

/** Brings a shard up to date that may have lost its newest writes. */
export class ShardRecovery {
  private readonly logger = new Logger('SessionStore')
  private readonly holder = randomUUID()
  private readonly changes: RedisChanges
  private initializing: Promise<void> | undefined

  constructor(
    private readonly redis: RedisConnection,
    private readonly database: Database,
    private readonly history: ChangeHistory,
    private readonly generation: StoreGeneration,
    private readonly markers: Markers,
  ) {
    this.changes = new RedisChanges(redis)
  }

  /**
   * Resolves when the shard knows of every change, with the identity of its server. Throws when it must stay shut:
   * {@link LostStoreError} when its data is gone, {@link NotYetError} when another process is at work on it.
   */
  async recover(shard: string, { identity: before, waiting }: ShardBefore): Promise<string> {
    const facts = await this.redis.factsOf(shard)
    const { identity } = facts
    if (!facts.isMaster) throw new Error('its server is a replica')
    await this.tell(waiting)
    // The very process that answered before, and no replica meanwhile: it has lost nothing. No database is needed.
    if (identity !== before) await this.repeatMissing(shard)
    // Nothing waits for it: no replica evicts before it takes over, and then the shard is looked at again.
    void this.redis.reportReplicas(facts)
    return identity
  }

  /** Repeats every recorded change, and writes all markers anew: for a store that is new, or whose loss is accepted. */
  async repeatAll(): Promise<void> {
    const generation = await this.generation.current()
    const settled = await this.history.settledId()
    await this.repeatAfter(0, () => true)
    await this.markers.writeAll(generation, settled)
    await this.generation.setInitialized()
  }

  private async repeatMissing(shard: string): Promise<void> {
    if (!(await this.generation.isInitialized())) await this.initialize()
    const lowest = await this.markers.lowestOn(shard, await this.generation.current())
    if (lowest === null) throw new LostStoreError('its data is gone')
    if (lowest !== Infinity && lowest > (await this.history.newestId()))
      throw new LostStoreError('it knows of changes that the database does not have')
    if (lowest === Infinity) return
    const page = await this.history.pageAfter(lowest, FEW)
    if (page.count === FEW) await this.repeatInTurn(shard, lowest)
    else await this.tell(changesOf(page.changes, this.isOn(shard)))
  }

  private async repeatInTurn(shard: string, lowest: number): Promise<void> {
    const lease = `${LEASE} ${shard}`
    if (!(await holdLease(this.database, lease, this.holder, LEASE_SECONDS)))
      throw new NotYetError('another process brings it up to date')
    try {
      const settled = await this.history.settledId(lowest)
      const count = await this.repeatAfter(lowest, this.isOn(shard), () =>
        holdLease(this.database, lease, this.holder, LEASE_SECONDS),
      )
      // Only for whoever comes after us; a server without memory left refuses it.
      await this.markers.raiseOn(shard, await this.generation.current(), lowest, settled).catch(() => {})
      this.logger.warn(`Told ${shard} again of ${count} changes`)
    } finally {
      await dropLease(this.database, lease, this.holder)
    }
  }

  private initialize(): Promise<void> {
    this.initializing ??= this.repeatAll().finally(() => {
      this.initializing = undefined
    })
    return this.initializing
  }

  private async repeatAfter(
    id: number,
    isConcerned: Parameters<typeof changesOf>[1],
    afterPage: () => Promise<unknown> = async () => {},
  ): Promise<number> {
    for (let count = 0, after = id; ; ) {
      const page = await this.history.pageAfter(after, FEW)
      await this.tell(changesOf(page.changes, isConcerned))
      count += page.count
      if (page.lastId === null || page.count < FEW) return count
      after = page.lastId
      await afterPage()
    }
  }

  private async tell(changes: StoreChanges): Promise<void> {
    const [failure] = await this.changes.apply(changes)
    if (failure) throw failure.error
  }

  private isOn(shard: string): Parameters<typeof changesOf>[1] {
    return sid => this.changes.shardOf(sid) === shard
  }
}
