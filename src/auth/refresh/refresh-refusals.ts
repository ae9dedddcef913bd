import { Injectable } from '@nestjs/common'
import { auditEvent } from '../../audit/audit-event.js'
import { AuditLog } from '../../audit/audit-log.js'
import { ApiError } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import { RateLimiter } from '../../rate-limits/rate-limiter.js'
import type { Session } from '../../sessions/session.js'

@Injectable()
export class RefreshRefusals {
  constructor(
    private readonly auditLog: AuditLog,
    private readonly rateLimiter: RateLimiter,
  ) {}

  /** Notes the refusal for the audit log. */
  note(client: Client, reason: string, session: Session | null = null): void {
    const event = auditEvent({ ...session, client }, 'refresh', { reason })
    this.auditLog.note({ ...event, outcome: 'refused' })
  }

  /**
   * For an unknown identifier: throws `SESSION_NOT_FOUND`, or `TOO_MANY_ATTEMPTS` (429) after many from that
   * network. The store was asked first, so a live session is never refused because of them.
   */
  async refuseUnknown(client: Client, reason: string): Promise<never> {
    await this.rateLimiter.count({ kind: 'session id', subject: '', client })
    this.note(client, reason)
    throw new ApiError('SESSION_NOT_FOUND')
  }
}
