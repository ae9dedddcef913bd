import { Injectable } from '@nestjs/common'
import { type AuditAction, auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import { ApiError } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/request.js'
import type { CountedAction } from '../../platform/rate-limits/counted-action.js'
import type { SessionHandle } from '../../sessions/session.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import { Passwords } from '../../users/passwords/passwords.js'
import type { User } from '../../users/user.js'
import { Users } from '../../users/users.js'
import { LoginLimits } from '../login/login-limits.js'
import { CredentialEntryPolicy } from './credential-entry-policy.js'

/** What the password is needed for. */
interface ProofContext {
  readonly action: AuditAction
  readonly client: Client
  /** The session that supplies it; left out outside a session. */
  readonly sid?: SessionHandle
}

/**
 * Checks the password of a known user. Throws `INVALID_CREDENTIALS` unless it is right; disabled users and
 * users without a password are refused alike, after the same work. Guesses count together with those at
 * login; otherwise a stolen session would be a second way to guess.
 */
@Injectable()
export class PasswordProof {
  constructor(
    private readonly users: Users,
    private readonly passwords: Passwords,
    private readonly limits: LoginLimits,
    private readonly entryPolicy: CredentialEntryPolicy,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Returns the user of this session if the password is theirs. Throws `OWNER_LOGIN_BARRED` for an owner who may
   * not log in there, `HANDOFF_REQUIRED` where their password must not be typed, and `SESSION_NOT_FOUND` when the
   * user is gone.
   */
  async ofActor(actor: SessionActor, password: string, action: AuditAction): Promise<User> {
    const { sid, client } = actor
    const user = await this.users.find(actor.userId)
    if (!user) throw new ApiError('SESSION_NOT_FOUND')
    const refusal = await this.entryPolicy.refusalOfPassword(user, actor)
    if (refusal) throw new ApiError(refusal)
    const counted = await this.limits.countGuessIn(actor, user.email)
    await this.check(user, password, { action, client, sid }, counted)
    return user
  }

  /** For a user who has no session here. */
  async ofUser(user: User, password: string, context: ProofContext): Promise<void> {
    const counted = await this.limits.countGuess(user.email, context.client)
    await this.check(user, password, context, counted)
  }

  private async check(
    user: User,
    password: string,
    { action, client, sid }: ProofContext,
    counted: CountedAction,
  ): Promise<void> {
    const { id: userId, accountId, disabledAt, passwordHash } = user
    const isRight = await counted.refundIfRejected(
      this.passwords.verify(disabledAt ? null : passwordHash, password, client),
    )
    // Knowing the password must not be enough to reset the limit on guesses at the second factor.
    if (isRight) return user.hasSecondFactor ? counted.partlySucceeded() : counted.succeeded()
    await counted.failed()
    const detail = { reason: disabledAt ? 'disabled' : 'wrong password' }
    const event = auditEvent({ userId, accountId, sid, client }, action, detail)
    this.auditLog.enqueue(event, 'failed')
    throw new ApiError('INVALID_CREDENTIALS')
  }
}
