import { randomBytes } from 'node:crypto'
import type { Database } from '../../platform/database/database.js'
import { sessionStore } from '../../platform/database/schema/sessions.js'
import { evaluate, type RedisConnection } from '../../platform/redis/redis.js'
import type { ServerCommands } from '../../platform/redis/redis-client.js'
import type { SessionHandle } from '../session.js'
import { inBatches } from '../stores/redis-changes.js'
import { markerKey, NEWEST_CHANGE_KEY, PARTITIONS, partitionOf } from '../stores/session-keys.js'
import { RAISE_MARKER } from '../stores/session-scripts.js'
import type { ChangeHistory } from './change-history.js'

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
