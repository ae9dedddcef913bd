import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import { MIGRATIONS_FOLDER } from './connection.js'

const CONNECT_TIMEOUT_MS = 5_000
/** Any number will do, as long as every replica takes the same. */
const MIGRATION_LOCK = 7_245_001

/**
 * Brings the schema up to date, one replica at a time, on a connection of its own: a migration may take longer than a query
 * of ours ever should. Lock and time limit belong to the transaction, so that it works through PgBouncer too.
 */
export async function migratePostgres(url: string, onError: (error: Error) => void): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  client.on('error', onError)
  await client.connect()
  try {
    await client.query('begin')
    await client.query('set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0')
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
    // Its own "begin" is a warning inside of ours, and its "commit" ends both.
    await migrate(drizzle(client), { migrationsFolder: MIGRATIONS_FOLDER })
  } finally {
    await client.end()
  }
}
