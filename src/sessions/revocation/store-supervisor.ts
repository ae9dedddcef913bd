import { randomUUID } from 'node:crypto'
import { Inject, Injectable } from '@nestjs/common'
import { Database } from '../../platform/database/database.js'
import { causeMessage } from '../../platform/errors/api-error.js'
import { dropLease, holdLease } from '../../platform/jobs.js'
import { Logger } from '../../platform/log.js'
import { Metrics } from '../../platform/metrics.js'
import { RedisConnection } from '../../platform/redis/redis.js'
import { RedisChanges } from '../redis-session.js'
import { ShardGates, type ShardStatus } from './gates.js'
import { type Acceptance, type AcceptedShard, LossAcceptance } from './loss-acceptance.js'
import { type ChangeHistory, ChangeReplay, Markers, ShardRecovery } from './replay.js'

const EVERY_MS = 1_000
/**
 * Another replica takes over this long after the last sign of life; together with the interval, a change is
 * applied within 5 s, whatever dies.
 */
const LEASE_SECONDS = 3
const LEASE = 'session-changes'
/** How long a change is repeated every second; after that, less often, together with those of the last minute. */
const RECENT_SECONDS = 5
const MARKERS_EVERY_MS = 10_000
/** Long enough for another replica to take the lease, since each tries every second. */
const STEP_ASIDE_MS = 3_000

/**
 * Applies every change again for a minute, on one replica at a time: the replica that made it may have died
 * before it told Redis, or may have told a server that was being replaced. Older changes are settled, as the
 * markers record.
 */
class ChangeApplier {
  private readonly logger = new Logger('ChangeApplier')
  private readonly holder = randomUUID()
  private timer: NodeJS.Timeout | undefined
  private isRunning = false
  /** Everything up to this id is older than {@link RECENT_SECONDS}; null while another replica does the work. */
  private recent: number | null = null
  /** What each shard's markers vouch for. */
  private readonly settled = new Map<string, number>()
  /** The newest change seen in the database. */
  private newest = 0
  /** The newest change that Redis has been told of; null while another replica does the work. */
  private publishedNewest: number | null = null
  private markedAt = Number.NEGATIVE_INFINITY
  private steppedAsideAt = Number.NEGATIVE_INFINITY

  constructor(
    private readonly database: Database,
    private readonly history: ChangeHistory,
    private readonly markers: Markers,
    private readonly changes: RedisChanges,
    private readonly gates: ShardGates,
  ) {}

  start(): void {
    this.timer = setInterval(() => void this.run(), EVERY_MS)
    this.timer.unref()
  }

  close(): void {
    clearInterval(this.timer)
  }

  /** One pass, if this replica has the lease. Never throws: there is another one in a second. */
  private async run(): Promise<void> {
    if (this.isRunning || performance.now() - this.steppedAsideAt < STEP_ASIDE_MS) return
    this.isRunning = true
    try {
      await this.detectLostCommits()
      if (!(await this.holdLease())) this.forgetProgress()
      else if (!(await this.applyPending())) await this.stepAside()
    } catch (error) {
      this.logger.debug(`Applying session changes failed and will be retried: ${causeMessage(error)}`)
    } finally {
      this.isRunning = false
    }
  }

  /** Detects that the database has gone back to an older state, while this process runs or before. */
  private async detectLostCommits(): Promise<void> {
    const { assigned, committed } = await this.history.newest()
    if (assigned >= this.newest) {
      this.newest = Math.max(this.newest, committed)
      return
    }
    this.newest = committed
    this.forgetProgress()
    this.gates.markAllStale('the database has lost changes')
  }

  private forgetProgress(): void {
    this.recent = null
    this.publishedNewest = null
    this.settled.clear()
  }

  /** Lets another replica take over, which may be able to reach what this one cannot. */
  private async stepAside(): Promise<void> {
    this.forgetProgress()
    this.steppedAsideAt = performance.now()
    await dropLease(this.database, LEASE, this.holder)
  }

  /** Returns whether every shard has been told of everything. */
  private async applyPending(): Promise<boolean> {
    await this.publishNewest()
    const isDue = performance.now() - this.markedAt >= MARKERS_EVERY_MS
    if (this.recent === null || isDue) return this.applyUnsettled()
    const { count, failed } = await this.applyAfter(this.recent)
    // If there is nothing new, start from the same place in a second.
    if (count > 0) this.recent = await this.history.settledId(this.recent, RECENT_SECONDS)
    return failed.size === 0 && this.gates.areAllOpen()
  }

  /** Tells Redis how new the database is, for a service that is started on an older one. */
  private async publishNewest(): Promise<void> {
    this.publishedNewest ??= await this.markers.newestKnown()
    if (this.newest <= this.publishedNewest) return
    if (await this.markers.setNewestKnown(this.newest)) this.publishedNewest = this.newest
  }

