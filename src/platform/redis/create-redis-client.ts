import calculateSlot from 'cluster-key-slot'
import { createClient, createCluster, createSentinel, type RedisClientType } from 'redis'
import { ConnectionWatch, reconnect } from './connection-watch.js'
import {
  connectTo,
  loginOf,
  OPTIONS,
  optionsOf,
  type RedisClient,
  type RedisCommands,
  replyOf,
  type ServerAddress,
  SOCKET,
} from './redis-client.js'
import { parseRedisUrl } from './redis-url.js'

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
    connectTo: address => connectTo(address, loginOf(url)),
    leaveReplica: () => reconnect(self),
    replyOf,
    maintain: onInfo => void watch.expectAnswer(self, info => onInfo(SERVER, info)),
    onError: listener => client.on('error', (error: Error) => listener(error.message)),
    onStale: listener =>
      client
        .on('error', (error: Error) => listener(SERVER, error.message))
        .on('ready', () => listener(SERVER, 'a new connection')),
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
    connectTo: server => connectTo(server, { ...login, isOverTls: false }),
    // The client itself leaves a master that the sentinels have given up.
    leaveReplica: () => {},
    replyOf,
    // A sentinel closes the connections of a server whose role it changes.
    maintain: () => {},
    onError: listener => sentinel.on('error', error => listener(String(error))),
    onStale: listener => {
      // This one event is also emitted for sentinels, whose errors say nothing about the master.
      sentinel.on('error', error => {
        if (String(error).includes('Master Client')) listener(MASTER, String(error))
      })
      sentinel.on('topology-change', ({ type }: { type: string }) => {
        if (type === 'MASTER_CHANGE') listener(MASTER, 'another master')
      })
    },
  }
}

/** A Redis Cluster; a shard is the address of its master. */
function clusterClient(urls: readonly string[]): RedisClient {
  const cluster = createCluster({
    rootNodes: urls.map(url => ({ url })),
    defaults: OPTIONS,
    // Otherwise a new master that dies while we connect would block every later search for its successor.
    minimizeConnections: true,
    // How long to try to reach a master before asking the others who replaced it (5 s by default), in ms.
    topologyRefreshOnReconnectionAttemptStrategy: 300,
  })
  const watch = new ConnectionWatch()
  const addressOf = ({ host, port }: ServerAddress) => `${host}:${port}`
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
    connectTo: address => connectTo(address, loginOf(urls[0] as string)),
    // A MOVED reply would name the successor, but a shard that is shut is sent nothing that could be answered
    // that way.
    leaveReplica: () => void rediscover(new Set()),
    replyOf,
    maintain: onInfo => {
      const silent = cluster.masters.filter(
        ({ client, address }) =>
          client && !watch.expectAnswer(client as unknown as RedisClientType, info => onInfo(address, info)),
      )
      const isPartial = cluster.slots.includes(undefined as never) || cluster.slots.length === 0
      if (cluster.isReady && (silent.length > 0 || isPartial))
        void rediscover(new Set(silent.map(({ address }) => address)))
    },
    onError: listener => {
      cluster.on('error', (error: Error) => listener(error.message))
      cluster.on('node-error', (error: Error) => listener(error.message))
    },
    onStale: listener => {
      cluster.on('node-error', (error: Error, node: ServerAddress) =>
        listener(addressOf(node), error.message),
      )
      cluster.on('node-ready', (node: ServerAddress) => listener(addressOf(node), 'a new connection'))
    },
  }
}
