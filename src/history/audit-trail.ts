import { Injectable } from '@nestjs/common'
import { and, desc, eq, lt } from 'drizzle-orm'
import { Database } from '../database/database.js'
import { auditLog, users } from '../database/schema.js'
import { deviceName } from '../http/device-name.js'
import { pageOf } from '../http/page.js'
import { isListed } from './audit-filter.js'
import type { AuditListQuery } from './audit-list.query.js'
import { DEFAULT_PAGE } from './page.query.js'
import { rowCursor } from './row-cursor.js'

/** The audit log of an account, for the people in it. */
@Injectable()
export class AuditTrail {
  constructor(private readonly database: Database) {}

  /**
   * One page of the account's rows, newest first. A page goes on where the one before ended, whatever was written since.
   * `email` is what the user has now, null for who is no user of the account any more.
   */
  async list(accountId: string, query: AuditListQuery) {
    const { limit = DEFAULT_PAGE } = query
    const { rows, next } = await pageOf(limit, count => this.read(accountId, query, count), rowCursor)
    return { entries: rows.map(row => ({ ...row, device: deviceOf(row) })), next }
  }

  private read(accountId: string, query: AuditListQuery, count: number) {
    const { id, at, action, outcome, userId, sid, ip, userAgent, origin, requestId, detail } = auditLog
    const isNext = query.after === undefined ? undefined : lt(id, query.after)
    const isTheirUser = and(eq(users.id, userId), eq(users.accountId, accountId))
    return this.database.report(db =>
      db
        .select({
          ...{ id, at, action, outcome, userId, email: users.email },
          ...{ sid, ip, userAgent, origin, requestId, detail },
        })
        .from(auditLog)
        .leftJoin(users, isTheirUser)
        .where(and(isListed(accountId, query), isNext))
        .orderBy(desc(id))
        .limit(count),
    )
  }
}

/** In words; null for what an operator did, or the service by itself. */
function deviceOf({ ip, userAgent }: { ip: string | null; userAgent: string | null }): string | null {
  return ip === null ? null : deviceName(userAgent)
}
