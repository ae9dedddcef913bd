import { randomUUID } from 'node:crypto'
import type { Database } from '../../platform/database/database.js'
import { dropLease, holdLease } from '../../platform/jobs.js'
import { Logger } from '../../platform/log.js'
import type { RedisConnection } from '../../platform/redis/redis.js'
import type { SessionHandle } from '../session.js'
import type { StoreChanges } from '../stores/session-store.js'
import type { ChangeHistory } from './change-history.js'
import type { ChangeReplay } from './change-replay.js'
import type { Markers } from './markers.js'

/** Renewed with every page. */
const LEASE_SECONDS = 10
const LEASE = 'session-replay'

/** What is known about a shard before it opens. */
export interface ShardBefore {
  /** The server that was open last; null when what it lacks must be looked up. */
  readonly identity: string | null
  /** Changes that did not reach it. */
  readonly waiting: StoreChanges
}

/** Brings a shard up to date that may have lost its newest writes. */
export class ShardRecovery {
  private readonly logger = new Logger('SessionStore')
  private readonly holder = randomUUID()
  private initializing: Promise<void> | undefined

  constructor(
    private readonly redis: RedisConnection,
    private readonly database: Database,
    private readonly history: ChangeHistory,
    private readonly replay: ChangeReplay,
    private readonly markers: Markers,
  ) {}

  /**
   * Resolves with the identity of the server when the shard knows every change. Throws when it must stay
   * shut: {@link LostStoreError} when its data is gone, {@link ForeignStoreError} when its data is another
   * installation's, {@link NotYetError} when another process is working on it.
   */
  async recover(shard: string, { identity: before, waiting }: ShardBefore): Promise<string> {
    const facts = await this.redis.factsOf(shard)
    const { identity } = facts
    if (!facts.isMaster) throw new Error('its server is a replica')
    await this.replay.applyToStore(waiting)
    // The same process that answered before, and never a replica since: it has lost nothing, and the database
    // is not needed.
    if (identity !== before) await this.repeatMissing(shard)
    // Not awaited: a replica does not evict before it takes over, and then the shard is checked again.
    void this.redis.replicaPolicies.report(facts.replicas)
    return identity
  }

  /** Whether the partition of the session has its marker. */
  hasMarkerFor(sid: SessionHandle): Promise<boolean> {
    return this.markers.hasMarkerFor(sid)
  }

  private async repeatMissing(shard: string): Promise<void> {
    if (!(await this.markers.areInitialized())) await this.initialize()
    const lowest = await this.lowestMarkerOn(shard)
    // A shard without slots cannot lack anything.
    if (lowest === Infinity) return
    if (!(await this.replay.fewAfter(lowest, this.replay.isOn(shard)))) await this.repeatInTurn(shard, lowest)
  }

  /** Throws when the markers do not fit the database. */
  private async lowestMarkerOn(shard: string): Promise<number> {
    const state = await this.markers.stateOf(shard)
    if (state.is === 'foreign') throw new ForeignStoreError()
    if (state.is === 'incomplete') throw new LostStoreError('its data is gone')
    if (state.is === 'ahead') throw new LostStoreError('it knows of changes that the database does not have')
    return state.lowest
  }

  private async repeatInTurn(shard: string, lowest: number): Promise<void> {
    const lease = `${LEASE} ${shard}`
    if (!(await holdLease(this.database, lease, this.holder, LEASE_SECONDS)))
      throw new NotYetError('another process brings it up to date')
    try {
      const settled = await this.history.settledId(lowest)
      const count = await this.replay.allAfter(lowest, this.replay.isOn(shard), () =>
        holdLease(this.database, lease, this.holder, LEASE_SECONDS),
      )
      // Only speeds up later runs; a server that is out of memory refuses it.
      await this.markers.raiseOn(shard, lowest, settled).catch(() => {})
      this.logger.warn(`Applied ${count} changes to ${shard} again`)
    } finally {
      await dropLease(this.database, lease, this.holder)
    }
  }

  /**
   * For an installation that has not used Redis before: claims this one, unless it belongs to another
   * installation.
   */
  private initialize(): Promise<void> {
    this.initializing ??= this.claimStore().finally(() => {
      this.initializing = undefined
    })
    return this.initializing
  }

  private async claimStore(): Promise<void> {
    if (await this.markers.belongToOtherDatabase()) throw new ForeignStoreError()
    const settled = await this.history.settledId()
    await this.replay.allAfter(0)
    if (!(await this.markers.claimAll(settled))) throw new ForeignStoreError()
    await this.markers.setInitialized()
  }
}

/** The sessions of the shard are gone: it was emptied, or is a different Redis. An operator must decide. */
export class LostStoreError extends Error {
  constructor(reason: string) {
    super(`${reason}. Restore it, or let everybody concerned log in again: npm run cli -- store:accept-loss`)
  }
}

/** The sessions on the shard belong to a service with another database. Nothing is overwritten. */
export class ForeignStoreError extends Error {
  constructor() {
    super(
      'its sessions belong to another installation, so SESSION_STORE_URL or DATABASE_URL is probably wrong. Correct it; ' +
        'only if that installation is gone, take its Redis over: npm run cli -- store:accept-loss',
    )
  }
}

/** Not possible now, but will pass by itself. */
export class NotYetError extends Error {}
