import { Injectable } from '@nestjs/common'
import { ne } from 'drizzle-orm'
import { ALL_IDS, type AuditRow } from '../../audit/chain.js'
import { scanAuditLog } from '../../audit/scan.js'
import { usersInRows } from '../../audit/trail.js'
import { auditEventOf } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import { Database } from '../../platform/database/database.js'
import { auditLog } from '../../platform/database/schema/audit.js'
import { deviceName } from '../../platform/http/request.js'
import { type OperatorActor, withReason } from '../operator.guard.js'

const LATEST_ROWS = 20

/** Records what operators view, and shows them the audit log of it. */
@Injectable()
export class DirectoryAudit {
  constructor(
    private readonly auditLog: AuditLog,
    private readonly database: Database,
  ) {}

  /** Call it before answering, so that nothing is shown unrecorded. */
  recordView(
    target: { readonly accountId: string; readonly id?: string },
    actor: OperatorActor,
  ): Promise<void> {
    const { accountId, id } = target
    const event = auditEventOf({ accountId, ...(id && { id }) }, withReason(actor, null), 'operator.view')
    return this.database.transaction(transaction => this.auditLog.record(transaction, event))
  }

  /**
   * The newest rows about an account or a user of it, but none about who viewed them; and the addresses of the users of
   * the account who are named there, by their ids.
   */
  async latestOf({ accountId, id }: { readonly accountId: string; readonly id?: string }) {
    // Those are frequent, and say nothing about the account or user.
    const where = ne(auditLog.action, 'operator.view')
    const selection = { accountId: id ? null : accountId, ...(id && { user: id }), where }
    const step = { range: ALL_IDS, order: 'newest first', limit: LATEST_ROWS } as const
    const { rows } = await this.database.report(db => scanAuditLog(db, selection, step))
    const { emails } = await usersInRows(this.database, accountId, rows)
    return { latest: rows.map(shownRow), people: Object.fromEntries(emails) }
  }
}

function shownRow({ id, at, action, outcome, userId, ip, userAgent, detail }: AuditRow) {
  return { id, at, action, outcome, userId, ip, device: ip === null ? null : deviceName(userAgent), detail }
}
