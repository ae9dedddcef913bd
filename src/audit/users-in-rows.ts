import { and, eq, inArray } from 'drizzle-orm'
import type { Database } from '../platform/database/database.js'
import { users } from '../platform/database/schema/accounts.js'
import { auditLog } from '../platform/database/schema/audit.js'
import { isId } from '../platform/http/request.js'

/** The parts of a row that name users. */
interface RowWithUsers {
  /** Whom it concerns. */
  readonly userId: string | null
  readonly detail: Readonly<Record<string, unknown>>
}

/** The fields of `detail` that hold a user id. */
const USERS_IN_DETAIL = ['by', 'invitedBy', 'to', 'from'] as const

/**
 * E-mail addresses and names by user id, for all users of the account in these rows: the current address, or
 * for removed users the last; and the current name, if any. Never of another account.
 */
export async function usersInRows(
  database: Database,
  accountId: string,
  rows: readonly RowWithUsers[],
): Promise<{ emails: ReadonlyMap<string, string>; names: Readonly<Record<string, string>> }> {
  const ids = [...new Set(rows.flatMap(idsIn))]
  if (ids.length === 0) return { emails: new Map(), names: {} }
  const present = await database.report(db =>
    db
      .select({ id: users.id, email: users.email, name: users.name })
      .from(users)
      .where(and(inArray(users.id, ids), eq(users.accountId, accountId))),
  )
  const emails = new Map(present.map(({ id, email }) => [id, email]))
  const removed = await removedEmails(
    database,
    accountId,
    ids.filter(id => !emails.has(id)),
  )
  const named = present.flatMap(({ id, name }) => (name ? [[id, name] as const] : []))
  return { emails: new Map([...removed, ...emails]), names: Object.fromEntries(named) }
}

/** The addresses recorded in the rows about their removal. */
async function removedEmails(
  database: Database,
  accountId: string,
  ids: string[],
): Promise<[string, string][]> {
  if (ids.length === 0) return []
  const isRemoval = and(eq(auditLog.action, 'user.remove'), eq(auditLog.outcome, 'ok'))
  const rows = await database.report(db =>
    db
      .select({ userId: auditLog.userId, detail: auditLog.detail })
      .from(auditLog)
      .where(and(inArray(auditLog.userId, ids), eq(auditLog.accountId, accountId), isRemoval)),
  )
  return rows.flatMap(({ userId, detail }) =>
    userId && typeof detail.email === 'string' ? [[userId, detail.email] as [string, string]] : [],
  )
}

function idsIn({ userId, detail }: RowWithUsers): string[] {
  return [userId, ...USERS_IN_DETAIL.map(name => detail[name])].filter(
    (id): id is string => typeof id === 'string' && isId(id),
  )
}
