import { Injectable } from '@nestjs/common'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import { ApiError } from '../../platform/errors/api-error.js'
import { Reauthentication } from '../reauthentication.js'
import { asSessionHandle } from '../session.js'
import type { SessionActor } from '../session-actor.js'
import { ActiveSessions, type SiteSessions } from './active-sessions.js'

export interface OwnSessionsView {
  /** Whether the list is complete; a satellite sees only its own sessions until the user re-authenticates. */
  readonly complete: boolean
  readonly sites: readonly SiteSessions[]
}

/**
 * What a user's session may see and do about the user's other sessions: everything or, where it is confined to
 * its satellite ({@link Reauthentication.confinementOf}), only what concerns those of that site.
 */
@Injectable()
export class OwnSessions {
  constructor(
    private readonly activeSessions: ActiveSessions,
    private readonly reauthentication: Reauthentication,
    private readonly auditLog: AuditLog,
  ) {}

  async list(actor: SessionActor): Promise<OwnSessionsView> {
    const satellite = this.confinedTo(actor)
    const language = actor.client.acceptLanguage
    const { sites } = await this.activeSessions.list(actor.userId, actor.sid, { satellite, language })
    return { complete: satellite === undefined, sites }
  }

  /** Throws `NOT_FOUND` when there is no such session, or this one may not see it. */
  async end(actor: SessionActor, sid: string): Promise<void> {
    const handle = asSessionHandle(sid)
    const satellite = this.confinedTo(actor)
    const isEnded =
      handle &&
      (await this.activeSessions.end(actor.userId, handle, actor.client, 'ended by its user', { satellite }))
    if (isEnded) return
    this.noteRefusal(actor, 'no such session')
    throw new ApiError('NOT_FOUND')
  }

  /**
   * Ends all others; returns how many. Throws `REAUTHENTICATION_REQUIRED` if that includes sessions that this
   * one may not see.
   */
  async endOthers(actor: SessionActor): Promise<number> {
    if (this.confinedTo(actor) !== undefined) {
      this.noteRefusal(actor, 'not re-authenticated')
      this.reauthentication.require(actor)
    }
    return this.activeSessions.endOthers(actor, actor.sid, actor.client)
  }

  private confinedTo(actor: SessionActor): string | undefined {
    return this.reauthentication.confinementOf(actor) ?? undefined
  }

  private noteRefusal(actor: SessionActor, reason: string): void {
    this.auditLog.enqueue(auditEvent(actor, 'session.revoke', { reason }), 'refused')
  }
}
