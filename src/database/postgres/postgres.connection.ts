import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import { CircuitBreaker } from '../circuit-breaker.js'
import { type Connection, MIGRATIONS_FOLDER } from '../connection.js'
import { findPrimary, hostUrls } from './postgres-hosts.js'
import { isOutage, isReadOnly } from './postgres-outage.js'
import { PostgresPools } from './postgres-pools.js'

/** Nobody is waiting yet at start. */
const START_LIMIT_MS = 5_000

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
  let pools = new PostgresPools(urls[0] as string, poolSize, onError)
  const use = (host: string) => {
    pools.retire()
    pools = new PostgresPools(host, poolSize, onError)
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
    migrate: async () => {
      await find(START_LIMIT_MS)
      await migratePostgres(pools.url, onError)
    },
    isOutage,
    close: () => {
      breaker.stop()
      return pools.close()
    },
  }
}

const CONNECT_TIMEOUT_MS = 5_000
/** An arbitrary number; every replica must use the same, and nothing else may. */
const MIGRATION_LOCK = 7_245_001

/**
 * Brings the schema up to date, one replica at a time, on its own connection, because a migration may take
 * longer than any query. Lock and time limit belong to the transaction, so it works through PgBouncer too.
 */
export async function migratePostgres(url: string, onError: (error: Error) => void): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  client.on('error', onError)
  await client.connect()
  try {
    await client.query('begin')
    await client.query('set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0')
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
    // Inside ours, its own "begin" only causes a warning, and its "commit" ends both.
    await migrate(drizzle(client), { migrationsFolder: MIGRATIONS_FOLDER })
  } finally {
    await client.end()
  }
}
