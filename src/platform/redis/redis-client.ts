import calculateSlot from 'cluster-key-slot'
import { createClient, createCluster, createSentinel, ErrorReply, type RedisClientType } from 'redis'
import { hostOf } from '../config/origin.js'
import { within } from '../time.js'

/** Where Redis is, and how it is set up. */
export type RedisAddress =
  | { readonly kind: 'single'; readonly url: string }
  | { readonly kind: 'cluster'; readonly urls: readonly string[] }
  | {
      readonly kind: 'sentinel'
      readonly sentinels: readonly { host: string; port: number }[]
      readonly masterName: string
      readonly username?: string
      readonly password?: string
    }

const DEFAULT_SENTINEL_PORT = 26379

/**
 * Reads SESSION_STORE_URL: `redis[s]://…`, `redis[s]+cluster://[user:password@]host:port,host:port` or
 * `redis+sentinel://[user:password@]host:port,host:port/<master name>`. Throws an Error for anything else.
 */
export function parseRedisUrl(url: string): RedisAddress {
  const match = /^(rediss?)(?:\+(cluster|sentinel))?:\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/(.*))?$/.exec(url)
  const [, scheme, kind, credentials, hosts = '', path] = match ?? []
  // The message never quotes the text itself, which contains a password.
  if (!match || !hosts.split(',').every(host => URL.canParse(`redis://${credentials ?? ''}@${host}`)))
    throw new Error('SESSION_STORE_URL is not a Redis address (a password needs percent-encoding)')
  if (scheme === 'rediss' && kind === 'sentinel')
    throw new Error('SESSION_STORE_URL: sentinels are reached without TLS only')
  if (!kind) return { kind: 'single', url }
  if (kind === 'cluster') {
    const login = credentials ? `${credentials}@` : ''
    return { kind, urls: hosts.split(',').map(host => `${scheme}://${login}${host}`) }
  }
  if (!path)
    throw new Error('SESSION_STORE_URL needs the master name: redis+sentinel://host:port/<master name>')
  const [username, password] = (credentials ?? '').split(':').map(decodeURIComponent)
  return {
    kind: 'sentinel',
    masterName: path,
    sentinels: hosts.split(',').map(host => hostAndPort(`redis://${host}`, DEFAULT_SENTINEL_PORT)),
    ...(username && { username }),
    ...(password && { password }),
  }
}

function hostAndPort(text: string, defaultPort: number): { host: string; port: number } {
  const url = new URL(text)
  return { host: hostOf(url), port: Number(url.port || defaultPort) }
}

/** The commands that we use, which the three kinds of client share. */
export type RedisCommands = Pick<
  RedisClientType,
  'eval' | 'evalSha' | 'get' | 'getRange' | 'set' | 'del' | 'unlink'
>

/** A connection to one server; it does not follow redirects. */
export type ServerCommands = Pick<RedisClientType, 'info' | 'time'>

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
  /** The server's reply, if that is what the error is; null when there was no answer. */
  replyOf(error: unknown): string | null
  /** Leaves a server that has become a replica, if the client does not do so itself. */
  leaveReplica(): void
  /** Maintains the connections; call it every second. */
  maintain(): void
  /** `listener` is called with connection errors, for the log. */
  onError(listener: (reason: string) => void): void
}

