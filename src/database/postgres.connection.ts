import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import { type Connection, type Db, MIGRATIONS_FOLDER } from './connection.js'
import * as schema from './schema.js'

const POOL = {
  max: 10,
  /** Fail fast and closed: waiting longer only piles up requests. */
  connectionTimeoutMillis: 1_000,
  statement_timeout: 2_000,
  query_timeout: 2_500,
  idle_in_transaction_session_timeout: 5_000,
  application_name: 'mainstay',
}

/** Any number will do, as long as every replica takes the same. */
const MIGRATION_LOCK = 7_245_001

/**
 * SQLSTATE classes of an outage (PostgreSQL, appendix A): connection, authorization (credentials being rotated),
 * resources, operator intervention, system; and two states: read-only (a standby), a transaction left idle.
 */
const OUTAGE_CLASSES = new Set(['08', '28', '53', '57', '58'])
const OUTAGE_STATES = new Set(['25006', '25P03'])
const OUTAGE_CODES = /^E(CONN|HOST|NET|PIPE|TIMEDOUT|AI_AGAIN|NOTFOUND)/
const OUTAGE_MESSAGES = /timeout|Connection terminated|not queryable/i

export function openPostgres(url: string, onError: (error: Error) => void): Connection {
  const pool = new pg.Pool({ ...POOL, connectionString: url })
  pool.on('error', onError)
  // A client that is in use when its server dies raises this too, and an error nobody listens to ends the process.
  pool.on('connect', client => client.on('error', onError))
  return {
    db: drizzle(pool, { schema }) as unknown as Db,
    migrate: () => migrateOnce(url, onError),
    isOutage,
    close: () => pool.end(),
  }
}

/** On a connection of its own: a migration may take longer than a query of ours ever should. */
async function migrateOnce(url: string, onError: (error: Error) => void): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', onError)
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    await migrate(drizzle(client), { migrationsFolder: MIGRATIONS_FOLDER })
  } finally {
    await client.end()
  }
}

function isOutage(error: unknown): boolean {
  const { code = '', message = '', name } = error as { code?: string; message?: string; name?: string }
  if (name === 'AggregateError') return (error as AggregateError).errors.some(isOutage)
  return (
    OUTAGE_CLASSES.has(code.slice(0, 2)) ||
    OUTAGE_STATES.has(code) ||
    OUTAGE_CODES.test(code) ||
    (!code && OUTAGE_MESSAGES.test(message))
  )
}
