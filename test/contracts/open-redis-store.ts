import {
  ChangeFeed,
  type Database,
  type IdleTimeouts,
  Metrics,
  openRedis,
  type RedisConnection,
  RedisSessionStore,
} from '../sources.js'
import { eventually } from '../support/eventually.js'
import { TIMEOUTS_OF_ACCOUNTS } from './kept-session.js'

/** A session store with copies, and what it stands on. */
export interface OpenRedisStore {
  readonly store: RedisSessionStore
  readonly redis: RedisConnection
  readonly feed: ChangeFeed
  readonly metrics: Metrics
  close(): void
}

/** Servers on a busy test machine may stand still for a while; what happens then is for test/faults. */
const PATIENT_MS = 3_000
export const REFRESHES_AT_ONCE = 5
const WITHOUT_DATABASE_SECONDS = 900

/** A store on connections of its own, with a feed of its own, unless it is given, that is far enough for copies. */
export async function openRedisStore(
  url: string,
  database: Database,
  {
    timeoutMs = PATIENT_MS,
    feed,
    timeouts = TIMEOUTS_OF_ACCOUNTS,
  }: { timeoutMs?: number; feed?: ChangeFeed; timeouts?: IdleTimeouts } = {},
): Promise<OpenRedisStore> {
  const redis = await openRedis(url, timeoutMs)
  const ownFeed = new ChangeFeed(database, WITHOUT_DATABASE_SECONDS)
  if (!feed) await ownFeed.start()
  const metrics = new Metrics()
  const used = feed ?? ownFeed
  const store = new RedisSessionStore(database, REFRESHES_AT_ONCE, timeouts, redis, used, metrics)
  if (!feed) await eventually(() => used.origin !== null, { what: 'copies to be written' })
  return {
    store,
    redis,
    feed: used,
    metrics,
    close: () => {
      ownFeed.onApplicationShutdown()
      redis.onApplicationShutdown()
    },
  }
}
