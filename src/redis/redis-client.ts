import { createClient, createCluster, createSentinel, type RedisClientType } from 'redis'
import { parseRedisUrl } from './redis-url.js'

/** The commands we use, which the three kinds of client share. */
export type RedisCommands = Pick<
  RedisClientType,
  'eval' | 'evalSha' | 'get' | 'set' | 'del' | 'unlink' | 'hGetAll' | 'zRange' | 'zRem' | 'zRemRangeByScore'
>

/** One of the three kinds of client with what differs between them made equal. */
export interface RedisClient {
  readonly commands: RedisCommands
  connect(): Promise<unknown>
  close(): void
  /** A client for each master, for commands without a key. */
  masters(): Promise<RedisClientType[]>
  /** `listener` hears that a connection was lost or a master changed: what was written last may be gone. */
  onDoubt(listener: (reason: string) => void): void
}

const SOCKET = {
  connectTimeout: 2_000,
  /** A server that stopped without closing its connections (SIGSTOP, a cut cable) is given up after this. */
  socketTimeout: 5_000,
  reconnectStrategy: (retries: number) => Math.min(50 * 2 ** retries, 1_000) + Math.floor(Math.random() * 50),
}
/** No offline queue: with no connection a command fails at once instead of waiting for one. */
const OPTIONS = { disableOfflineQueue: true, pingInterval: 2_000, socket: SOCKET }

/** A client for SESSION_STORE_URL, not yet connected. Throws an Error when the URL cannot be read. */
export function createRedisClient(url: string): RedisClient {
  const address = parseRedisUrl(url)
  if (address.kind === 'cluster') return clusterClient(address.urls)
  if (address.kind === 'sentinel') return sentinelClient(address)
  return singleClient(address.url)
}

function singleClient(url: string): RedisClient {
  const client = createClient({ ...OPTIONS, url })
  return {
    commands: client as unknown as RedisCommands,
    connect: () => client.connect(),
    close: () => client.destroy(),
    masters: async () => [client as unknown as RedisClientType],
    onDoubt: listener => client.on('error', (error: Error) => listener(error.message)),
  }
}

function clusterClient(urls: readonly string[]): RedisClient {
  const cluster = createCluster({
    rootNodes: urls.map(url => ({ url })),
    defaults: OPTIONS,
  })
  return {
    commands: cluster as unknown as RedisCommands,
    connect: () => cluster.connect(),
    close: () => cluster.destroy(),
    masters: () =>
      Promise.all(
        cluster.masters.map(master => cluster.nodeClient(master) as unknown as Promise<RedisClientType>),
      ),
    onDoubt: listener => {
      cluster.on('error', (error: Error) => listener(error.message))
      cluster.on('node-error', (error: Error) => listener(error.message))
    },
  }
}

function sentinelClient(
  address: Extract<ReturnType<typeof parseRedisUrl>, { kind: 'sentinel' }>,
): RedisClient {
  const { masterName, sentinels, username, password } = address
  const sentinel = createSentinel({
    name: masterName,
    sentinelRootNodes: [...sentinels],
    nodeClientOptions: { ...OPTIONS, ...(username && { username }), ...(password && { password }) },
    sentinelClientOptions: { socket: SOCKET },
    passthroughClientErrorEvents: true,
    scanInterval: 1_000,
    masterPoolSize: 4,
  })
  return {
    commands: sentinel as unknown as RedisCommands,
    connect: () => sentinel.connect(),
    close: () => sentinel.destroy(),
    masters: async () => [sentinel as unknown as RedisClientType],
    onDoubt: listener => {
      sentinel.on('error', (error: Error) => listener(error.message))
      sentinel.on('topology-change', ({ type }: { type: string }) => {
        if (type === 'MASTER_CHANGE') listener('the master changed')
      })
    },
  }
}
