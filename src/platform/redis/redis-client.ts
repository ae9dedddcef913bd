import { createClient, ErrorReply, type RedisClientType } from 'redis'
import { hostAndPort } from './redis-url.js'

/** The commands that we use, which the three kinds of client share. */
export type RedisCommands = Pick<RedisClientType, 'eval' | 'evalSha' | 'get' | 'set' | 'del' | 'unlink'>

/** A connection to one server; it does not follow redirects. */
export type ServerCommands = Pick<
  RedisClientType,
  'get' | 'set' | 'unlink' | 'scan' | 'info' | 'ping' | 'time' | 'configGet' | 'eval' | 'evalSha' | 'isReady'
>

/** Where a server is. */
export interface ServerAddress {
  readonly host: string
  readonly port: number
}

/** The masters that share the keys of a cluster. */
interface ClusterShards {
  /** The current ones, by address. */
  all(): readonly string[]
  /** The one that has the key, or would have it; null while no server has its slot. */
  of(key: string): string | null
}

/** A uniform interface for the three kinds of client. A shard is a master with its keys. */
export interface RedisClient {
  readonly commands: RedisCommands
  /** Outside a cluster, the name of the only shard. */
  readonly shards: ClusterShards | string
  connect(): Promise<unknown>
  close(): void
  /** A connection to the master of this shard. Throws when it is no longer a master. */
  server(shard: string): Promise<ServerCommands>
  /** A client for any of its servers, such as a replica, with the same login; not yet connected. */
  connectTo(address: ServerAddress): RedisClientType
  /** The server's reply, if that is what the error is; null when there was no answer. */
  replyOf(error: unknown): string | null
  /** Leaves a server that has become a replica, if the client does not do so itself. */
  leaveReplica(): void
  /**
   * Maintains the connections; call it every second. `onInfo` gets what INFO says about a server and its
   * replication.
   */
  maintain(onInfo: (shard: string, info: string) => void): void
  /** `listener` is called with connection errors, for the log. */
  onError(listener: (reason: string) => void): void
  /** `listener` is called when a connection to a master is lost or opened: the latest writes may be missing there. */
  onStale(listener: (shard: string, reason: string) => void): void
}

export const SOCKET = {
  connectTimeout: 2_000,
  /**
   * Gives up on a server that accepts the connection but does not answer; pings keep idle connections from
   * being hit by this.
   */
  socketTimeout: 3_000,
  /** A server that is back should be found within a second. */
  reconnectStrategy: (retries: number) => Math.min(50 * 2 ** retries, 500) + Math.floor(Math.random() * 50),
}

/** No offline queue: without a connection a command fails at once. */
export const OPTIONS = {
  disableOfflineQueue: true,
  pingInterval: 1_000,
  socket: SOCKET,
  // The package's time limit creates an abort signal for each command, a cost that every refresh would pay;
  // RedisConnection has its own.
  commandOptions: { timeout: 0 },
}

/** How we log in to every server. */
interface ServerLogin {
  readonly username?: string
  readonly password?: string
  readonly isOverTls: boolean
}

/** The login in a `redis[s]://` URL. */
export function loginOf(url: string): ServerLogin {
  const { protocol, username, password } = new URL(url)
  return {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    isOverTls: protocol === 'rediss:',
  }
}

const DEFAULT_PORT = 6379

/**
 * The options for the server of a `redis[s]://` URL. The package would read the URL itself, but leaves an IPv6 address in
 * its brackets, which is then looked up as a name. Throws an Error when the path is not the number of a database.
 */
export function optionsOf(url: string) {
  const { pathname } = new URL(url)
  const { isOverTls, ...login } = loginOf(url)
  const database = Number(pathname.slice(1))
  if (Number.isNaN(database)) throw new Error('SESSION_STORE_URL: the path must be the number of a database')
  const socket = { ...SOCKET, ...hostAndPort(url, DEFAULT_PORT) }
  return { ...OPTIONS, ...login, database, socket: isOverTls ? { ...socket, tls: true as const } : socket }
}

/** A client for this one server, not yet connected, which does not reconnect when its connection is lost. */
export function connectTo({ host, port }: ServerAddress, login: ServerLogin): RedisClientType {
  const { isOverTls, ...credentials } = login
  const socket = { ...SOCKET, host, port, reconnectStrategy: false as const }
  const client = createClient({
    ...OPTIONS,
    ...credentials,
    socket: isOverTls ? { ...socket, tls: true } : socket,
  })
  return client as unknown as RedisClientType
}

/** {@link RedisClient.replyOf} for every kind of client. */
export function replyOf(error: unknown): string | null {
  return error instanceof ErrorReply ? error.message : null
}
