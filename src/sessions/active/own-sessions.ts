import { Injectable } from '@nestjs/common'
import { AuditLog } from '../../audit/audit-log.js'
import { ApiError } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import { confinementOf, Reauthentication } from '../reauthentication.js'
import type { Session } from '../session.js'
import { asSessionHandle } from '../session-id.js'
import { ActiveSessions, type SiteSessions } from './active-sessions.js'

export interface OwnSessionsView {
  /** Whether these are all; a satellite sees only its own until the user re-authenticates. */
  readonly complete: boolean
  readonly sites: readonly SiteSessions[]
}

/**
 * What a user's session may see and do about the others. The main site and apps: everything. A satellite is a
 * customer's page, so its sessions see those of their own site only: it must not learn where else its
 * visitors go, or from which addresses. After a re-authentication there, they see and end everything for as
 * long as it counts.
 */
@Injectable()
export class OwnSessions {
  constructor(
    private readonly activeSessions: ActiveSessions,
    private readonly reauthentication: Reauthentication,
    private readonly auditLog: AuditLog,
  ) {}

  async list(session: Session): Promise<OwnSessionsView> {
    const satellite = this.confinedTo(session)
    const { sites } = await this.activeSessions.list(session.userId, session.sid, satellite)
    return { complete: satellite === undefined, sites }
  }

  /** Throws `NOT_FOUND` when there is no such session, or none that this one may see. */
  async end(session: Session, sid: string, client: Client): Promise<void> {
    const handle = asSessionHandle(sid)
    const satellite = this.confinedTo(session)
    const isEnded =
      handle &&
      (await this.activeSessions.end(session.userId, handle, client, 'ended by its user', satellite))
    if (isEnded) return
    this.note(session, client, 'no such session')
    throw new ApiError('NOT_FOUND')
  }

  /**
   * Ends all others; returns how many. Throws `REAUTHENTICATION_REQUIRED` if that includes sessions that this
   * one may not see.
   */
  async endOthers(session: Session, client: Client): Promise<number> {
    if (this.confinedTo(session) !== undefined) {
      this.note(session, client, 'not re-authenticated')
      this.reauthentication.require(session)
    }
    return this.activeSessions.endOthers(session, session.sid, client)
  }

  private confinedTo(session: Session): string | undefined {
    return confinementOf(session, this.reauthentication.isRecent(session)) ?? undefined
  }

  private note({ userId, accountId, sid }: Session, client: Client, reason: string): void {
    this.auditLog.note({
      action: 'session.revoke',
      outcome: 'refused',
      userId,
      accountId,
      sid,
      client,
      detail: { reason },
    })
  }
}
