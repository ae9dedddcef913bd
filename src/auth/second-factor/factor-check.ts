import { Injectable } from '@nestjs/common'
import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { type AuditAction, auditEvent } from '../../audit/audit-event.js'
import { AuditLog } from '../../audit/audit-log.js'
import { ApiError } from '../../errors/api-error.js'
import type { ErrorCode } from '../../errors/error-codes.js'
import { FactorMails } from '../../factors/factor-mails.js'
import { PasskeyAssertions } from '../../factors/passkeys/passkey-assertions.js'
import { RecoveryCodes } from '../../factors/recovery-codes/recovery-codes.js'
import { TotpFactors } from '../../factors/totp/totp-factors.js'
import type { Client } from '../../http/client.js'
import { type AuthMethods, authMethods } from '../../permissions/auth-methods.js'
import { handleOf, newSessionId, type Session } from '../../sessions/session.js'
import type { User } from '../../users/user.js'

/** How somebody proves that they have a factor; exactly one of these. */
export interface FactorProof {
  /** Of an authenticator app. */
  readonly code?: string
  readonly recoveryCode?: string
  readonly passkey?: AuthenticationResponseJSON
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
    private readonly passkeys: PasskeyAssertions,
    private readonly mails: FactorMails,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * What the proof proves; it is used up. Throws `SECOND_FACTOR_INVALID` for a code that is wrong or was used
   * before, and `PASSKEY_INVALID`, after a row in the audit log. Counts nothing: the caller has counted a guess
   * before, and reports how it ended.
   */
  async use(user: User, proof: FactorProof, context: FactorContext): Promise<AuthMethods> {
    try {
      return await this.proved(user, proof, context)
    } catch (error) {
      if (error instanceof ApiError && WRONG.has(error.code)) this.noteFailure(user, proof, context)
      throw error
    }
  }

  private async proved(user: User, proof: FactorProof, context: FactorContext): Promise<AuthMethods> {
    const { code, recoveryCode, passkey } = proof
    if (passkey) {
      const { methods } = await this.passkeys.verify(passkey, { client: context.client, userId: user.id })
      return methods
    }
    const isRight =
      code === undefined
        ? await this.useRecoveryCode(user, recoveryCode ?? '', context)
        : await this.totp.use(user.id, code)
    if (!isRight) throw new ApiError('SECOND_FACTOR_INVALID')
    return authMethods('otp')
  }

  private noteFailure(
    { id: userId, accountId, email }: User,
    proof: FactorProof,
    context: FactorContext,
  ): void {
    const actor = { userId, accountId, sid: context.session?.sid, client: context.client }
    const detail = { reason: `wrong ${nameOf(proof)}`, email }
    this.auditLog.note({ ...auditEvent(actor, context.action, detail), outcome: 'failed' })
  }

  private async useRecoveryCode(user: User, code: string, { client, session }: FactorContext) {
    const { id: userId, accountId } = user
    const event = auditEvent({ userId, accountId, sid: session?.sid, client }, 'recovery-code.use')
    const isUsed = await this.recoveryCodes.use(userId, code, event)
    // At a login there is no session yet that the mail could be about.
    if (isUsed) {
      const actor = { userId, accountId, client, ...(session ?? newSession()) }
      await this.mails.recoveryCodeUsed(actor, await this.recoveryCodes.countLeft(userId))
    }
    return isUsed
  }
}

const WRONG: ReadonlySet<ErrorCode> = new Set(['SECOND_FACTOR_INVALID', 'PASSKEY_INVALID'])

function nameOf({ code, passkey }: FactorProof): string {
  if (passkey) return 'passkey'
  return code === undefined ? 'recovery code' : 'code'
}

function newSession() {
  return { sid: handleOf(newSessionId()), createdAt: null }
}
