import { Injectable } from '@nestjs/common'
import { and, eq, inArray } from 'drizzle-orm'
import { Database } from '../platform/database/database.js'
import { auditLog } from '../platform/database/schema/audit.js'
import { deviceName } from '../platform/http/request.js'
import { Reauthentication } from '../sessions/reauthentication.js'
import type { Session } from '../sessions/session.js'
import type { AuditRow } from './audit-hash.js'
import { type AuditSelection, scanAuditLog } from './audit-scan.js'
import { ALL_IDS } from './id-range.js'
import type { PageQuery } from './logins.dto.js'
import { pageBefore } from './row-page.js'

/** When and from where somebody logged in, or tried to log in, as a user. */
@Injectable()
export class LoginHistory {
  constructor(
    private readonly database: Database,
    private readonly reauthentication: Reauthentication,
  ) {}

  /**
   * One page of the logins of the session's user, successful and failed, newest first. A session that is confined
   * to its satellite sees only that site's; `complete` says whether these are all.
   */
  async list(session: Session, query: PageQuery) {
    const site = this.reauthentication.confinementOf(session)
    const selection = selectionOf(session.userId, site)
    const { rows, next } = await this.database.report(db =>
      pageBefore(query, ALL_IDS, step => scanAuditLog(db, selection, step)),
    )
    return { complete: site === null, logins: rows.map(loginOf), next }
  }
}

function selectionOf(user: string, site: string | null): AuditSelection {
  const { outcome, origin } = auditLog
  const isLogin = inArray(outcome, ['ok', 'failed'])
  const isThere = site === null ? undefined : eq(origin, site)
  return { accountId: null, user, action: 'login', where: and(isLogin, isThere) }
}

function loginOf({ at, outcome, origin, ip, sid, userAgent, detail }: AuditRow) {
  const source = typeof detail.source === 'string' ? detail.source : null
  return { at, outcome, source, origin, ip, sid, device: deviceName(userAgent) }
}
