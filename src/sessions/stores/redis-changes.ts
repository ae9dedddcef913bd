import { effectivePermissions, permissionBits } from '../../platform/permissions.js'
import type { RedisConnection } from '../../platform/redis/redis.js'
import type { SessionHandle } from '../session.js'
import { sessionKey } from './session-keys.js'
import { SET_PERMISSIONS } from './session-scripts.js'
import { changesOf, type StoreChanges } from './session-store.js'

/** The changes that were not applied, and why. */
export interface FailedChanges {
  /** Null where no server has the slots. */
  readonly shard: string | null
  readonly changes: StoreChanges
  readonly error: unknown
}

/** Applies changes to the sessions in Redis, many at once. Safe to repeat. */
export class RedisChanges {
  constructor(private readonly redis: RedisConnection) {}

  shardOf(sid: SessionHandle): string | null {
    return this.redis.shardOf(sessionKey(sid))
  }

  /** Applies them on all shards in parallel; returns what failed, by shard. Never throws. */
  async apply(changes: StoreChanges): Promise<FailedChanges[]> {
    const shards = new Set(
      [...changes.ended, ...changes.grants.flatMap(({ sids }) => sids)].map(sid => this.shardOf(sid)),
    )
    const results = await Promise.all(
      [...shards].map(async (shard): Promise<FailedChanges | null> => {
        const part = shards.size === 1 ? changes : changesOf(changes, sid => this.shardOf(sid) === shard)
        try {
          await this.applyPart(part)
          return null
        } catch (error) {
          return { shard, changes: part, error }
        }
      }),
    )
    return results.filter(result => result !== null)
  }

  private async applyPart({ ended, grants }: StoreChanges): Promise<void> {
    for (const keys of inBatches(ended.map(sessionKey)))
      await this.redis.run(commands => commands.unlink([...keys]))
    const grantings = grants.flatMap(({ sids, granted, version }) => {
      const bits = (['main', 'satellite'] as const).map(source =>
        String(permissionBits(effectivePermissions(source, granted))),
      )
      return sids.map(sid => ({ key: sessionKey(sid), args: [...bits, String(version)] }))
    })
    for (const batch of inBatches(grantings))
      await Promise.all(batch.map(({ key, args }) => this.redis.runScript(SET_PERMISSIONS, key, args)))
  }
}

/** How many commands are sent at once, so that requests never wait long behind them. */
const AT_ONCE = 500

/** Splits what is to be sent to Redis into batches, keeping its order. */
export function* inBatches<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < all.length; start += AT_ONCE) yield all.slice(start, start + AT_ONCE)
}
