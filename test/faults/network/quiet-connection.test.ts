import { setTimeout as sleep } from 'node:timers/promises'
import { expect, jest, test } from '@jest/globals'
import { Logger, openRedis } from '../../sources.js'
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
])('a quiet connection to %s is not given up', async (_, start) => {
  const server = await start()
  const connection = await openRedis(server.url, 300)
  // Of all connections here; one leads to where nobody is.
  const errors = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => {})
  try {
    await connection.run(redis => redis.get('a'))
    await sleep(QUIET_MS)
    expect(errors.mock.calls.filter(([line]) => !/127\.0\.0\.1:1$/.test(String(line)))).toEqual([])
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
