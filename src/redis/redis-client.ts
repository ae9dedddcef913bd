import { createClient, createCluster, createSentinel, ErrorReply, type RedisClientType } from 'redis'
import { reconnect } from './connection-watch.js'
import { parseRedisUrl } from './redis-url.js'

/** The commands we use, which the three kinds of client share. */
export type RedisCommands = Pick<
  RedisClientType,
  'eval' | 'evalSha' | 'get' | 'set' | 'del' | 'unlink' | 'zCard' | 'zRange' | 'zRem' | 'zRemRangeByScore'
>

/** One of the three kinds of client with what differs between them made equal. */
export interface RedisClient {
  readonly commands: RedisCommands
  connect(): Promise<unknown>
  close(): void
  /** A client for each master, for commands without a key. */
  masters(): Promise<RedisClientType[]>
  /** The clients that stay on one server whatever happens to it, so that somebody has to watch over them. */
  watched(): RedisClientType[]
  /** Leaves a server that has become a replica, if the client does not do so by itself. */
  leaveReplica(): void
  /** What the server replied, when the error is a reply of it; null when there was no answer. */
  replyOf(error: unknown): string | null
  /** `listener` hears what goes wrong with connections, for the log. */
  onTrouble(listener: (reason: string) => void): void
  /** `listener` hears that a connection to a master was lost or made: what was written last may not be there. */
  onDoubt(listener: () => void): void
}

const SOCKET = {
  connectTimeout: 2_000,
  /** Gives up a server that takes the connection but does not answer; pings keep an idle connection from this. */
  socketTimeout: 3_000,
  /** A server that is back is to be found within a second. */
  reconnectStrategy: (retries: number) => Math.min(50 * 2 ** retries, 500) + Math.floor(Math.random() * 50),
}
/** No offline queue: with no connection a command fails at once instead of waiting for one. */
const OPTIONS = {
  disableOfflineQueue: true,
  pingInterval: 1_000,
  socket: SOCKET,
  // The package's own time limit makes an abort signal for each command, a tenth of a refresh; RedisConnection has one.
  commandOptions: { timeout: 0 },
}

/** A client for SESSION_STORE_URL, not yet connected. Throws an Error when the URL cannot be read. */
export function createRedisClient(url: string): RedisClient {
  const address = parseRedisUrl(url)
  if (address.kind === 'cluster') return clusterClient(address.urls)
  if (address.kind === 'sentinel') return sentinelClient(address)
  return singleClient(address.url)
}

function singleClient(url: string): RedisClient {
  const client = createClient({ ...OPTIONS, url })
  const self = client as unknown as RedisClientType
  return {
    commands: self,
    connect: () => client.connect(),
    close: () => client.destroy(),
    masters: async () => [self],
    watched: () => [self],
    leaveReplica: () => reconnect(self),
    replyOf,
    onTrouble: listener => client.on('error', (error: Error) => listener(error.message)),
    onDoubt: listener => client.on('error', listener).on('ready', listener),
  }
}

function clusterClient(urls: readonly string[]): RedisClient {
  const cluster = createCluster({
    rootNodes: urls.map(url => ({ url })),
    defaults: OPTIONS,
    // Or a new master that dies while we connect to it holds up every later look for its successor.
    minimizeConnections: true,
    // Milliseconds of trying to reach a master again before we ask the others who has its place (5 s by default).
    topologyRefreshOnReconnectionAttemptStrategy: 300,
  })
  return {
    commands: cluster as unknown as RedisCommands,
    connect: () => cluster.connect(),
    close: () => cluster.destroy(),
    masters: () =>
      Promise.all(
        cluster.masters.map(master => cluster.nodeClient(master) as unknown as Promise<RedisClientType>),
      ),
    watched: () =>
      cluster.masters.flatMap(({ client }) => (client ? [client as unknown as RedisClientType] : [])),
    // A replica of a cluster answers MOVED, which the client follows.
    leaveReplica: () => {},
    replyOf,
    onTrouble: listener => {
      cluster.on('error', (error: Error) => listener(error.message))
      cluster.on('node-error', (error: Error) => listener(error.message))
    },
    onDoubt: listener => cluster.on('node-error', listener).on('node-ready', listener),
  }
}

function sentinelClient(
  address: Extract<ReturnType<typeof parseRedisUrl>, { kind: 'sentinel' }>,
): RedisClient {
  const { masterName, sentinels, username, password } = address
  // No scanInterval: during each look at the sentinels commands have to wait, and sentinels tell of a change themselves.
  const sentinel = createSentinel({
    name: masterName,
    sentinelRootNodes: [...sentinels],
    nodeClientOptions: { ...OPTIONS, ...(username && { username }), ...(password && { password }) },
    sentinelClientOptions: { pingInterval: OPTIONS.pingInterval, socket: SOCKET },
    passthroughClientErrorEvents: true,
    // Of a pool the client gives out connections that it never gets back when many commands start together.
    masterPoolSize: 1,
    reserveClient: true,
  })
  return {
    commands: sentinel as unknown as RedisCommands,
    connect: () => sentinel.connect(),
    close: () => sentinel.destroy(),
    masters: async () => [sentinel as unknown as RedisClientType],
    // It leaves a master that the sentinels have given up.
    watched: () => [],
    leaveReplica: () => {},
    replyOf,
    onTrouble: listener => sentinel.on('error', error => listener(String(error))),
    onDoubt: listener => {
      // The one event is for sentinels too, whose troubles say nothing about what the master knows.
      sentinel.on('error', error => {
        if (String(error).includes('Master Client')) listener()
      })
      sentinel.on('topology-change', ({ type }: { type: string }) => {
        if (type === 'MASTER_CHANGE') listener()
      })
    },
  }
}

function replyOf(error: unknown): string | null {
  return error instanceof ErrorReply ? error.message : null
}
