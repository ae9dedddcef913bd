import { sql } from 'drizzle-orm'
import { eventually } from '../../support/eventually.js'
import type { TestApp } from '../../support/test-app.js'

/** Resolves once this many statements wait for a lock that another transaction holds; PostgreSQL only. */
export async function untilWaiting(app: TestApp, count = 1): Promise<void> {
  const waiting = sql`select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const allWait = async () => {
    // In a statement of its own: within a transaction the view does not change.
    const [row] = await app.query<{ waiting: number }>(waiting)
    return row?.waiting === count
  }
  await eventually(allWait, { what: `${count} statements to wait for a lock`, everyMs: 20 })
}
