import { Injectable } from '@nestjs/common'
import { type AuditAction, auditEvent } from '../../audit/audit-event.js'
import { AuditLog } from '../../audit/audit-log.js'
import { ApiError } from '../../errors/api-error.js'
import { FactorMails } from '../../factors/factor-mails.js'
import { RecoveryCodes } from '../../factors/recovery-codes/recovery-codes.js'
import { TotpFactors } from '../../factors/totp/totp-factors.js'
import type { Client } from '../../http/client.js'
import { type AuthMethods, authMethods } from '../../permissions/auth-methods.js'
import { handleOf, newSessionId, type Session } from '../../sessions/session.js'
import type { User } from '../../users/user.js'

/** What somebody types to prove that they have a factor; exactly one. */
export interface FactorProof {
  /** Of an authenticator app. */
  readonly code?: string
  readonly recoveryCode?: string
}

/** What the factor is needed for. */
export interface FactorContext {
  readonly action: AuditAction
  readonly client: Client
  /** The session that it is typed in; none at a login. */
  readonly session?: Pick<Session, 'sid' | 'createdAt'>
}

/** Checks what users have besides a password, at a login and within a session. */
@Injectable()
export class FactorCheck {
  constructor(
    private readonly totp: TotpFactors,
    private readonly recoveryCodes: RecoveryCodes,
    private readonly mails: FactorMails,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Uses a code of the user up and returns what that proves. Throws `SECOND_FACTOR_INVALID` when it is wrong or
   * was used before, after a row in the audit log. Counts nothing: the caller has counted a guess before, and
   * reports how it ended.
   */
  async use(user: User, proof: FactorProof, context: FactorContext): Promise<AuthMethods> {
    const isRight =
      proof.code === undefined
        ? await this.useRecoveryCode(user, proof.recoveryCode ?? '', context)
        : await this.totp.use(user.id, proof.code)
    if (isRight) return authMethods('otp')
    const { id: userId, accountId, email } = user
    const actor = { userId, accountId, sid: context.session?.sid, client: context.client }
    const reason = proof.code === undefined ? 'wrong recovery code' : 'wrong code'
    this.auditLog.note({ ...auditEvent(actor, context.action, { reason, email }), outcome: 'failed' })
    throw new ApiError('SECOND_FACTOR_INVALID')
  }

  private async useRecoveryCode(user: User, code: string, { client, session }: FactorContext) {
    const { id: userId, accountId } = user
    const event = auditEvent({ userId, accountId, sid: session?.sid, client }, 'recovery-code.use')
    const isUsed = await this.recoveryCodes.use(userId, code, event)
    // At a login there is no session yet that the mail could be about.
    if (isUsed) {
      const actor = { userId, accountId, client, ...(session ?? newSession()) }
      this.mails.recoveryCodeUsed(actor, await this.recoveryCodes.countLeft(userId))
    }
    return isUsed
  }
}

function newSession() {
  return { sid: handleOf(newSessionId()), createdAt: null }
}
