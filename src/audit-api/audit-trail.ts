import { Injectable } from '@nestjs/common'
import { and, desc, lt } from 'drizzle-orm'
import { Database } from '../database/database.js'
import { auditLog } from '../database/schema.js'
import { deviceName } from '../http/client.js'
import { pageOf } from '../http/page.js'
import type { AuditListQuery } from './audit.dto.js'
import { isListed } from './audit-filter.js'
import { PeopleInRows } from './people-in-rows.js'
import { DEFAULT_PAGE, rowCursor } from './row-cursor.js'

/** The audit log of an account, for its managers. */
@Injectable()
export class AuditTrail {
  constructor(
    private readonly database: Database,
    private readonly people: PeopleInRows,
  ) {}

  /**
   * One page of the account's rows, newest first. A page continues where the previous one ended, whatever has
   * been written since. `people` are the e-mail addresses of the users in it: the current ones, or for
   * removed users the last.
   */
  async list(accountId: string, query: AuditListQuery) {
    const { limit = DEFAULT_PAGE } = query
    const { rows, next } = await pageOf(limit, count => this.read(accountId, query, count), rowCursor)
    const people = await this.people.emailsOf(accountId, rows)
    return {
      entries: rows.map(row => ({ ...row, email: emailOf(row, people), device: deviceOf(row) })),
      people: Object.fromEntries(people),
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
        .where(and(isListed(accountId, query), isNext))
        .orderBy(desc(id))
        .limit(count),
    )
  }
}

function emailOf({ userId }: { userId: string | null }, people: ReadonlyMap<string, string>): string | null {
  return (userId && people.get(userId)) ?? null
}

/** In words; null for what an operator or the service itself did. */
function deviceOf({ ip, userAgent }: { ip: string | null; userAgent: string | null }): string | null {
  return ip === null ? null : deviceName(userAgent)
}
