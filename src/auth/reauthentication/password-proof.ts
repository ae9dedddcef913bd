import { Injectable } from '@nestjs/common'
import type { AuditAction } from '../../audit/audit-event.js'
import { AuditLog } from '../../audit/audit-log.js'
import { ApiError } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import { RateLimiter } from '../../rate-limits/rate-limiter.js'
import { Passwords } from '../../users/passwords/passwords.js'
import type { User } from '../../users/user.js'
import { LoginAttempts } from '../login/login-attempts.js'

/** What the password is needed for. */
export interface ProofContext {
  readonly action: AuditAction
  /** The session that supplies it; null outside a session. */
  readonly sid: string | null
  readonly client: Client
}

/** Checks the password of a known user. */
@Injectable()
export class PasswordProof {
  constructor(
    private readonly passwords: Passwords,
    private readonly attempts: LoginAttempts,
    private readonly rateLimiter: RateLimiter,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Throws `INVALID_CREDENTIALS` unless it is the user's; disabled users and users without a password are
   * refused alike, after the same work. Guesses count together with those at login; otherwise a stolen
   * session would be a second way to guess. While strangers fill the user's limits, a live session has
   * guesses of its own.
   */
  require(user: User, password: string, context: ProofContext): Promise<void> {
    const { sid, client } = context
    const check = () => this.check(user, password, context)
    if (sid === null) return this.attempts.during(user.email, client, check)
    const isKnownClient = () => this.rateLimiter.isAllowed({ kind: 'session', subject: sid, client })
    return this.attempts.during(user.email, client, check, isKnownClient)
  }

  private async check(user: User, password: string, context: ProofContext): Promise<void> {
    const { id: userId, accountId, disabledAt } = user
    const { action, sid, client } = context
    if (await this.passwords.verify(disabledAt ? null : user.passwordHash, password, client)) return
    const detail = { reason: disabledAt ? 'disabled' : 'wrong password' }
    this.auditLog.note({ action, outcome: 'failed', userId, accountId, ...(sid && { sid }), client, detail })
    throw new ApiError('INVALID_CREDENTIALS')
  }
}
