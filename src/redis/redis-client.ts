import type { RedisClientType } from 'redis'

/** The commands we use, which the three kinds of client share. */
export type RedisCommands = Pick<RedisClientType, 'eval' | 'evalSha' | 'get' | 'set' | 'del' | 'unlink'>

/** A connection to one server, which follows no redirect to another. */
export type ServerCommands = Pick<
  RedisClientType,
  'get' | 'set' | 'unlink' | 'scan' | 'info' | 'ping' | 'eval' | 'evalSha' | 'isReady'
>

/** Where a server is. */
export interface ServerAddress {
  readonly host: string
  readonly port: number
}

/**
 * One of the three kinds of client with what differs between them made equal. A shard is a master with the keys that it
 * has; it is named by the master's address in a cluster, and is the only one elsewhere.
 */
export interface RedisClient {
  readonly commands: RedisCommands
  connect(): Promise<unknown>
  close(): void
  /** The shards there are now. */
  shards(): readonly string[]
  /** Where the key is or would be; null while no server has its slot. */
  shardOf(key: string): string | null
  /** A connection to the master of that shard. Throws when it is none any more. */
  server(shard: string): Promise<ServerCommands>
  /** A client for any server of it, such as a replica, with the same login; not yet connected. */
  connectTo(address: ServerAddress): RedisClientType
  /** What the server replied, when the error is a reply of it; null when there was no answer. */
  replyOf(error: unknown): string | null
  /** Leaves a server that has become a replica, if the client does not do so by itself. */
  leaveReplica(): void
  /** Looks after the connections; called every second. `heard` gets what INFO says of a server and its replication. */
  tend(heard: (shard: string, info: string) => void): void
  /** `listener` hears what goes wrong with connections, for the log. */
  onTrouble(listener: (reason: string) => void): void
  /** `listener` hears that a connection to a master was lost or made: what was written last may not be there. */
  onDoubt(listener: (shard: string, reason: string) => void): void
}

export const SOCKET = {
  connectTimeout: 2_000,
  /** Gives up a server that takes the connection but does not answer; pings keep an idle connection from this. */
  socketTimeout: 3_000,
  /** A server that is back is to be found within a second. */
  reconnectStrategy: (retries: number) => Math.min(50 * 2 ** retries, 500) + Math.floor(Math.random() * 50),
}

/** No offline queue: with no connection a command fails at once instead of waiting for one. */
export const OPTIONS = {
  disableOfflineQueue: true,
  pingInterval: 1_000,
  socket: SOCKET,
  // The package's own time limit makes an abort signal for each command, a tenth of a refresh; RedisConnection has one.
  commandOptions: { timeout: 0 },
}
