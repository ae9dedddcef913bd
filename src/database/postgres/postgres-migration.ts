import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import { MIGRATIONS_FOLDER } from '../connection.js'

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
