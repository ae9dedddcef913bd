import { setTimeout as sleep } from 'node:timers/promises'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import { Logger } from '../../log.js'
import { MIGRATIONS_FOLDER } from '../connection.js'
import { isLockTimeout } from './postgres-outage.js'
import { unlimitedTransaction } from './unlimited-transaction.js'

/** An arbitrary number; every replica must use the same, and nothing else may. */
const MIGRATION_LOCK = 7_245_001
/**
 * How long a statement waits for a table. Everything queued behind it waits too, and requests are ended after 2
 * s: a backup, which uses every table for as long as it runs, would otherwise stop all logins.
 */
const TABLE_LOCK_TIMEOUT_MS = 500
const TRY_AGAIN_MS = 2_000

/**
 * Brings the schema up to date, one replica at a time, on its own connection, because a migration may take longer
 * than any query. While somebody else uses a table that it has to change, it keeps trying. Gives up, and rejects,
 * when `signal` aborts.
 */
export async function migratePostgres(
  url: string,
  onError: (error: Error) => void,
  signal?: AbortSignal,
): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await migrateOnce(url, onError, signal)
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      if (isFirst)
        new Logger('Database').warn(
          'The migration is waiting for a table that is in use, perhaps by a backup; retrying every 2 s',
        )
      await sleep(TRY_AGAIN_MS, undefined, { signal })
    }
  }
}

/** The locks belong to the transaction too. */
function migrateOnce(url: string, onError: (error: Error) => void, signal?: AbortSignal): Promise<void> {
  return unlimitedTransaction(url, onError, async client => {
    signal?.throwIfAborted()
    // Ends the connection in the middle of a statement too.
    const stop = () => void client.end()
    signal?.addEventListener('abort', stop, { once: true })
    client.once('end', () => signal?.removeEventListener('abort', stop))
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
    await client.query(`set local lock_timeout = ${TABLE_LOCK_TIMEOUT_MS}`)
    // Inside ours, its own "begin" only causes a warning, and its "commit" ends both.
    await migrate(drizzle(client), { migrationsFolder: MIGRATIONS_FOLDER })
  })
}
