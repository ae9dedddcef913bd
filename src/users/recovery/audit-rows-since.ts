import { and, eq, gt, gte } from 'drizzle-orm'
import type { AuditAction } from '../../platform/audit/audit-event.js'
import type { Db } from '../../platform/database/connection.js'
import { auditLog } from '../../platform/database/schema/audit.js'

/** A thief may write hundreds of thousands in a week, and the statement that reads them must not run out of time. */
const ROWS_A_PAGE = 10_000

export type AuditRow = Pick<typeof auditLog.$inferSelect, 'id' | 'userId' | 'detail' | 'action'>

/** What has been done in an account since then, in the order of an index. */
export async function* auditRowsSince(
  transaction: Db,
  of: { readonly accountId: string; readonly action: AuditAction; readonly since: Date },
): AsyncGenerator<AuditRow, void> {
  const { id, accountId, action, outcome, at, userId, detail } = auditLog
  const isDone = and(eq(accountId, of.accountId), eq(action, of.action), eq(outcome, 'ok'), gte(at, of.since))
  for (let after = 0, isMoreThere = true; isMoreThere; ) {
    const rows = await transaction
      .select({ id, userId, detail, action })
      .from(auditLog)
      .where(and(isDone, gt(id, after)))
      .orderBy(id)
      .limit(ROWS_A_PAGE)
    yield* rows
    after = rows.at(-1)?.id ?? after
    isMoreThere = rows.length === ROWS_A_PAGE
  }
}
