import { Injectable } from '@nestjs/common'
import { and, desc, eq, inArray, lt, sql } from 'drizzle-orm'
import { Database } from '../database/database.js'
import { auditLog } from '../database/schema.js'
import { deviceName } from '../http/device-name.js'
import { pageOf } from '../http/page.js'
import { DEFAULT_PAGE, type PageQuery } from './page.query.js'
import { rowCursor } from './row-cursor.js'

/** When and from where somebody logged in as a user, or tried to. */
@Injectable()
export class LoginHistory {
  constructor(private readonly database: Database) {}

  /** One page of the user's logins, right and failed, newest first. */
  async list(userId: string, query: PageQuery) {
    const { limit = DEFAULT_PAGE } = query
    const { rows, next } = await pageOf(limit, count => this.read(userId, query, count), rowCursor)
    return {
      logins: rows.map(({ id, userAgent, ...login }) => ({ ...login, device: deviceName(userAgent) })),
      next,
    }
  }

  private read(user: string, { after }: PageQuery, count: number) {
    const { id, at, action, outcome, userId, sid, ip, userAgent, origin, detail } = auditLog
    const isLogin = and(eq(userId, user), eq(action, 'login'), inArray(outcome, ['ok', 'failed']))
    const source = sql<string | null>`${detail} ->> 'source'`
    return this.database.report(db =>
      db
        .select({ id, at, outcome, source, origin, ip, userAgent, sid })
        .from(auditLog)
        .where(and(isLogin, after === undefined ? undefined : lt(id, after)))
        .orderBy(desc(id))
        .limit(count),
    )
  }
}
