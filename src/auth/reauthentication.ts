// What was decided here, and why: docs/decisions/sensitive-changes-ask-again.md
import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Injectable,
  Post,
} from '@nestjs/common'
import { ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger'
import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import type { FastifyRequest } from 'fastify'
import { KnownDevices } from '../anomalies/known-devices.js'
import { FactorMails } from '../factors/factor-mails.js'
import { PasskeyResponse } from '../factors/webauthn.js'
import { NO_MAILS } from '../mail/mail.js'
import { type AuditAction, auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { ApiError, causeMessage, unavailable } from '../platform/errors/api-error.js'
import { Answers, DocumentedGuard, Refuses } from '../platform/http/endpoint.js'
import { Instant } from '../platform/http/fields.js'
import { type Client, clientOf, requestOf } from '../platform/http/request.js'
import { Logger } from '../platform/log.js'
import type { CountedAction } from '../platform/rate-limits/rate-limiter.js'
import { SessionChanges } from '../sessions/changes.js'
import { ExemptFromWriteLimit, LiveSession } from '../sessions/guards.js'
import { Reauthentication } from '../sessions/reauthentication.js'
import type { Session, SessionHandle } from '../sessions/session.js'
import { CurrentActor, type SessionActor } from '../sessions/session-actor.js'
import { authMethods, namesOf } from '../tokens/access-tokens.js'
import { Accounts } from '../users/accounts.js'
import { Password, Passwords } from '../users/passwords/passwords.js'
import type { EntitledUser, User } from '../users/user.js'
import { Users } from '../users/users.js'
import {
  type CheckedFactor,
  FACTOR_METHODS,
  FactorCheck,
  type FactorProof,
  isWrongFactor,
} from './factor-check.js'
import { AppCode, IsOnlyOneOf, RecoveryCode } from './factor-fields.dto.js'
import { LoginLimits } from './login-limits.js'
import { LoginPolicy } from './login-policy.js'

const REAUTHENTICATION_METHODS = ['password', ...FACTOR_METHODS] as const
/** How a user can re-authenticate, as named in answers. */
type ReauthenticationMethod = (typeof REAUTHENTICATION_METHODS)[number]

/** How the users of sessions can re-authenticate. */
@Injectable()
export class ReauthenticationMethods {
  private readonly logger = new Logger('ReauthenticationMethods')

  constructor(
    private readonly users: Users,
    private readonly loginPolicy: LoginPolicy,
    private readonly factors: FactorCheck,
    private readonly reauthentication: Reauthentication,
  ) {}

  /**
   * What the session's user has, and may use on pages of this origin (null outside browsers). Leaves out the
   * password for a user who would need their second factor again anyway.
   */
  async of(session: Session, origin: string | null): Promise<ReauthenticationMethod[]> {
    const user = await this.users.find(session.userId)
    if (!user) return []
    const context = { ...session, client: { origin } }
    const mayUsePassword = await this.loginPolicy.mayUsePassword(user, context)
    const mayEnterCodes = (await this.loginPolicy.refusalOfCode(user, context)) === null
    const all = await this.factors.usableAt(user.id, origin)
    const factors = all.filter(method => method === 'passkey' || mayEnterCodes)
    // The password would be accepted, but what was refused would then be refused again.
    const isEnough = factors.length === 0 || this.reauthentication.isSecondFactorRecent(session)
    return mayUsePassword && isEnough ? ['password', ...factors] : factors
  }

  /**
   * Adds to a `REAUTHENTICATION_REQUIRED` or `STEP_UP_REQUIRED` how the user can do that. Done here and not where
   * it is thrown: that may be in a transaction, and most requests are not refused. Never rejects.
   */
  async amend(refusal: ApiError, request: FastifyRequest): Promise<ApiError> {
    const isStepUp = refusal.code === 'STEP_UP_REQUIRED'
    if (!(isStepUp || refusal.code === 'REAUTHENTICATION_REQUIRED') || !request.session) return refusal
    try {
      const all = await this.of(request.session, clientOf(request).origin)
      const methods = all.filter(method => !isStepUp || method !== 'password')
      return new ApiError(refusal.code, { ...refusal.options, members: { methods } })
    } catch (error) {
      this.logger.warn(`A refusal is sent without \`methods\`: ${causeMessage(error)}`)
      return refusal
    }
  }
}

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
    private readonly loginPolicy: LoginPolicy,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Returns the user of this session if the password is theirs. Throws `OWNER_LOGIN_BARRED` for an owner who may
   * not log in there, `HANDOFF_REQUIRED` where their password must not be typed, and `SESSION_NOT_FOUND` when the
   * user is gone.
   */
  async ofActor(actor: SessionActor, password: string, action: AuditAction): Promise<EntitledUser> {
    const { sid, client } = actor
    const user = await this.users.find(actor.userId)
    if (!user) throw new ApiError('SESSION_NOT_FOUND')
    const refusal = await this.loginPolicy.refusalOfPassword(user, actor)
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

/** What the user of a session has just proved. */
interface Proved {
  readonly user: EntitledUser
  /** The factor; null for the password, of which nothing is used up. */
  readonly factor: CheckedFactor | null
}

/** Checks, within a session, the factors that its user has besides a password. */
@Injectable()
export class FactorProofs {
  constructor(
    private readonly users: Users,
    private readonly loginPolicy: LoginPolicy,
    private readonly limits: LoginLimits,
    private readonly factors: FactorCheck,
    private readonly reauthentication: Reauthentication,
    private readonly knownDevices: KnownDevices,
    private readonly mails: FactorMails,
  ) {}

  /**
   * Returns what `record` returns, which uses the factor up. Throws `SECOND_FACTOR_INVALID` or `PASSKEY_INVALID`;
   * `OWNER_LOGIN_BARRED` or `HANDOFF_REQUIRED` where codes must not be typed, and `SESSION_NOT_FOUND` when the user is
   * gone. Guesses count together with those at the password.
   */
  async ofActor<T>(
    actor: SessionActor,
    proof: FactorProof,
    record: (proved: Proved) => Promise<T>,
  ): Promise<T> {
    const user = await this.users.find(actor.userId)
    if (!user || user.disabledAt) throw new ApiError('SESSION_NOT_FOUND')
    const refusal = proof.passkey ? null : await this.loginPolicy.refusalOfCode(user, actor)
    if (refusal) throw new ApiError(refusal)
    const counted = await this.limits.countFactorGuess(user, actor.client)
    try {
      const recorded = await record({ user, factor: await this.check(user, proof, actor) })
      // It is counted together with guesses at the password, so it must not reset their limit.
      await counted.partlySucceeded()
      return recorded
    } catch (error) {
      await counted.threw(error)
      throw error
    }
  }

  private async check(user: User, proof: FactorProof, actor: SessionActor): Promise<CheckedFactor> {
    try {
      const context = { action: 'reauthenticate', client: actor.client, session: actor } as const
      return await this.factors.check(user, proof, context)
    } catch (error) {
      // A code that was right a moment ago is wrong the second time; a passkey's challenge may have expired.
      const isMistake = proof.passkey || this.reauthentication.isSecondFactorRecent(actor)
      if (isWrongFactor(error) && !isMistake) await this.warn(actor)
      throw error
    }
  }

  /** The session may be stolen. Mails at most once a day; never rejects. */
  private async warn(actor: SessionActor): Promise<void> {
    const isKnown = await this.knownDevices.knowsNetwork(actor.userId, actor.client.ip).catch(() => false)
    if (!isKnown) await this.mails.wrongFactorInSession(actor)
  }
}

class ReauthenticateBody {
  @Password({
    optional: true,
    description: 'The password that the user has now',
    example: 'correct horse battery staple',
  })
  password?: string

  @AppCode() code?: string
  @RecoveryCode() recoveryCode?: string

  @PasskeyResponse({ optional: true })
  @IsOnlyOneOf('password', 'code', 'recoveryCode', 'passkey')
  passkey?: AuthenticationResponseJSON
}

class ReauthenticationMethodsAnswer {
  @ApiProperty({ enum: REAUTHENTICATION_METHODS, isArray: true }) methods!: readonly ReauthenticationMethod[]
}

class ReauthenticationAnswer {
  @Instant({ description: 'When the re-authentication expires' }) reauthenticatedUntil!: string
}

@ApiTags('Auth')
@Controller('api/reauthenticate')
export class ReauthenticationController {
  constructor(
    private readonly methods: ReauthenticationMethods,
    private readonly passwordProof: PasswordProof,
    private readonly factorProofs: FactorProofs,
    private readonly reauthentication: Reauthentication,
    private readonly users: Users,
    private readonly changes: SessionChanges,
    private readonly auditLog: AuditLog,
  ) {}

  @Get()
  @LiveSession()
  @ApiOperation({
    summary: 'How to re-authenticate',
    description: 'What the user has, and may use on pages of this origin.',
  })
  @Answers(200, 'The methods', ReauthenticationMethodsAnswer)
  async list(@CurrentActor() actor: SessionActor) {
    return { methods: await this.methods.of(actor, actor.client.origin) }
  }

  /**
   * Marks the session when its user proves again with any factor who they are, in order to do what an unattended
   * browser must not be able to do. Refuses like {@link PasswordProof.ofActor} and {@link FactorProofs.ofActor}.
   * Throws `TOO_BUSY` when the user was changed in the meantime, for example by a new password, and
   * `SESSION_NOT_FOUND` when the session has ended.
   */
  @Post()
  @ExemptFromWriteLimit()
  @LiveSession()
  @ApiOperation({
    summary: 'Re-authenticate',
    description:
      'Takes exactly one of the proofs; for a passkey, request `POST /api/login/passkey/options` first. Marks the session of the ' +
      'access token for some minutes (10 unless configured). Endpoints that require it answer ' +
      '401 `REAUTHENTICATION_REQUIRED` with `WWW-Authenticate: Bearer error="insufficient_user_authentication", max_age="600"` ' +
      '(RFC 9470) and the member `methods`: what the user can use here, of `password`, `totp`, `passkey` and `recovery`. No new ' +
      'access token is needed; the next one says in `amr` and `auth_time` what was proved. After a 503 ' +
      'the same proof can be sent again.',
  })
  @Answers(200, 'The proof is right', ReauthenticationAnswer)
  @Refuses(
    'INVALID_CREDENTIALS',
    'SECOND_FACTOR_INVALID',
    'PASSKEY_INVALID',
    'OWNER_LOGIN_BARRED',
    'HANDOFF_REQUIRED',
    'TOO_BUSY',
  )
  async reauthenticate(@CurrentActor() actor: SessionActor, @Body() body: ReauthenticateBody) {
    const { password, ...proof } = body
    if (password === undefined)
      return this.factorProofs.ofActor(actor, proof, proved => this.record(actor, proved))
    const user = await this.passwordProof.ofActor(actor, password, 'reauthenticate')
    return this.record(actor, { user, factor: null })
  }

  /** All of it or nothing, so that a code whose session could not be stamped can be sent again. */
  private async record(actor: SessionActor, { user, factor }: Proved) {
    const methods = factor?.methods ?? authMethods('pwd')
    const { until } = await this.changes.commit(async transaction => {
      if (!(await this.users.lockUnchanged(transaction, user))) throw unavailable('TOO_BUSY')
      const stamped = await this.reauthentication.stamp(transaction, actor, methods)
      const sendMails = (await factor?.use(transaction)) ?? NO_MAILS
      const event = auditEvent(actor, 'reauthenticate', { methods: namesOf(methods) })
      await this.auditLog.record(transaction, event)
      return { ...stamped, afterCommit: sendMails }
    })
    return { reauthenticatedUntil: until }
  }
}

/**
 * Where an account asks for it, requires a recently used second factor for spending its money. Runs after
 * PaymentsPermissionGuard, so the account is read only for users who may pay.
 */
@Injectable()
@DocumentedGuard({ refusals: ['STEP_UP_REQUIRED', 'SESSION_NOT_FOUND', 'DATABASE_UNAVAILABLE'] })
export class PaymentStepUpGuard implements CanActivate {
  constructor(
    private readonly accounts: Accounts,
    private readonly reauthentication: Reauthentication,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const session = requestOf(context).session as Session
    const account = await this.accounts.find(session.accountId)
    if (!account) throw new ApiError('SESSION_NOT_FOUND')
    const { paymentStepUpMinutes } = account
    if (paymentStepUpMinutes !== null)
      this.reauthentication.requireSecondFactorWithin(session, paymentStepUpMinutes * 60)
    return true
  }
}
