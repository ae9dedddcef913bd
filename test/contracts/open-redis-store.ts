import { RedisConnection } from '../../src/redis/redis-connection.js'
import { RedisSessionStore } from '../../src/sessions/redis.session-store.js'

export interface OpenRedisStore {
  readonly store: RedisSessionStore
  readonly redis: RedisConnection
  close(): void
}

/** Servers on a busy test machine may stand still for a while; what happens then is for test/faults. */
const PATIENT_MS = 3_000

/** A store that serves, on a connection of its own, with nothing to replay. */
export async function openRedisStore(url: string): Promise<OpenRedisStore> {
  const redis = await RedisConnection.open(url, PATIENT_MS)
  const store = new RedisSessionStore(redis)
  await store.beforeServing(async () => {})
  return {
    store,
    redis,
    close: () => {
      store.onApplicationShutdown()
      redis.onApplicationShutdown()
    },
  }
}
