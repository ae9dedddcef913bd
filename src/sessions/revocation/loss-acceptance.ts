import { setTimeout as sleep } from 'node:timers/promises'
import { inArray } from 'drizzle-orm'
import type { Database } from '../../platform/database/database.js'
import { userSessions } from '../../platform/database/schema/sessions.js'
import { ApiError, causeMessage } from '../../platform/errors/api-error.js'
import { EvictingServerError, evaluate, type RedisConnection } from '../../platform/redis/redis.js'
import { REMOVE_IF_AHEAD, SESSION_KEYS, sidOfKey } from '../redis-session.js'
import {
  type ChangeHistory,
  type ChangeReplay,
  type Markers,
  NotYetError,
  type ShardState,
} from './replay.js'

/** Longer than a failover takes with the settings that docs/operations.md recommends, even in a busy cluster. */
const PATIENCE_MS = 60_000
const TRY_EVERY_MS = 500
const KEYS_A_PAGE = 1_000

/** The outcome for one shard when a loss was accepted. */
export interface AcceptedShard {
  readonly shard: string
  /** The state in which it was found; null when that could not be determined. */
  readonly before: ShardState['is'] | null
  /** Why it has not been done; null once it has. */
  readonly problem: string | null
}

export interface Acceptance {
  /** Whether the database was restored, or has lost commits. */
  readonly isRestored: boolean
  /** Called once, with the shards that are waited for. */
  readonly onWait: (undone: readonly AcceptedShard[]) => void
}

/** Accepts what is left of a store that lost its data. */
export class LossAcceptance {
  private readonly outcomes = new Map<string, AcceptedShard>()
  /** How often each shard has been stale. */
  private readonly staleCounts = new Map<string, number>()
  private isRestored = false

  constructor(
    private readonly redis: RedisConnection,
    private readonly database: Database,
    private readonly history: ChangeHistory,
    private readonly replay: ChangeReplay,
    private readonly markers: Markers,
  ) {
    redis.onStale(shard => {
      this.staleCounts.set(shard, this.staleCountOf(shard) + 1)
      // The latest writes may be lost, so it is done again.
      this.setUndone(shard, 'a connection to it was lost or made')
    })
  }

  /**
   * Repeats every change and writes all markers again, shard by shard; returns how it found each. Removes
   * sessions that the database does not know: those of another installation, or from a time that a restored
   * database has lost; with `isRestored` even where that does not show. Waits up to a minute for shards that
   * are unreachable, for example during a failover; `onWait` is called with the first ones. Safe to repeat.
   */
  async accept({ isRestored, onWait }: Acceptance): Promise<readonly AcceptedShard[]> {
    this.outcomes.clear()
    this.isRestored = isRestored
    const giveUpAt = performance.now() + PATIENCE_MS
    for (let attempt = 1; ; attempt++) {
      const isWorthWaiting = await this.acceptUndone()
      const outcomes = this.current()
      const undone = outcomes.filter(({ problem }) => problem !== null)
      if (undone.length === 0) {
        await this.markers.setInitialized()
        await this.markers.setNewestKnown((await this.history.newest()).committed)
      }
      if (undone.length === 0 || !isWorthWaiting || performance.now() > giveUpAt) return outcomes
      if (attempt === 1) onWait(undone)
      await sleep(TRY_EVERY_MS)
    }
  }

  /** Returns whether the remaining problems may resolve by themselves. */
  private async acceptUndone(): Promise<boolean> {
    const undone = this.redis.shards().filter(shard => this.outcomes.get(shard)?.problem !== null)
    const outcomes = await Promise.all(undone.map(shard => this.acceptOn(shard)))
    return outcomes.every(isTransient => isTransient)
  }

  private async acceptOn(shard: string): Promise<boolean> {
    const staleCount = this.staleCountOf(shard)
    try {
      if (!(await this.redis.factsOf(shard)).isMaster) throw new NotYetError('its server is a replica')
      const { is } = await this.markers.stateOf(shard)
      const before = this.stateBefore(shard) ?? is
      this.outcomes.set(shard, { shard, before, problem: 'it was not told of every change' })
      if (this.isRestored || is === 'foreign' || is === 'ahead') await this.removeUnknownSessions(shard)
      await this.bringUpToDate(shard)
      if (this.staleCountOf(shard) === staleCount) this.outcomes.set(shard, { shard, before, problem: null })
      return true
    } catch (error) {
      this.setUndone(shard, causeMessage(error))
      if (isAboutTheShard(error)) return !(error instanceof EvictingServerError)
      throw error
    }
  }

  /**
   * Removes every session on the shard that the database does not list for any user, because no request could end
   * it, and those that know a later grant than the database, because they would ignore permissions being
   * taken away now.
   */
  private async removeUnknownSessions(shard: string): Promise<void> {
    const newest = String(await this.history.newestId())
    let cursor = '0'
    do {
      const page = await this.redis.onShard(shard, server =>
        server.scan(cursor, { MATCH: SESSION_KEYS, COUNT: KEYS_A_PAGE }),
      )
      const unknown = await unknownOf(page.keys, this.database)
      const known = page.keys.filter(key => !unknown.includes(key))
      // One by one, because in a cluster the keys of a command must be in the same slot.
      await this.redis.onShard(shard, server =>
        Promise.all([
          ...unknown.map(key => server.unlink(key)),
          ...known.map(key => evaluate(server, REMOVE_IF_AHEAD, key, [newest])),
        ]),
      )
      cursor = page.cursor
    } while (cursor !== '0')
  }

  private async bringUpToDate(shard: string): Promise<void> {
    const settled = await this.history.settledId()
    await this.replay.allAfter(0, this.replay.isOn(shard))
    await this.markers.overwriteOn(shard, settled)
  }

  /** The current shards, and an entry for partitions that no server has. */
  private current(): AcceptedShard[] {
    const shards = this.redis
      .shards()
      .map(
        shard => this.outcomes.get(shard) ?? { shard, before: null, problem: 'it has just become a master' },
      )
    const isWhole = shards.length > 0 && this.markers.areReachable()
    return isWhole
      ? shards
      : [...shards, { shard: 'a shard', before: null, problem: 'no server has its slots' }]
  }

  private setUndone(shard: string, problem: string): void {
    this.outcomes.set(shard, { shard, before: this.stateBefore(shard), problem })
  }

  private stateBefore(shard: string): AcceptedShard['before'] {
    return this.outcomes.get(shard)?.before ?? null
  }

  private staleCountOf(shard: string): number {
    return this.staleCounts.get(shard) ?? 0
  }
}

function isAboutTheShard(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === 'SESSION_STORE_UNAVAILABLE'
  return error instanceof NotYetError || error instanceof EvictingServerError
}

async function unknownOf(keys: readonly string[], database: Database): Promise<string[]> {
  const rows = await database.run(db =>
    db
      .select({ sid: userSessions.sid })
      .from(userSessions)
      .where(inArray(userSessions.sid, keys.map(sidOfKey))),
  )
  const known = new Set(rows.map(({ sid }) => sid))
  return keys.filter(key => !known.has(sidOfKey(key)))
}
