import { createClient, type RedisClientType } from 'redis'
import { connectTo, loginOf } from './connect-to.js'
import { ConnectionWatch, reconnect } from './connection-watch.js'
import { OPTIONS, type RedisClient } from './redis-client.js'
import { replyOf } from './reply-of.js'

const SHARD = 'the server'

/** One server, or an address that leads to the current master. */
export function singleClient(url: string): RedisClient {
  const client = createClient({ ...OPTIONS, url })
  const self = client as unknown as RedisClientType
  const watch = new ConnectionWatch()
  return {
    commands: self,
    connect: () => client.connect(),
    close: () => client.destroy(),
    shards: () => [SHARD],
    shardOf: () => SHARD,
    server: async () => self,
    connectTo: address => connectTo(address, loginOf(url)),
    leaveReplica: () => reconnect(self),
    replyOf,
    tend: heard => void watch.expectAnswer(self, info => heard(SHARD, info)),
    onTrouble: listener => client.on('error', (error: Error) => listener(error.message)),
    onDoubt: listener =>
      client
        .on('error', (error: Error) => listener(SHARD, error.message))
        .on('ready', () => listener(SHARD, 'a new connection')),
  }
}
