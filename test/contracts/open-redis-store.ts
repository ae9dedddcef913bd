import {
  openRedis,
  type RedisConnection,
  RedisSessionStore,
  type SessionForm,
  ShardGates,
  type UserSessions,
} from '../sources.js'

export interface OpenRedisStore {
  readonly store: RedisSessionStore
  readonly redis: RedisConnection
  close(): void
}

/** Servers on a busy test machine may stand still for a while; what happens then is for test/faults. */
const PATIENT_MS = 3_000

/** A store that serves, on a connection of its own, with nothing to repeat. */
export async function openRedisStore(
  url: string,
  userSessions: UserSessions,
  form: SessionForm = 'long',
): Promise<OpenRedisStore> {
  const redis = await openRedis(url, PATIENT_MS)
  const gates = new ShardGates(redis)
  gates.trust()
  return {
    store: new RedisSessionStore(redis, gates, userSessions, form),
    redis,
    close: () => {
      gates.close()
      redis.onApplicationShutdown()
    },
  }
}
