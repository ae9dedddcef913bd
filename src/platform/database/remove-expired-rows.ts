import { lte, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { type Database, rowsOf } from './database.js'

/** Few enough that a statement stays well below its time limit. */
const ROWS_A_STATEMENT = 5_000

/** Deletes the rows of `table` whose `expiry` is `now` or earlier, in small statements; returns how many. */
export function removeExpiredRows(
  database: Database,
  table: PgTable,
  expiry: PgColumn,
  now: Date,
): Promise<number> {
  return removeRows(database, table, lte(expiry, now))
}

/** Deletes the rows of `table` that match `which`, in small statements; returns how many. */
export async function removeRows(
  database: Database,
  table: PgTable,
  which: SQL | undefined,
): Promise<number> {
  const found = sql`select ctid from ${table} where ${which} limit ${ROWS_A_STATEMENT}`
  const statement = sql`
    with gone as (delete from ${table} where ctid = any (array(${found})) returning 1)
    select count(*)::int as count from gone`
  for (let removed = 0; ; ) {
    const [gone] = rowsOf<{ count: number }>(await database.run(db => db.execute(statement)))
    removed += gone?.count ?? 0
    if (!gone || gone.count < ROWS_A_STATEMENT) return removed
  }
}
