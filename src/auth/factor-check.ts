import { Injectable } from '@nestjs/common'
import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { FactorMails } from '../factors/factor-mails.js'
import { PasskeyAssertions } from '../factors/passkey-assertions.js'
import { PasskeySites } from '../factors/passkeys.js'
import { RecoveryCodes } from '../factors/recovery-codes.js'
import { TotpFactors } from '../factors/totp.js'
import { UserFactors } from '../factors/user-factors.js'
import { NO_MAILS, type SendMails } from '../mail/mail.js'
import { type AuditAction, auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import type { ErrorCode } from '../platform/errors/api-error.js'
import { ApiError } from '../platform/errors/api-error.js'
import type { Client } from '../platform/http/request.js'
import { handleOf, newSessionId, type Session } from '../sessions/session.js'
import { type AuthMethods, authMethods } from '../tokens/access-tokens.js'
import type { User } from '../users/user.js'

export const FACTOR_METHODS = ['totp', 'passkey', 'recovery'] as const
/** How a user can prove a second factor, as named in answers. */
type FactorMethod = (typeof FACTOR_METHODS)[number]

/** How a user proves that they have a factor; exactly one of these. */
export interface FactorProof {
  /** From an authenticator app. */
  readonly code?: string
  readonly recoveryCode?: string
  readonly passkey?: AuthenticationResponseJSON
}

/** What the factor is needed for. */
interface FactorContext {
  readonly action: AuditAction
  readonly client: Client
  /** The session in which it is typed; none at a login. */
  readonly session?: Pick<Session, 'sid' | 'createdAt'>
  /**
   * Whether what the factor is for is already done: when a request was sent twice, the first one has used the
   * factor up.
   */
  readonly isDone?: () => Promise<boolean>
}

/** A factor that is right but not used up yet. */
export interface CheckedFactor {
  /** What it proves. */
  readonly methods: AuthMethods
  /** Users resort to a recovery code when they have lost their other factors. */
  readonly isRecoveryCode: boolean
  /**
   * Uses it up, in the transaction of what it allows, which must have the user locked; returns the mail about that, if
   * there is one. Throws like {@link FactorCheck.check} when another request was faster.
   */
  use(transaction: Db): Promise<SendMails>
}

/** The factors that users have besides a password: which, and whether one is proved, at a login and within a session. */
@Injectable()
export class FactorCheck {
  constructor(
    private readonly totp: TotpFactors,
    private readonly recoveryCodes: RecoveryCodes,
    private readonly passkeys: PasskeyAssertions,
    private readonly factors: UserFactors,
    private readonly sites: PasskeySites,
    private readonly mails: FactorMails,
    private readonly auditLog: AuditLog,
  ) {}

  /** What the user has that can be used on pages of this origin (null outside browsers). */
  async usableAt(userId: string, origin: string | null): Promise<FactorMethod[]> {
    const { totpConfirmedAt, passkeys, recoveryCodesLeft } = await this.factors.find(userId)
    return [
      ...(totpConfirmedAt ? (['totp'] as const) : []),
      ...(passkeys > 0 && this.sites.worksAt(origin) ? (['passkey'] as const) : []),
      ...(recoveryCodesLeft > 0 ? (['recovery'] as const) : []),
    ]
  }

  /**
   * Returns what the proof proves; stores nothing yet. Throws `SECOND_FACTOR_INVALID` for a code that is wrong or
   * was used before, and `PASSKEY_INVALID`, after a row in the audit log; `CHALLENGE_EXPIRED` when what it is for
   * is already done. Counts nothing: the caller has counted a guess before, and reports how it ended.
   */
  async check(user: User, proof: FactorProof, context: FactorContext): Promise<CheckedFactor> {
    const auditingFailure = <T>(step: Promise<T>) => this.auditingFailure(step, user, proof, context)
    const factor = await auditingFailure(refusingIfDone(this.find(user, proof, context), context))
    return { ...factor, use: transaction => auditingFailure(factor.use(transaction)) }
  }

  private find(
    user: User,
    { code, recoveryCode, passkey }: FactorProof,
    context: FactorContext,
  ): Promise<CheckedFactor> {
    if (passkey) return this.findPasskey(user, passkey, context)
    return code === undefined
      ? this.findRecoveryCode(user, recoveryCode ?? '', context)
      : this.findCode(user, code)
  }

  private async findPasskey(
    { id: userId }: User,
    passkey: AuthenticationResponseJSON,
    { client }: FactorContext,
  ): Promise<CheckedFactor> {
    const assertion = await this.passkeys.check(passkey, { client, userId })
    const use = async (transaction: Db) => {
      await this.passkeys.use(transaction, assertion, client)
      return NO_MAILS
    }
    return { methods: assertion.methods, isRecoveryCode: false, use }
  }

  private async findCode({ id }: User, code: string): Promise<CheckedFactor> {
    const checked = await this.totp.check(id, code)
    if (!checked) throw new ApiError('SECOND_FACTOR_INVALID')
    const use = async (transaction: Db) => {
      requireUnused(await this.totp.use(transaction, checked))
      return NO_MAILS
    }
    return { methods: authMethods('otp'), isRecoveryCode: false, use }
  }

  private async findRecoveryCode(
    { id: userId, accountId }: User,
    code: string,
    { client, session }: FactorContext,
  ): Promise<CheckedFactor> {
    requireUnused(await this.recoveryCodes.has(userId, code))
    const event = auditEvent({ userId, accountId, sid: session?.sid, client }, 'recovery-code.use')
    // At a login there is no session yet that the mail could be about.
    const actor = { userId, accountId, client, ...(session ?? newSession()) }
    const use = async (transaction: Db) => {
      requireUnused(await this.recoveryCodes.use(transaction, userId, code, event))
      const left = await this.recoveryCodes.countLeft(transaction, userId)
      return this.mails.recoveryCodeUsed(transaction, actor, left)
    }
    return { methods: authMethods('otp'), isRecoveryCode: true, use }
  }

  private async auditingFailure<T>(
    step: Promise<T>,
    user: User,
    proof: FactorProof,
    context: FactorContext,
  ): Promise<T> {
    try {
      return await step
    } catch (error) {
      if (isWrongFactor(error)) this.noteFailure(user, proof, context)
      throw error
    }
  }

  private noteFailure(
    { id: userId, accountId, email }: User,
    proof: FactorProof,
    context: FactorContext,
  ): void {
    const actor = { userId, accountId, sid: context.session?.sid, client: context.client }
    const detail = { reason: `wrong ${nameOf(proof)}`, email }
    this.auditLog.enqueue(auditEvent(actor, context.action, detail), 'failed')
  }
}

const WRONG: ReadonlySet<ErrorCode> = new Set(['SECOND_FACTOR_INVALID', 'PASSKEY_INVALID'])

/** Whether the error is about a wrong factor, not about something that prevented the check. */
export function isWrongFactor(error: unknown): boolean {
  return error instanceof ApiError && WRONG.has(error.code)
}

async function refusingIfDone<T>(found: Promise<T>, { isDone }: FactorContext): Promise<T> {
  try {
    return await found
  } catch (error) {
    // If the database does not answer, it counts as not done: a wrong factor must never pass for an outage.
    if (isDone && isWrongFactor(error) && (await isDone().catch(() => false)))
      throw new ApiError('CHALLENGE_EXPIRED')
    throw error
  }
}

function requireUnused(isValid: boolean): void {
  if (!isValid) throw new ApiError('SECOND_FACTOR_INVALID')
}

function nameOf({ code, passkey }: FactorProof): string {
  if (passkey) return 'passkey'
  return code === undefined ? 'recovery code' : 'code'
}

function newSession() {
  return { sid: handleOf(newSessionId()), createdAt: null }
}
