import { createSentinel, type RedisClientType } from 'redis'
import { connectTo } from './connect-to.js'
import { OPTIONS, type RedisClient, SOCKET } from './redis-client.js'
import type { parseRedisUrl } from './redis-url.js'
import { replyOf } from './reply-of.js'

const SHARD = 'the master'

export function sentinelClient(
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
    // With a pool, the client hands out connections that it never gets back when many commands start
    // together.
    masterPoolSize: 1,
    reserveClient: true,
  })
  const self = sentinel as unknown as RedisClientType
  return {
    commands: self,
    connect: () => sentinel.connect(),
    close: () => void sentinel.destroy(),
    shards: () => [SHARD],
    shardOf: () => SHARD,
    server: async () => self,
    connectTo: server => connectTo(server, { ...login, isOverTls: false }),
    // It leaves a master that the sentinels have given up.
    leaveReplica: () => {},
    replyOf,
    // A sentinel closes the connections of a server whose role it changes.
    tend: () => {},
    onTrouble: listener => sentinel.on('error', error => listener(String(error))),
    onDoubt: listener => {
      // The one event is also emitted for sentinels, whose trouble says nothing about the master.
      sentinel.on('error', error => {
        if (String(error).includes('Master Client')) listener(SHARD, String(error))
      })
      sentinel.on('topology-change', ({ type }: { type: string }) => {
        if (type === 'MASTER_CHANGE') listener(SHARD, 'another master')
      })
    },
  }
}
