import calculateSlot from 'cluster-key-slot'
import { createCluster, type RedisClientType } from 'redis'
import { connectTo, loginOf } from './connect-to.js'
import { ConnectionWatch } from './connection-watch.js'
import { OPTIONS, type RedisClient, type RedisCommands, type ServerAddress } from './redis-client.js'
import { replyOf } from './reply-of.js'

/** A Redis Cluster; a shard is the address of its master. */
export function clusterClient(urls: readonly string[]): RedisClient {
  const cluster = createCluster({
    rootNodes: urls.map(url => ({ url })),
    defaults: OPTIONS,
    // Otherwise a new master that dies while we connect would block every later search for its successor.
    minimizeConnections: true,
    // How long we try to reach a master before we ask the others who replaced it (5 s by default), in ms.
    topologyRefreshOnReconnectionAttemptStrategy: 300,
  })
  const watch = new ConnectionWatch()
  const shardOf = ({ host, port }: ServerAddress) => `${host}:${port}`
  /** Asks other nodes for the slots. A second call waits for the first. */
  const askAgain = (silent: ReadonlySet<string>) =>
    cluster._slots.rediscover(undefined, silent).catch(() => {
      // It was logged, and is tried again in a second.
    })
  return {
    commands: cluster as unknown as RedisCommands,
    connect: () => cluster.connect(),
    close: () => cluster.destroy(),
    shards: () => cluster.masters.map(({ address }) => address),
    // While a cluster is being set up, or has lost a master for good, nobody serves some slots.
    shardOf: key => cluster.slots[calculateSlot(key)]?.master.address ?? null,
    server: async shard => {
      const master = cluster.masters.find(({ address }) => address === shard)
      if (!master) throw new Error(`${shard} is no longer a master`)
      return (await cluster.nodeClient(master)) as unknown as RedisClientType
    },
    connectTo: address => connectTo(address, loginOf(urls[0] as string)),
    // Its MOVED reply would name its successor, but nothing that could be answered so is sent to a shard that
    // is shut.
    leaveReplica: () => void askAgain(new Set()),
    replyOf,
    tend: heard => {
      const silent = cluster.masters.filter(
        ({ client, address }) =>
          client && !watch.expectAnswer(client as unknown as RedisClientType, info => heard(address, info)),
      )
      const isPartial = cluster.slots.includes(undefined as never) || cluster.slots.length === 0
      if (cluster.isReady && (silent.length > 0 || isPartial))
        void askAgain(new Set(silent.map(({ address }) => address)))
    },
    onTrouble: listener => {
      cluster.on('error', (error: Error) => listener(error.message))
      cluster.on('node-error', (error: Error) => listener(error.message))
    },
    onDoubt: listener => {
      cluster.on('node-error', (error: Error, node: ServerAddress) => listener(shardOf(node), error.message))
      cluster.on('node-ready', (node: ServerAddress) => listener(shardOf(node), 'a new connection'))
    },
  }
}
