import { Injectable } from '@nestjs/common'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import { ApiError } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/request.js'
import { countsOf, Metrics } from '../../platform/metrics.js'
import { RateLimiter } from '../../platform/rate-limits/rate-limiter.js'
import { PastSessions, type SessionOutcome } from '../../sessions/past-sessions.js'
import type { Session, SessionHandle } from '../../sessions/session.js'

/** Why a refresh was refused; clients are told only what {@link PastSessions} knows. */
const REASONS = [
  'not presented',
  'not live',
  'other source',
  'other origin',
  'satellite closed',
  'anomaly',
] as const
export type RefreshRefusal = (typeof REASONS)[number]

@Injectable()
export class RefreshRefusals {
  private readonly counts = countsOf(REASONS)

  constructor(
    private readonly auditLog: AuditLog,
    private readonly rateLimiter: RateLimiter,
    private readonly pastSessions: PastSessions,
    metrics: Metrics,
  ) {
    metrics.counter({
      name: 'refresh_refusals_total',
      help: 'Refreshes refused with 401, by the reason',
      label: 'reason',
      read: () => this.counts,
    })
  }

  /** Counts the refusal, and enqueues it for the audit log. */
  record(client: Client, reason: RefreshRefusal, session: Session | null = null): void {
    this.counts[reason]++
    const event = auditEvent({ ...session, client }, 'refresh', { reason })
    this.auditLog.enqueue(event, 'refused')
  }

  /**
   * For more than one identifier, or one that cannot be ours: throws `SESSION_NOT_FOUND`, or
   * `TOO_MANY_ATTEMPTS` (429) after many from that network.
   */
  async refuseUnusable(client: Client): Promise<never> {
    await this.count(client, 'not presented')
    throw new ApiError('SESSION_NOT_FOUND')
  }

  /**
   * Like {@link refuseUnusable}, for an identifier that may have been a session's: the refusal has the
   * `reason` why the session is over, if that is known. Anybody who has its identifier has been its client.
   * The store was asked first, so a live session is never refused because of unknown ones.
   */
  async refusePast(client: Client, sid: SessionHandle): Promise<never> {
    await this.count(client, 'not live')
    throw overBecause(await this.pastSessions.outcomeOf(sid))
  }

  private async count(client: Client, reason: RefreshRefusal): Promise<void> {
    await this.rateLimiter.count({ kind: 'session id', subject: '', client })
    this.record(client, reason)
  }
}

/** `SESSION_NOT_FOUND` with the member `reason`; without it for null. */
export function overBecause(reason: SessionOutcome | null): ApiError {
  return new ApiError('SESSION_NOT_FOUND', { ...(reason && { members: { reason } }) })
}
