import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import type { Connection, Db } from '../connection.js'
import { CircuitBreaker, RETRY_MS } from './circuit-breaker.js'
import { migratePostgres } from './migrate-postgres.js'
import { findPrimary, hostUrls } from './postgres-hosts.js'
import { isOutage, isReadOnly } from './postgres-outage.js'
import { PostgresPools } from './postgres-pools.js'
import { unlimitedTransaction } from './unlimited-transaction.js'

/** Nobody is waiting yet at start. */
const START_LIMIT_MS = 5_000
/** Connecting takes several round trips. Waiting longer only piles up requests. */
const MIN_WAIT_MS = 1_000

export interface PostgresOptions {
  /** `postgres://…`, with several hosts where one takes over from another. */
  readonly url: string
  readonly poolSize: number
  /** A server that has been silent this long is given up until it answers. */
  readonly timeoutMs: number
}

/** A pool of connections to the host that takes writes; replaced when that host changes or was silent. */
export function openPostgres(
  { url, poolSize, timeoutMs }: PostgresOptions,
  onError: (error: Error) => void,
): Connection {
  const urls = hostUrls(url)
  const limits = { size: poolSize, waitMs: Math.max(MIN_WAIT_MS, timeoutMs) }
  let pools = new PostgresPools(urls[0] as string, limits, onError)
  const use = (host: string) => {
    pools.retire()
    pools = new PostgresPools(host, limits, onError)
  }
  const find = async (limitMs: number) => {
    const primary = await findPrimary(urls, pools.url, limitMs)
    if (primary !== pools.url) use(primary)
  }
  const breaker = new CircuitBreaker({
    patienceMs: timeoutMs,
    isOutage,
    probe: find,
    onOpen: () => use(pools.url),
  })
  const guard = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await breaker.run(work)
    } catch (error) {
      // These connections now lead to a standby; new ones to the same name may not.
      if (isReadOnly(error)) breaker.open()
      throw error
    }
  }
  return {
    run: work => guard(() => work(pools.db)),
    transaction: work => guard(() => pools.transaction(work)),
    report: work => guard(() => pools.report(work)),
    maintain: work =>
      unlimitedTransaction(pools.url, onError, client => work(drizzle(client) as unknown as Db)),
    migrate: async signal => {
      await find(START_LIMIT_MS)
      await migratePostgres(pools.url, onError, signal)
      await waitUntilReachable(() => guard(() => pools.db.execute(sql`select 1`)), START_LIMIT_MS)
    },
    isOutage,
    close: () => {
      breaker.stop()
      return pools.close()
    },
  }
}

/** A request waits a second at most for a connection. At start one may take longer, so keep trying. */
async function waitUntilReachable(ask: () => Promise<unknown>, limitMs: number): Promise<void> {
  const until = performance.now() + limitMs
  for (;;) {
    try {
      await ask()
      return
    } catch (error) {
      if (!isOutage(error) || performance.now() > until) throw error
    }
    await sleep(RETRY_MS)
  }
}
