import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { openRedis } from '../../sources.js'
import { startRedisCluster } from '../../support/redis/redis-cluster.js'
import { startRedisSentinel } from '../../support/redis/redis-sentinel.js'
import { startRedis } from '../../support/redis/redis-server.js'

/** Longer than any timeout of the connection: a server that has nothing to say must not be taken for a dead one. */
const QUIET_MS = 5_000

// All at once: each only waits.
test.concurrent.each<[string, () => Promise<{ url: string; stop(): Promise<void> }>]>([
  ['Redis', () => startRedis()],
  ['a Redis Cluster', () => startRedisCluster()],
  ['Redis Sentinel', () => startRedisSentinel({ sentinels: 1 })],
  ['Redis Sentinel of which one is dead', () => withDeadSentinel()],
])('a quiet connection to %s raises no doubt about what it knows', async (_, start) => {
  const server = await start()
  const connection = await openRedis(server.url, 300)
  try {
    await connection.run(redis => redis.get('a'))
    let doubts = 0
    connection.onStale(() => doubts++)
    await sleep(QUIET_MS)
    expect(doubts).toBe(0)
    expect(await connection.run(redis => redis.get('a'))).toBeNull()
  } finally {
    connection.onApplicationShutdown()
    await server.stop()
  }
})

async function withDeadSentinel() {
  const group = await startRedisSentinel({ sentinels: 1 })
  // Nothing listens on port 1; it comes first, so that every look at the sentinels begins with it.
  return { url: group.url.replace('://', '://127.0.0.1:1,'), stop: group.stop }
}
