import { Injectable } from '@nestjs/common'
import { and, desc, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm'
import { Database } from '../database/database.js'
import { auditLog, users } from '../database/schema.js'
import { deviceName } from '../http/client.js'
import { pageOf } from '../http/page.js'
import type { AuditFilterQuery, AuditListQuery } from './audit.dto.js'
import { DEFAULT_PAGE, rowCursor } from './row-cursor.js'

/** The parts of a row that name users. */
interface RowWithUsers {
  /** Whom it concerns. */
  readonly userId: string | null
  readonly detail: Readonly<Record<string, unknown>>
}

/** The fields of `detail` that hold a user id. */
const USERS_IN_DETAIL = ['by', 'invitedBy', 'to', 'from'] as const

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The audit log of an account, for its managers. */
@Injectable()
export class AuditTrail {
  constructor(private readonly database: Database) {}

  /**
   * One page of the account's rows, newest first. A page continues where the previous one ended, whatever has
   * been written since. `people` are the e-mail addresses of the users in it: the current ones, or for
   * removed users the last.
   */
  async list(accountId: string, query: AuditListQuery) {
    const { limit = DEFAULT_PAGE } = query
    const { rows, next } = await pageOf(limit, count => this.read(accountId, query, count), rowCursor)
    const emails = await this.emailsOf(accountId, rows)
    return {
      entries: rows.map(row => ({ ...row, email: emailOf(row, emails), device: deviceOf(row) })),
      people: Object.fromEntries(emails),
      next,
    }
  }

  private read(accountId: string, query: AuditListQuery, count: number) {
    const { id, at, action, outcome, userId, sid, ip, userAgent, origin, requestId, detail } = auditLog
    const isNext = query.after === undefined ? undefined : lt(id, query.after)
    return this.database.report(db =>
      db
        .select({
          ...{ id, at, action, outcome, userId },
          ...{ sid, ip, userAgent, origin, requestId, detail },
        })
        .from(auditLog)
        .where(and(isListed(accountId, query), isNext, query.to && isWrittenBy(query.to)))
        .orderBy(desc(id))
        .limit(count),
    )
  }

  /**
   * E-mail addresses by user id, for all users of the account in these rows: the current address, or for
   * removed users the last. Never of another account.
   */
  private async emailsOf(
    accountId: string,
    rows: readonly RowWithUsers[],
  ): Promise<ReadonlyMap<string, string>> {
    const ids = [...new Set(rows.flatMap(idsIn))]
    if (ids.length === 0) return new Map()
    const removed = await this.removedEmails(accountId, ids)
    const present = await this.database.report(db =>
      db
        .select({ id: users.id, email: users.email })
        .from(users)
        .where(and(inArray(users.id, ids), eq(users.accountId, accountId))),
    )
    return new Map([...removed, ...present.map(({ id, email }) => [id, email] as const)])
  }

  /** The addresses that the rows about their removal have kept. */
  private async removedEmails(accountId: string, ids: string[]): Promise<[string, string][]> {
    const isRemoval = and(eq(auditLog.action, 'user.remove'), eq(auditLog.outcome, 'ok'))
    const rows = await this.database.report(db =>
      db
        .select({ userId: auditLog.userId, detail: auditLog.detail })
        .from(auditLog)
        .where(and(inArray(auditLog.userId, ids), eq(auditLog.accountId, accountId), isRemoval)),
    )
    return rows.flatMap(({ userId, detail }) =>
      userId && typeof detail.email === 'string' ? [[userId, detail.email] as [string, string]] : [],
    )
  }
}

function emailOf({ userId }: { userId: string | null }, emails: ReadonlyMap<string, string>): string | null {
  return (userId && emails.get(userId)) ?? null
}

/** In words; null for what an operator or the service itself did. */
function deviceOf({ ip, userAgent }: { ip: string | null; userAgent: string | null }): string | null {
  return ip === null ? null : deviceName(userAgent)
}

function idsIn({ userId, detail }: RowWithUsers): string[] {
  return [userId, ...USERS_IN_DETAIL.map(name => detail[name])].filter(
    (id): id is string => typeof id === 'string' && ID.test(id),
  )
}

/**
 * The account's rows that match the filter, never rows of another account or of none; without an account, the rows
 * of all.
 */
export function isListed(
  accountId: string | null,
  { user, action, outcome, from, to }: AuditFilterQuery,
): SQL | undefined {
  return and(
    accountId === null ? undefined : eq(auditLog.accountId, accountId),
    user ? eq(auditLog.userId, user) : undefined,
    action ? eq(auditLog.action, action) : undefined,
    outcome ? eq(auditLog.outcome, outcome) : undefined,
    from ? gte(auditLog.at, from) : undefined,
    to ? lt(auditLog.at, to) : undefined,
  )
}

/** How far a replica's clock may be behind the others; doctor reports a second. */
const MAX_LAG_MS = 10 * 60 * 1000

/**
 * Whether a row can be from before `to`, by its id: an index then finds the first page at once, instead of reading all
 * rows of the account since. Rows in that order, by and large, so a thousand of those from after `to` show where to begin.
 */
function isWrittenBy(to: Date): SQL {
  const after = new Date(to.getTime() + MAX_LAG_MS).toISOString()
  const later = sql`select ${auditLog.id} from ${auditLog} where ${auditLog.at} >= ${after}::timestamptz order by ${auditLog.at} limit 1000`
  return sql`${auditLog.id} <= (select coalesce(max(id), ${Number.MAX_SAFE_INTEGER}) from (${later}) later)`
}
