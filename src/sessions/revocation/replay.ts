import { randomBytes, randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { and, asc, eq, gt, sql } from 'drizzle-orm'
import { Database, rowsOf } from '../../platform/database/database.js'
import { sessionChanges, sessionStore, userSessions } from '../../platform/database/schema/sessions.js'
import { dropLease, holdLease } from '../../platform/jobs.js'
import { Logger } from '../../platform/log.js'
import type { Permissions } from '../../platform/permissions.js'
import { evaluate, type RedisConnection } from '../../platform/redis/redis.js'
import type { ServerCommands } from '../../platform/redis/redis-client.js'
import { Clock } from '../../platform/time.js'
import {
  inBatches,
  markerKey,
  NEWEST_CHANGE_KEY,
  PARTITIONS,
  partitionOf,
  RAISE_MARKER,
  RedisChanges,
} from '../redis-session.js'
import type { SessionHandle } from '../session.js'
import { changesOf, type StoreChanges } from '../session-store.js'

/** A page of the recorded changes, in the order of their ids. */
export interface ChangePage {
  readonly changes: StoreChanges
  /** How many changes there are. */
  readonly count: number
  readonly isLast: boolean
}

const ROWS_A_PAGE = 10_000

/** How long a change is applied repeatedly: the server that was told may have died or been replaced. */
const UNSETTLED_SECONDS = 60

/** Higher than any id. */
const AFTER_ALL = Number.MAX_SAFE_INTEGER

/** Reads the recorded changes, so that they can be applied again. */
@Injectable()
export class ChangeHistory {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** The changes after this id that may still concern a live session, each with the sessions that it concerns now. */
  async *pagesAfter(id: number): AsyncGenerator<ChangePage> {
    for (let after = id, isLast = false; !isLast; ) {
      const { lastId, ...page } = await this.pageAfter(after)
      yield page
      after = lastId
      isLast = page.isLast
    }
  }

  /**
   * The highest id up to which every change was recorded more than `seconds` ago, so that no lower one can
   * appear later. Ids are assigned before commit, so an open transaction may leave a gap; nothing since the
   * start of the oldest open one counts as settled. It is the id of a visible change, because the id just
   * below a change that is too new may be the missing one. At least `settled`, which was settled before.
   */
  async settledId(settled = 0, seconds = UNSETTLED_SECONDS): Promise<number> {
    // A separate statement, and first, so that the second one sees what is committed after it.
    const [horizon] = rowsOf<{ seconds: number }>(
      await this.database.run(db =>
        db.execute(sql`
          select extract(epoch from least(clock_timestamp() - make_interval(secs => ${seconds}), min(xact_start)))::float8 as seconds
          from pg_stat_activity
          where datname = current_database() and backend_xid is not null and pid <> pg_backend_pid()`),
      ),
    )
    const [last] = rowsOf<{ id: string | null }>(
      await this.database.run(db =>
        db.execute(sql`
          with newer as materialized (
            select id, recorded_at from ${sessionChanges} where ${gt(sessionChanges.id, settled)}
          )
          select max(id)::text as id from newer
          where id < coalesce((select min(id) from newer where recorded_at >= to_timestamp(${horizon?.seconds}::float8)), ${AFTER_ALL})`),
      ),
    )
    return Math.max(settled, Number(last?.id ?? 0))
  }

  /** The last assigned id, even if its change was rolled back. */
  async newestId(): Promise<number> {
    return (await this.newest()).assigned
  }

  /**
   * The last assigned id, and the highest id of a committed change; 0 if there is none. The assigned id is
   * never lower than one committed before, whatever server takes over, unless commits are lost.
   */
  async newest(): Promise<{ readonly assigned: number; readonly committed: number }> {
    const [row] = rowsOf<{ assigned: string; committed: string }>(
      await this.database.run(db =>
        db.execute(sql`
          select coalesce(max(id), 0)::text as committed,
            coalesce(pg_sequence_last_value(pg_get_serial_sequence('session_changes', 'id')::regclass), 0)::text as assigned
          from ${sessionChanges}`),
      ),
    )
    return { assigned: Number(row?.assigned ?? 0), committed: Number(row?.committed ?? 0) }
  }

  private async pageAfter(id: number): Promise<ChangePage & { readonly lastId: number }> {
    const sidsNow = sql<SessionHandle[] | null>`case when ${sessionChanges.granted} is not null then array(
      select ${userSessions.sid} from ${userSessions} where ${eq(userSessions.userId, sessionChanges.userId)}) end`
    const rows = await this.database.run(db =>
      db
        .select({
          id: sessionChanges.id,
          sid: sessionChanges.sid,
          granted: sessionChanges.granted,
          sids: sidsNow,
        })
        .from(sessionChanges)
        .where(and(gt(sessionChanges.id, id), gt(sessionChanges.until, this.clock.now())))
        .orderBy(asc(sessionChanges.id))
        .limit(ROWS_A_PAGE),
    )
    return {
      changes: {
        ended: rows.flatMap(({ sid }) => (sid === null ? [] : [sid as SessionHandle])),
        grants: rows.flatMap(({ id: version, granted, sids }) =>
          granted === null ? [] : [{ version, granted: granted as Permissions, sids: sids ?? [] }],
        ),
      },
      count: rows.length,
      isLast: rows.length < ROWS_A_PAGE,
      lastId: rows.at(-1)?.id ?? id,
    }
  }
}

/** Selects the sessions that a replay covers. */
export type IsConcerned = (sid: SessionHandle) => boolean

/** Tells Redis about recorded changes again. Its methods throw when a shard does not accept them. */
export class ChangeReplay {
  constructor(
    private readonly history: ChangeHistory,
    private readonly changes: RedisChanges,
  ) {}

  /**
   * Repeats every change after this one; returns how many there were. `afterPage` runs after each page but
   * the last.
   */
  async allAfter(
    id: number,
    isConcerned: IsConcerned = () => true,
    afterPage: () => Promise<unknown> = async () => {},
  ): Promise<number> {
    let count = 0
    for await (const page of this.history.pagesAfter(id)) {
      await this.applyToStore(changesOf(page.changes, isConcerned))
      count += page.count
      if (!page.isLast) await afterPage()
    }
    return count
  }

  /** Repeats the changes after this one if they fit on one page; otherwise does nothing and returns false. */
  async fewAfter(id: number, isConcerned: IsConcerned): Promise<boolean> {
    const { value: page } = await this.history.pagesAfter(id).next()
    if (!page?.isLast) return false
    await this.applyToStore(changesOf(page.changes, isConcerned))
    return true
  }

  async applyToStore(changes: StoreChanges): Promise<void> {
    const [failure] = await this.changes.apply(changes)
    if (failure) throw failure.error
  }

  /** Selects the sessions that are on this shard at the time of the call. */
  isOn(shard: string): IsConcerned {
    return sid => this.changes.shardOf(sid) === shard
  }
}

/** What the markers of a shard say. */
interface MarkersFound {
  /** The lowest id; Infinity when there is none. */
  readonly lowest: number
  /** Whether every partition has one. */
  readonly areComplete: boolean
  /** Whether one belongs to another installation. */
  readonly belongToOtherDatabase: boolean
}

/** How the data of a shard relates to the database. */
export interface ShardState {
  /**
   * `incomplete`: the data of a partition is gone. `foreign`: some belongs to another installation. `ahead`:
   * it knows changes that the database does not have, because the database is older.
   */
  readonly is: 'complete' | 'incomplete' | 'foreign' | 'ahead'
  /** Every change up to this id is there; Infinity on a shard without slots. Meaningful only when it is complete. */
  readonly lowest: number
}

/**
 * The markers of the partitions: `<generation>:<id>` says that every change up to `id` has been applied to
 * the sessions beside it. It is written after those changes, and a replica that takes over has received
 * writes in order. So the marker shows how much is missing, and a missing marker means that the data is gone.
 * The generation tells which database the sessions belong to.
 */
export class Markers {
  private knownGeneration: string | undefined

  constructor(
    private readonly redis: RedisConnection,
    private readonly database: Database,
    private readonly history: ChangeHistory,
  ) {}

  /** Whether every marker has been written once, so that a missing one means data loss. */
  async areInitialized(): Promise<boolean> {
    return (await this.readGeneration()).isInitialized
  }

  async setInitialized(): Promise<void> {
    await this.database.run(db => db.update(sessionStore).set({ isInitialized: true }))
  }

  /** Whether the partition of this session has a marker of this generation. */
  async hasMarkerFor(sid: SessionHandle): Promise<boolean> {
    const marker = await this.redis.run(commands => commands.get(markerKey(partitionOf(sid))))
    return idOf(marker, await this.generation()) !== null
  }

  /** How the data of the shard relates to the database. */
  async stateOf(shard: string): Promise<ShardState> {
    const { lowest, areComplete, belongToOtherDatabase } = await this.findOn(shard)
    if (belongToOtherDatabase) return { is: 'foreign', lowest }
    if (!areComplete) return { is: 'incomplete', lowest }
    const known = Math.max(lowest === Infinity ? 0 : lowest, await this.newestKnown())
    return { is: known > (await this.history.newestId()) ? 'ahead' : 'complete', lowest }
  }

  /**
   * The newest change that Redis has been told of, a minute earlier than the markers show it; 0 when there is
   * none, it is lost, or it cannot be read: it is on one shard, and the others must not wait for that one.
   */
  async newestKnown(): Promise<number> {
    const marker = await this.redis.run(commands => commands.get(NEWEST_CHANGE_KEY)).catch(() => null)
    return idOf(marker, await this.generation()) ?? 0
  }

  /** Whether Redis accepted it. */
  async setNewestKnown(id: number): Promise<boolean> {
    const marker = `${await this.generation()}:${id}`
    const set = this.redis.run(commands => commands.set(NEWEST_CHANGE_KEY, marker))
    return set.then(
      () => true,
      () => false,
    )
  }

  async findOn(shard: string): Promise<MarkersFound> {
    const generation = await this.generation()
    const markers = await this.onShard(shard, (server, key) => server.get(key))
    const ids = markers.flatMap(marker => idOf(marker, generation) ?? [])
    return {
      lowest: ids.reduce((lowest, id) => Math.min(lowest, id), Infinity),
      areComplete: ids.length === markers.length,
      belongToOtherDatabase: markers.some(marker => isForeign(marker, generation)),
    }
  }

  /**
   * Raises all markers of the shard to `id`, provided that they are at `from` or above; false when one is
   * not. Never call it for a server that has taken over since, because what was applied before may be missing
   * there.
   */
  async raiseOn(shard: string, from: number, id: number): Promise<boolean> {
    const args = [await this.generation(), String(id), String(from)]
    const raised = await this.onShard(shard, (server, key) => evaluate(server, RAISE_MARKER, key, args))
    return raised.every(result => result === 1)
  }

  /** Overwrites all markers on the shard, even those of another installation. */
  async overwriteOn(shard: string, id: number): Promise<void> {
    const generation = await this.generation()
    await this.onShard(shard, (server, key) => server.set(key, `${generation}:${id}`))
  }

  /** Whether a partition of any shard has a marker of another installation. */
  async belongToOtherDatabase(): Promise<boolean> {
    const generation = await this.generation()
    for (const batch of inBatches(PARTITIONS)) {
      const markers = await Promise.all(
        batch.map(partition => this.redis.run(commands => commands.get(markerKey(partition)))),
      )
      if (markers.some(marker => isForeign(marker, generation))) return true
    }
    return false
  }

  /**
   * Writes the missing markers on every shard. False when one belongs to another installation, whose markers
   * stay as they are: when two installations start on the same Redis at once, the one that writes the first
   * marker gets all.
   */
  async claimAll(id: number): Promise<boolean> {
    const generation = await this.generation()
    const claim = async (partition: string) => {
      const before = await this.redis.run(commands =>
        commands.set(markerKey(partition), `${generation}:${id}`, { condition: 'NX', GET: true }),
      )
      return !isForeign(before, generation)
    }
    const [first = '', ...others] = PARTITIONS
    if (!(await claim(first))) return false
    for (const batch of inBatches(others)) {
      const claimed = await Promise.all(batch.map(claim))
      if (claimed.includes(false)) return false
    }
    return true
  }

  /** Whether every partition currently has a shard. */
  areReachable(): boolean {
    return PARTITIONS.every(partition => this.redis.shardOf(markerKey(partition)) !== null)
  }

  /** Created when a Redis is used for the first time. */
  private async generation(): Promise<string> {
    this.knownGeneration ??= (await this.readGeneration()).generation
    return this.knownGeneration
  }

  private async readGeneration(): Promise<typeof sessionStore.$inferSelect> {
    const select = () => this.database.run(db => db.select().from(sessionStore))
    const [row] = await select()
    if (row) return row
    const generation = randomBytes(6).toString('base64url')
    await this.database.run(db => db.insert(sessionStore).values({ generation }).onConflictDoNothing())
    // Another replica may have been first.
    return (await select())[0] as typeof sessionStore.$inferSelect
  }

  /** Runs `work` for the marker of each partition on the shard; returns the results. */
  private async onShard<T>(
    shard: string,
    work: (server: ServerCommands, key: string) => Promise<T>,
  ): Promise<T[]> {
    const keys = PARTITIONS.map(markerKey).filter(key => this.redis.shardOf(key) === shard)
    const answers: T[] = []
    for (const batch of inBatches(keys))
      answers.push(
        ...(await this.redis.onShard(shard, server => Promise.all(batch.map(key => work(server, key))))),
      )
    return answers
  }
}

function idOf(marker: string | null, generation: string): number | null {
  const [owner, id] = marker?.split(':') ?? []
  return owner === generation && id !== undefined && /^\d+$/.test(id) ? Number(id) : null
}

function isForeign(marker: string | null, generation: string): boolean {
  return marker !== null && idOf(marker, generation) === null
}

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
    super(`${reason}. Restore it, or let the users concerned log in again: npm run cli -- store:accept-loss`)
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
