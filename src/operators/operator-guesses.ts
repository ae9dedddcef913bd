import { Injectable } from '@nestjs/common'
import { type Actor, auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Client } from '../platform/http/request.js'
import { RateLimiter } from '../platform/rate-limits/rate-limiter.js'

/** Guesses at what lets operators in: limited, and recorded when they are wrong. */
@Injectable()
export class OperatorGuesses {
  constructor(
    private readonly rateLimiter: RateLimiter,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Counts one by `whose` address or passkey it is for. An operator's address may also belong to a user; the two
   * must not share a limit. Throws `TOO_MANY_ATTEMPTS`.
   */
  count(kind: 'password' | 'passkey', whose: string, client: Client) {
    return this.rateLimiter.count({ kind, subject: `operator ${whose}`, client })
  }

  noteWrong(
    actor: Actor,
    action: 'operator.login' | 'operator.passkey',
    detail: Readonly<Record<string, unknown>>,
  ): void {
    this.auditLog.enqueue(auditEvent(actor, action, detail), 'failed')
  }
}
