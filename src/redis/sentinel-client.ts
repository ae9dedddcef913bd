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
  // No scanInterval: during each look at the sentinels commands have to wait, and sentinels tell of a change themselves.
  const sentinel = createSentinel({
    name: masterName,
    sentinelRootNodes: [...sentinels],
    nodeClientOptions: { ...OPTIONS, ...login },
    sentinelClientOptions: { pingInterval: OPTIONS.pingInterval, socket: SOCKET },
    passthroughClientErrorEvents: true,
    // Of a pool the client gives out connections that it never gets back when many commands start together.
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
    // A sentinel cuts the connections of a server whose place it changes.
    tend: () => {},
    onTrouble: listener => sentinel.on('error', error => listener(String(error))),
    onDoubt: listener => {
      // The one event is for sentinels too, whose troubles say nothing about what the master knows.
      sentinel.on('error', error => {
        if (String(error).includes('Master Client')) listener(SHARD, String(error))
      })
      sentinel.on('topology-change', ({ type }: { type: string }) => {
        if (type === 'MASTER_CHANGE') listener(SHARD, 'another master')
      })
    },
  }
}
