import pg from 'pg'
import { findPrimary, hostUrls, ISOLATION_LEVEL, SET_LOCAL } from '../../../platform/database/postgres.js'
import { within } from '../../../platform/time.js'

const CONNECT_MS = 20_000
const STATEMENT_MS = 20_000
const END_MS = 2_000

/** One connection to PostgreSQL, for reading. */
export interface PostgresSession {
  /** The rows of a statement. */
  rows<T>(sql: string, values?: readonly unknown[]): Promise<T[]>
  /** The one row of a statement that always has one. */
  row<T>(sql: string, values?: readonly unknown[]): Promise<T>
}

/**
 * Runs `work` on a connection to the host of `url` that takes writes; rejects when there is none within some
 * seconds. Unlike the service's own, it changes nothing: it makes no tables and runs no migration.
 */
export async function withPostgres<T>(
  url: string,
  work: (session: PostgresSession) => Promise<T>,
): Promise<T> {
  const urls = hostUrls(url)
  const primary = await findPrimary(urls, urls[0] as string, CONNECT_MS)
  const client = new pg.Client({
    connectionString: primary,
    application_name: 'mainstay doctor',
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: STATEMENT_MS + 500,
  })
  client.on('error', () => {
    // The pending query rejects with it too.
  })
  try {
    await client.connect()
    return await work(sessionOn(client))
  } finally {
    // A server that no longer answers does not answer this either.
    await within(END_MS, client.end()).catch(() => {})
  }
}

/** Each in a transaction of its own: behind PgBouncer, session settings would leak to other clients. */
function sessionOn(client: pg.Client): PostgresSession {
  const rows = async <T>(sql: string, values: readonly unknown[] = []) => {
    await client.query(
      `begin ${ISOLATION_LEVEL}, read only; set local statement_timeout = ${STATEMENT_MS}; ${SET_LOCAL}`,
    )
    try {
      return (await client.query(sql, [...values])).rows as T[]
    } finally {
      await client.query('rollback')
    }
  }
  const row = async <T>(sql: string, values?: readonly unknown[]) => (await rows<T>(sql, values))[0] as T
  return { rows, row }
}
