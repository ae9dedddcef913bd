import { Injectable } from '@nestjs/common'
import { and, desc, eq, inArray, lt, sql } from 'drizzle-orm'
import { Database } from '../database/database.js'
import { auditLog } from '../database/schema.js'
import { deviceName } from '../http/client.js'
import { pageOf } from '../http/page.js'
import { Reauthentication } from '../sessions/reauthentication.js'
import type { Session } from '../sessions/session.js'
import type { PageQuery } from './logins.dto.js'
import { DEFAULT_PAGE, rowCursor } from './row-cursor.js'

/** When and from where somebody logged in, or tried to log in, as a user. */
@Injectable()
export class LoginHistory {
  constructor(
    private readonly database: Database,
    private readonly reauthentication: Reauthentication,
  ) {}

  /**
   * One page of the logins of the session's user, right and failed, newest first. A session that is confined
   * to its satellite sees only that site's; `complete` says whether these are all.
   */
  async list(session: Session, query: PageQuery) {
    const { limit = DEFAULT_PAGE } = query
    const site = this.reauthentication.confinementOf(session)
    const read = (count: number) => this.read(session.userId, site, query, count)
    const { rows, next } = await pageOf(limit, read, rowCursor)
    return {
      complete: site === null,
      logins: rows.map(({ id, userAgent, ...login }) => ({ ...login, device: deviceName(userAgent) })),
      next,
    }
  }

  private read(user: string, site: string | null, { after }: PageQuery, count: number) {
    const { id, at, action, outcome, userId, sid, ip, userAgent, origin, detail } = auditLog
    const isLogin = and(eq(userId, user), eq(action, 'login'), inArray(outcome, ['ok', 'failed']))
    const source = sql<string | null>`${detail} ->> 'source'`
    return this.database.report(db =>
      db
        .select({ id, at, outcome, source, origin, ip, userAgent, sid })
        .from(auditLog)
        .where(
          and(
            isLogin,
            site === null ? undefined : eq(origin, site),
            after === undefined ? undefined : lt(id, after),
          ),
        )
        .orderBy(desc(id))
        .limit(count),
    )
  }
}