  /** Applies everything that no marker vouches for, then raises the markers to what is old enough. */
  private async applyUnsettled(): Promise<boolean> {
    const { shards, staleCount } = this.gates.openShards()
    await this.learnMarkers(shards)
    const known = shards.flatMap(shard => this.settled.get(shard) ?? [])
    if (known.length === 0) return false
    const from = Math.min(...known)
    const { failed } = await this.applyAfter(from)
    this.recent = await this.history.settledId(from, RECENT_SECONDS)
    const next = await this.history.settledId(from)
    for (const shard of shards)
      if (!failed.has(shard) && this.gates.isOpenSince(shard, staleCount)) await this.raise(shard, next)
    this.markedAt = performance.now()
    return failed.size === 0 && this.gates.areAllOpen()
  }

  private async learnMarkers(shards: readonly string[]): Promise<void> {
    for (const shard of this.settled.keys()) if (!shards.includes(shard)) this.settled.delete(shard)
    for (const shard of shards) {
      if (this.settled.has(shard)) continue
      const { lowest, areComplete } = await this.markers.findOn(shard)
      if (!areComplete) this.gates.markStale(shard, 'data is missing', { mayHaveLost: true })
      else if (lowest !== Infinity) this.settled.set(shard, lowest)
    }
  }

  private async raise(shard: string, next: number): Promise<void> {
    const from = this.settled.get(shard)
    if (from === undefined || from >= next) return
    const isRaised = await this.markers.raiseOn(shard, from, next)
    if (isRaised) this.settled.set(shard, next)
    // A slot has moved here, or data is gone: checked in the next pass.
    else this.settled.delete(shard)
  }

  private async applyAfter(
    id: number,
  ): Promise<{ readonly count: number; readonly failed: ReadonlySet<string | null> }> {
    const failed = new Set<string | null>()
    let count = 0
    for await (const page of this.history.pagesAfter(id)) {
      for (const { shard } of await this.changes.apply(page.changes)) failed.add(shard)
      count += page.count
      if (!page.isLast && !(await this.holdLease())) throw new Error('another replica has taken over')
    }
    return { count, failed }
  }

  private holdLease(): Promise<boolean> {
    return holdLease(this.database, LEASE, this.holder, LEASE_SECONDS)
  }
}

/** How long the start waits for slow servers; after that, it serves what is available. */
const PATIENCE_MS = 10_000

/** Makes sure that a Redis with sessions serves nothing that has ended, and that data loss is noticed. */
export class StoreSupervisor {
  readonly gates: ShardGates
  private readonly recovery: ShardRecovery
  private readonly acceptance: LossAcceptance
  private readonly applier: ChangeApplier

  constructor(redis: RedisConnection, database: Database, history: ChangeHistory) {
    const changes = new RedisChanges(redis)
    const replay = new ChangeReplay(history, changes)
    this.gates = new ShardGates(redis)
    const markers = new Markers(redis, database, history)
    this.recovery = new ShardRecovery(redis, database, history, replay, markers)
    this.acceptance = new LossAcceptance(redis, database, history, replay, markers)
    this.applier = new ChangeApplier(database, history, markers, changes, this.gates)
  }

  /** For the service: resolves when every shard that can serve is open. */
  async start(): Promise<void> {
    await this.gates.watch(this.recovery, PATIENCE_MS)
    this.applier.start()
  }

  /**
   * Accepts what is left of a store that lost its data, and takes over one that belonged to another
   * installation; running services open by themselves. See {@link LossAcceptance.accept}.
   */
  acceptLoss({
    isRestored = false,
    onWait = () => {},
  }: Partial<Acceptance> = {}): Promise<readonly AcceptedShard[]> {
    return this.acceptance.accept({ isRestored, onWait })
  }

  /** The state of each shard. */
  status(): ShardStatus[] {
    return this.gates.status()
  }

  onApplicationShutdown(): void {
    this.applier.close()
    this.gates.close()
  }
}

/** Reports the gates of the Redis shards, numbered in the order of their addresses. */
@Injectable()
export class GateMetrics {
  constructor(
    /** Null where sessions are in the database. */
    @Inject(StoreSupervisor) private readonly supervisor: StoreSupervisor | null,
    metrics: Metrics,
  ) {
    metrics.gauge({
      name: 'store_gate_open',
      help: 'Whether the sessions of the shard are served: 1 or 0',
      label: 'shard',
      read: () => this.byShard(({ isOpen }) => (isOpen ? 1 : 0)),
    })
    metrics.gauge({
      name: 'store_gate_since_timestamp_seconds',
      help: 'Since when the gate of the shard has been open or shut, in seconds since 1970',
      label: 'shard',
      read: () => this.byShard(({ since }) => (performance.timeOrigin + since) / 1000),
    })
    metrics.gauge({
      name: 'store_changes_waiting',
      help: 'Changes, such as logouts, that the shard has to be told of before its gate opens',
      label: 'shard',
      read: () => this.byShard(({ waiting }) => waiting),
    })
  }

  private byShard(value: (status: ShardStatus) => number): Record<string, number> {
    const shards =
      this.supervisor?.status().toSorted((one, other) => (one.shard < other.shard ? -1 : 1)) ?? []
    return Object.fromEntries(shards.map((status, index) => [String(index), value(status)]))
  }
}
