import type { ServerCommands } from '../../redis/redis-client.js'
import type { RedisConnection } from '../../redis/redis-connection.js'
import type { RedisScript } from '../../redis/redis-script.js'
import { RAISE_MARKER } from '../redis-scripts.js'
import type { SessionHandle } from '../session-id.js'
import { markerKey, PARTITIONS, partitionOf } from '../session-keys.js'

/** So many go out together. */
const AT_ONCE = 512

/**
 * The markers of the partitions: `<generation>:<id>` says that every change up to `id` has been applied to the sessions
 * beside it. It is written after them, and a server that takes over has what was written before what it has. So the
 * marker tells how much is missing, and no marker at all that the data is gone.
 */
export class Markers {
  constructor(private readonly redis: RedisConnection) {}

  /** Whether the partition of this session is there, as the store of this generation had it. */
  async isThereFor(sid: SessionHandle, generation: string): Promise<boolean> {
    const marker = await this.redis.run(commands => commands.get(markerKey(partitionOf(sid))))
    return idOf(marker, generation) !== null
  }

  /** The lowest id on the shard; null when a marker is missing or of another generation. */
  async lowestOn(shard: string, generation: string): Promise<number | null> {
    const markers: (string | null)[] = []
    for (const batch of inBatches(this.partitionsOn(shard)))
      markers.push(
        ...(await this.redis.onShard(shard, server =>
          Promise.all(batch.map(partition => server.get(markerKey(partition)))),
        )),
      )
    const ids = markers.map(marker => idOf(marker, generation))
    return ids.reduce(
      (lowest, id) => (lowest === null || id === null ? null : Math.min(lowest, id)),
      Infinity,
    )
  }

  /**
   * Raises all on the shard that stand at `from` or above to `id`; false when one does not. Never on a server that has
   * taken over meanwhile, for what was applied before may be missing there.
   */
  async raiseOn(shard: string, generation: string, from: number, id: number): Promise<boolean> {
    const args = [generation, String(id), String(from)]
    let areRaised = true
    for (const batch of inBatches(this.partitionsOn(shard))) {
      const raised = await this.redis.onShard(shard, server =>
        Promise.all(batch.map(partition => runOn(server, RAISE_MARKER, markerKey(partition), args))),
      )
      areRaised &&= raised.every(result => result === 1)
    }
    return areRaised
  }

  /** Writes all of them on every shard, whatever was there. */
  async writeAll(generation: string, id: number): Promise<void> {
    for (const batch of inBatches(PARTITIONS))
      await Promise.all(
        batch.map(partition =>
          this.redis.run(commands => commands.set(markerKey(partition), `${generation}:${id}`)),
        ),
      )
  }

  private partitionsOn(shard: string): string[] {
    return PARTITIONS.filter(partition => this.redis.shardOf(markerKey(partition)) === shard)
  }
}

function idOf(marker: string | null, generation: string): number | null {
  const [of, id] = marker?.split(':') ?? []
  return of === generation && id !== undefined && /^\d+$/.test(id) ? Number(id) : null
}

async function runOn(
  server: ServerCommands,
  { sha, lua }: RedisScript,
  key: string,
  args: string[],
): Promise<unknown> {
  const options = { keys: [key], arguments: args }
  return server.evalSha(sha, options).catch((error: Error) => {
    if (error.message.startsWith('NOSCRIPT')) return server.eval(lua, options)
    throw error
  })
}

function* inBatches(partitions: readonly string[]): Generator<readonly string[]> {
  for (let start = 0; start < partitions.length; start += AT_ONCE)
    yield partitions.slice(start, start + AT_ONCE)
}
