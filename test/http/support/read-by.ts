import { sql } from 'drizzle-orm'
import { type Database, type Db, rowsOf } from '../../sources.js'

/** What PostgreSQL has read: rows of tables as a whole and entries of indexes, and the blocks of both. */
export interface Read {
  readonly rows: number
  readonly blocks: number
}

/** What `work` reads of the tables whose names begin so, in a transaction of its own. */
export function readBy(
  database: Database,
  work: (db: Db) => Promise<unknown>,
  tables = 'audit_',
): Promise<Read> {
  return database.transaction(async db => {
    const before = await readUntilNow(db, tables)
    await work(db)
    const after = await readUntilNow(db, tables)
    return { rows: after.rows - before.rows, blocks: after.blocks - before.blocks }
  })
}

async function readUntilNow(db: Db, tables: string): Promise<Read> {
  const found = await db.execute(sql`
    select sum(pg_stat_get_xact_tuples_returned(oid))::int as rows,
      sum(pg_stat_get_xact_blocks_fetched(oid))::int as blocks
    from pg_class where starts_with(relname, ${tables})`)
  return rowsOf<Read>(found)[0] as Read
}