const SOCKET = {
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
const OPTIONS = {
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
function loginOf(url: string): ServerLogin {
  const { protocol, username, password } = new URL(url)
  return {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    isOverTls: protocol === 'rediss:',
  }
}

const DEFAULT_PORT = 6379

/** The options of every connection that logs in this way, and what of `given` differs for its socket. */
function optionsFor<T extends object>({ isOverTls, ...login }: ServerLogin, given: T) {
  const socket = { ...SOCKET, ...given }
  return { ...OPTIONS, ...login, socket: isOverTls ? { ...socket, tls: true as const } : socket }
}

/**
 * The options for the server of a `redis[s]://` URL. The package would read the URL itself, but leaves an IPv6 address in
 * its brackets, which is then looked up as a name. Throws an Error when the path is not the number of a database.
 */
function optionsOf(url: string) {
  const database = Number(new URL(url).pathname.slice(1))
  if (Number.isNaN(database)) throw new Error('SESSION_STORE_URL: the path must be the number of a database')
  return { ...optionsFor(loginOf(url), hostAndPort(url, DEFAULT_PORT)), database }
}

/** {@link RedisClient.replyOf} for every kind of client. */
export function replyOf(error: unknown): string | null {
  return error instanceof ErrorReply ? error.message : null
}

/** A client for SESSION_STORE_URL, not yet connected. Throws an Error when the URL cannot be read. */
export function createRedisClient(url: string): RedisClient {
  const address = parseRedisUrl(url)
  if (address.kind === 'cluster') return clusterClient(address.urls)
  if (address.kind === 'sentinel') return sentinelClient(address)
  return singleClient(address.url)
}

const SERVER = 'the server'

/** One server, or an address that always leads to the current master. */
function singleClient(url: string): RedisClient {
  const client = createClient(optionsOf(url))
  const self = client as unknown as RedisClientType
  const watch = new ConnectionWatch()
  return {
    commands: self,
    connect: () => client.connect(),
    close: () => client.destroy(),
    shards: SERVER,
    server: async () => self,
    leaveReplica: () => reconnect(self),
    replyOf,
    maintain: () => void watch.expectAnswer(self),
    onError: listener => client.on('error', (error: Error) => listener(error.message)),
  }
}

const MASTER = 'the master'

function sentinelClient(
  address: Extract<ReturnType<typeof parseRedisUrl>, { kind: 'sentinel' }>,
): RedisClient {
  const { masterName, sentinels, username, password } = address
  const login = { ...(username && { username }), ...(password && { password }) }
  // No scanInterval: commands would wait during each scan, and sentinels announce changes themselves.
  const sentinel = createSentinel({
    name: masterName,
    sentinelRootNodes: [...sentinels],
    nodeClientOptions: { ...OPTIONS, ...login },
    sentinelClientOptions: { pingInterval: OPTIONS.pingInterval, socket: SOCKET },
    passthroughClientErrorEvents: true,
    // With a pool, the client hands out connections that it never gets back when many commands start at the
    // same time.
    masterPoolSize: 1,
    reserveClient: true,
  })
  const self = sentinel as unknown as RedisClientType
  return {
    commands: self,
    connect: () => sentinel.connect(),
    close: () => void sentinel.destroy(),
    shards: MASTER,
    server: async () => self,
    // The client itself leaves a master that the sentinels have given up.
    leaveReplica: () => {},
    replyOf,
    // A sentinel closes the connections of a server whose role it changes.
    maintain: () => {},
    onError: listener => sentinel.on('error', error => listener(String(error))),
  }
}

/** A Redis Cluster; a shard is the address of its master. */
function clusterClient(urls: readonly string[]): RedisClient {
  const cluster = createCluster({
    rootNodes: urls.map(url => ({ url })),
    // The package uses what a URL says for that server only, and not for those that it hears of there.
    defaults: optionsFor(loginOf(urls[0] as string), {}),
    // Otherwise a new master that dies while we connect would block every later search for its successor.
    minimizeConnections: true,
    // How long to try to reach a master before asking the others who replaced it (5 s by default), in ms.
    topologyRefreshOnReconnectionAttemptStrategy: 300,
  })
  const watch = new ConnectionWatch()
  /** Asks other nodes for the slots. A second call waits for the first. */
  const rediscover = (silent: ReadonlySet<string>) =>
    cluster._slots.rediscover(undefined, silent).catch(() => {
      // It has been logged, and is retried in a second.
    })
  return {
    commands: cluster as unknown as RedisCommands,
    connect: () => cluster.connect(),
    close: () => cluster.destroy(),
    shards: {
      all: () => cluster.masters.map(({ address }) => address),
      // While a cluster is being set up, or has lost a master for good, some slots have no server.
      of: key => cluster.slots[calculateSlot(key)]?.master.address ?? null,
    },
    server: async shard => {
      const master = cluster.masters.find(({ address }) => address === shard)
      if (!master) throw new Error(`${shard} is no longer a master`)
      return (await cluster.nodeClient(master)) as unknown as RedisClientType
    },
    // A MOVED reply would name the successor, but a shard that is shut is sent nothing that could be answered
    // that way.
    leaveReplica: () => void rediscover(new Set()),
    replyOf,
    maintain: () => {
      const silent = cluster.masters.filter(
        ({ client }) => client && !watch.expectAnswer(client as unknown as RedisClientType),
      )
      const isPartial = cluster.slots.includes(undefined as never) || cluster.slots.length === 0
      if (cluster.isReady && (silent.length > 0 || isPartial))
        void rediscover(new Set(silent.map(({ address }) => address)))
    },
    onError: listener => {
      cluster.on('error', (error: Error) => listener(error.message))
      cluster.on('node-error', (error: Error) => listener(error.message))
    },
  }
}

/** Well above what a busy server takes; a connection that is silent for longer is abandoned. */
const REPLY_TIMEOUT_MS = 2_000
/** Too long for a server that is merely busy; asking the others costs nothing. */
const SILENT_AFTER_MS = 700

/**
 * Finds servers that accept connections but do not answer, and makes our clients reconnect. A socket's own
 * timeout cannot do this: every command that we write restarts it.
 */
class ConnectionWatch {
  /** Since when we have been waiting for an answer. */
  private readonly waiting = new Map<RedisClientType, number>()

  /** Call it every second. False while an answer is overdue or there is no connection. */
  expectAnswer(client: RedisClientType): boolean {
    if (!client.isReady) {
      this.waiting.delete(client)
      return false
    }
    const since = this.waiting.get(client)
    if (since !== undefined) return performance.now() - since < SILENT_AFTER_MS
    void this.ask(client)
    return true
  }

  private async ask(client: RedisClientType): Promise<void> {
    const since = performance.now()
    this.waiting.set(client, since)
    try {
      await within(REPLY_TIMEOUT_MS, client.ping())
    } catch {
      // The client itself handles a lost connection.
      if (performance.now() - since >= REPLY_TIMEOUT_MS) reconnect(client)
    } finally {
      this.waiting.delete(client)
    }
  }
}

/** Opens a new connection to the same address; does nothing while the client is already reconnecting. */
function reconnect(client: RedisClientType): void {
  if (!client.isReady) return
  client.destroy()
  client.connect().catch(() => {
    // The client retries until it is closed.
  })
}
