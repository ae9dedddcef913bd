import { Injectable } from '@nestjs/common'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { AnomalyAction } from '../platform/config/anomaly-policy.js'
import { Settings } from '../platform/config/settings.js'
import { causeMessage } from '../platform/errors/api-error.js'
import type { Client } from '../platform/http/request.js'
import { Logger } from '../platform/log.js'
import { SessionChanges } from '../sessions/revocation/session-changes.js'
import type { OwnedSession } from '../sessions/user-sessions.js'
import { type Anomaly, actionsFor } from './anomaly.js'
import { AnomalyMails, type Notice, type NoticeData } from './anomaly-mails.js'
import type { AffectedSession } from './unrecognized-login-tokens.js'

/** Handles an anomaly of a session, as the settings say. */
@Injectable()
export class AnomalyResponse {
  private readonly logger = new Logger('AnomalyResponse')

  constructor(
    private readonly settings: Settings,
    private readonly auditLog: AuditLog,
    private readonly notices: AnomalyMails,
    private readonly changes: SessionChanges,
  ) {}

  /** Whether the settings let unusual logins be refused at all. */
  get mayRevoke(): boolean {
    return this.settings.anomalyPolicy.revoke !== undefined
  }

  /** What the settings say about this score. */
  actionsFor({ score }: Anomaly): ReadonlySet<AnomalyAction> {
    return actionsFor(score, this.settings.anomalyPolicy)
  }

  /** Writes the row without delaying the request: a refresh works while the database is down. */
  recordAnomaly(
    at: 'login' | 'refresh',
    { score, reasons }: Anomaly,
    session: OwnedSession,
    client: Client,
  ): void {
    const actions = [...this.actionsFor({ score, reasons })]
    const event = auditEvent({ ...session, client }, 'session.anomaly', { at, score, reasons, actions })
    this.auditLog.enqueue(event, actions.includes('revoke') ? 'refused' : 'ok')
  }

  /** Mails the user. A mail that fails is logged and keeps nobody out. */
  async notify(session: AffectedSession, client: Client, write: (data: NoticeData) => Notice): Promise<void> {
    try {
      await this.notices.send(session, client, write)
    } catch (error) {
      this.logger.error(`A mail about an anomaly could not be prepared: ${causeMessage(error)}`)
    }
  }

  /** Ends the session, once: the next refresh would find none to tell the user of. */
  async end(session: OwnedSession, client: Client): Promise<void> {
    const event = auditEvent({ ...session, client }, 'session.revoke', { reason: 'anomaly' })
    await this.changes.commitToleratingOutage(transaction =>
      this.changes.record(transaction, [{ kind: 'end', sid: session.sid }], event),
    )
  }
}
