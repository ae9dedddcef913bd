import { and, eq, gte, lt, type SQL } from 'drizzle-orm'
import { auditLog } from '../database/schema.js'
import type { AuditFilterQuery } from './audit.dto.js'

/** The account's rows that match the filter; never rows of another account or of none. */
export function isListed(
  accountId: string,
  { user, action, outcome, from, to }: AuditFilterQuery,
): SQL | undefined {
  return and(
    eq(auditLog.accountId, accountId),
    user ? eq(auditLog.userId, user) : undefined,
    action ? eq(auditLog.action, action) : undefined,
    outcome ? eq(auditLog.outcome, outcome) : undefined,
    from ? gte(auditLog.at, from) : undefined,
    to ? lt(auditLog.at, to) : undefined,
  )
}
