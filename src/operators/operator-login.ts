import { Injectable } from '@nestjs/common'
import { auditEvent } from '../audit/audit-event.js'
import { AuditLog } from '../audit/audit-log.js'
import { Database } from '../database/database.js'
import { ApiError } from '../errors/api-error.js'
import type { Client } from '../http/client.js'
import { RateLimiter } from '../rate-limits/rate-limiter.js'
import type { SessionId } from '../sessions/session.js'
import type { Email } from '../users/email.js'
import { Passwords } from '../users/passwords/passwords.js'
import { type OperatorSession, OperatorSessions } from './operator-sessions.js'
import { type Operator, Operators } from './operators.js'

/** What an operator enters. */
export interface OperatorCredentials {
  readonly email: Email
  readonly password: string
  /** From their authenticator app. */
  readonly code: string
}

/** Logs operators in and out. */
@Injectable()
export class OperatorLogin {
  constructor(
    private readonly operators: Operators,
    private readonly sessions: OperatorSessions,
    private readonly passwords: Passwords,
    private readonly rateLimiter: RateLimiter,
    private readonly auditLog: AuditLog,
    private readonly database: Database,
  ) {}

  /**
   * Returns the secret of a new session. Throws `INVALID_CREDENTIALS` whatever is wrong, after the same
   * amount of work, and `TOO_MANY_ATTEMPTS`.
   */
  async logIn(credentials: OperatorCredentials, client: Client): Promise<SessionId> {
    // An operator's address may also belong to a user; the two must not share a guess limit.
    const subject = `operator ${credentials.email}`
    const counted = await this.rateLimiter.count({ kind: 'password', subject, client })
    return counted.checkedBy(this.check(credentials, client).then(operator => this.open(operator, client)))
  }

  async logOut({ sid, operatorId }: OperatorSession, client: Client): Promise<void> {
    await this.database.transaction(async transaction => {
      await this.sessions.end(transaction, sid)
      const actor = { client, operator: { id: operatorId, reason: null } }
      await this.auditLog.record(transaction, auditEvent(actor, 'operator.logout'))
    })
  }

  private async check({ email, password, code }: OperatorCredentials, client: Client): Promise<Operator> {
    const operator = await this.operators.findByEmail(email)
    const isPassword = await this.passwords.verify(operator?.passwordHash ?? null, password, client)
    // A code is used up only when the password is right.
    if (operator && isPassword && (await this.operators.useCode(operator, code))) return operator
    const reason = operator ? (isPassword ? 'wrong code' : 'wrong password') : 'unknown operator'
    const actor = { client, ...(operator && { operator: { id: operator.id, reason: null } }) }
    this.auditLog.note({ ...auditEvent(actor, 'operator.login', { reason, email }), outcome: 'failed' })
    throw new ApiError('INVALID_CREDENTIALS')
  }

  private open(operator: Operator, client: Client): Promise<SessionId> {
    const { id } = operator
    return this.database.transaction(async transaction => {
      // Since the check they may have been disabled, and even added anew.
      if (!(await this.operators.isUnchanged(transaction, operator)))
        throw new ApiError('INVALID_CREDENTIALS')
      const sessionId = await this.sessions.open(transaction, id)
      const actor = { client, operator: { id, reason: null } }
      await this.auditLog.record(transaction, auditEvent(actor, 'operator.login'))
      return sessionId
    })
  }
}
