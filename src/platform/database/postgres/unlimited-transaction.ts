import pg from 'pg'
import { ISOLATION_LEVEL, SET_LOCAL } from './session-settings.js'

const CONNECT_TIMEOUT_MS = 5_000
/** A long statement is silent: without this, its connection would be dropped on the way, or its host lost, unnoticed. */
const KEEP_ALIVE_AFTER_MS = 10_000

/**
 * One transaction on a connection of its own, without a time limit. Its settings are local to the transaction, so
 * it works through PgBouncer too.
 */
export async function unlimitedTransaction<T>(
  url: string,
  onError: (error: Error) => void,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  })
  client.on('error', onError)
  await client.connect()
  try {
    await client.query(`begin ${ISOLATION_LEVEL}`)
    await client.query(
      `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; ${SET_LOCAL}`,
    )
    const result = await work(client)
    await client.query('commit')
    return result
  } finally {
    // Rolls back what is not committed.
    await client.end()
  }
}
