import { and, gte, lt, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../platform/database/connection.js'
import { rowsOf } from '../platform/database/database.js'
import { auditLog } from '../platform/database/schema/audit.js'
import type { AuditFilterQuery } from './audit.dto.js'
import type { AuditSelection } from './audit-scan.js'
import { ALL_IDS, type IdRange } from './id-range.js'

/** How far a replica's clock may be from the others'; doctor reports a difference of a second. */
const CLOCKS_APART_MS = 10 * 60 * 1000
/** An export may take a moment longer, and should miss nothing. */
export const CLOCKS_FAR_APART_MS = 24 * 60 * 60 * 1000
/** Ids and times are roughly in the same order, so this many rows show where to begin. */
const ROWS_AROUND = 1_000

/**
 * The account's rows that match the filter, never rows of another account or of none; without an account, the rows
 * of all.
 */
export function selectionOf(accountId: string | null, filter: AuditFilterQuery): AuditSelection {
  const { from, to, user, action, outcome } = filter
  const where = and(from && gte(auditLog.at, from), to && lt(auditLog.at, to))
  return { accountId, user, action, outcome, where }
}

/**
 * The range of ids that rows of this period can have, so that a page of old rows does not begin at the newest. It is
 * empty when there are no rows since `from`.
 */
export async function idsBetween(
  db: Db,
  { from, to }: AuditFilterQuery,
  clocksApartMs = CLOCKS_APART_MS,
): Promise<IdRange> {
  const lowest = from && (await idNear(db, from.getTime() - clocksApartMs, sql`min(id)`))
  const highest = to && (await idNear(db, to.getTime() + clocksApartMs, sql`max(id)`))
  if (lowest === null) return { after: ALL_IDS.to, to: ALL_IDS.to }
  return { after: lowest === undefined ? ALL_IDS.after : lowest - 1, to: highest ?? ALL_IDS.to }
}

/** The lowest or highest id of the first rows since then; null when there are none. */
async function idNear(db: Db, time: number, which: SQL): Promise<number | null> {
  const first = sql`
    select id from ${auditLog} where ${auditLog.at} >= ${new Date(time).toISOString()}::timestamptz
    order by ${auditLog.at} limit ${ROWS_AROUND}`
  const [row] = rowsOf<{ id: string | null }>(
    await db.execute(sql`select ${which}::text as id from (${first}) first`),
  )
  return row?.id ? Number(row.id) : null
}
