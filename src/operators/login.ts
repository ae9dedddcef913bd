import { Injectable } from '@nestjs/common'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { and, asc, eq, isNull } from 'drizzle-orm'
import { checkSignature } from '../factors/passkey-assertions.js'
import { PasskeyRegistration } from '../factors/passkey-registration.js'
import { userHandleOf } from '../factors/passkeys.js'
import { CHALLENGE_SECONDS, clientDataOf, PasskeyChallenges } from '../factors/webauthn.js'
import { type Actor, auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Settings } from '../platform/config/settings.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { operatorPasskeys, operators as operatorRows } from '../platform/database/schema/operators.js'
import { ApiError } from '../platform/errors/api-error.js'
import type { Client } from '../platform/http/request.js'
import { RateLimiter } from '../platform/rate-limits/rate-limiter.js'
import { Clock } from '../platform/time.js'
import type { SessionId } from '../sessions/session.js'
import type { Email } from '../users/email.js'
import { Passwords } from '../users/passwords/passwords.js'
import type { OperatorActor } from './operator.guard.js'
import { type Operator, Operators } from './operators.js'
import { type OperatorSession, OperatorSessions } from './sessions.js'

/** What an operator enters. */
interface OperatorCredentials {
  readonly email: Email
  readonly password: string
  /** From their authenticator app. */
  readonly code: string
}

type PasskeyRow = typeof operatorPasskeys.$inferSelect

const FOR_LOGIN = { for: 'operator assertion' } as const

/** Logs operators in, with a password and a code or with a passkey. */
@Injectable()
export class OperatorLogin {
  private readonly origin: string
  private readonly rpId: string

  constructor(
    private readonly operators: Operators,
    private readonly sessions: OperatorSessions,
    private readonly passwords: Passwords,
    private readonly challenges: PasskeyChallenges,
    private readonly rateLimiter: RateLimiter,
    private readonly auditLog: AuditLog,
    private readonly database: Database,
    { operators: console }: Settings,
  ) {
    this.origin = console?.origin ?? ''
    this.rpId = console ? new URL(console.origin).hostname : ''
  }

  /**
   * Returns the secret of a new session. Throws `INVALID_CREDENTIALS` whatever is wrong, after the same
   * amount of work, and `TOO_MANY_ATTEMPTS`.
   */
  async logIn(credentials: OperatorCredentials, client: Client): Promise<SessionId> {
    const counted = await this.countGuess('password', credentials.email, client)
    return counted.checkedBy(this.check(credentials, client).then(operator => this.open(operator, client)))
  }

  /** Options for `navigator.credentials.get()`. They reveal nothing about any operator. */
  passkeyOptions() {
    return {
      challenge: this.challenges.issue(FOR_LOGIN),
      rpId: this.rpId,
      timeout: CHALLENGE_SECONDS * 1000,
      userVerification: 'required',
      allowCredentials: [],
    }
  }

  /** Returns the secret of a new session. Throws `PASSKEY_INVALID` whatever is wrong, and `TOO_MANY_ATTEMPTS`. */
  async logInWithPasskey(response: AuthenticationResponseJSON, client: Client): Promise<SessionId> {
    const counted = await this.countGuess('passkey', response.id, client)
    try {
      return await counted.checkedBy(this.openByPasskey(response, client))
    } catch (error) {
      if (error instanceof ApiError && error.code === 'PASSKEY_INVALID')
        this.noteWrong({ client }, 'operator.login', { reason: 'wrong passkey' })
      throw error
    }
  }

  /**
   * Asks an operator who has logged in for another code, and uses it up. Throws `SECOND_FACTOR_INVALID`, and
   * `TOO_MANY_ATTEMPTS`: it counts like a guess at the login.
   */
  async requireCode(email: Email, code: string, actor: OperatorActor): Promise<void> {
    const counted = await this.countGuess('password', email, actor.client)
    await counted.checkedBy(this.useCode(email, code, actor))
  }

  private async check({ email, password, code }: OperatorCredentials, client: Client): Promise<Operator> {
    const operator = await this.operators.findByEmail(email)
    const isPassword = await this.passwords.verify(operator?.passwordHash ?? null, password, client)
    // A code is used up only when the password is right.
    if (operator && isPassword && (await this.operators.useCode(operator, code))) return operator
    const reason = operator ? (isPassword ? 'wrong code' : 'wrong password') : 'unknown operator'
    const actor = { client, ...(operator && { operator: { id: operator.id, reason: null } }) }
    this.noteWrong(actor, 'operator.login', { reason, email })
    throw new ApiError('INVALID_CREDENTIALS')
  }

  private open(operator: Operator, client: Client): Promise<SessionId> {
    return this.database.transaction(async transaction => {
      // Since the check they may have been disabled, and even added anew.
      if (!(await this.operators.isUnchanged(transaction, operator)))
        throw new ApiError('INVALID_CREDENTIALS')
      return this.sessions.open(transaction, operator.id, client)
    })
  }

  private async openByPasskey(response: AuthenticationResponseJSON, client: Client): Promise<SessionId> {
    const challenge = clientDataOf(response.response.clientDataJSON)?.challenge ?? ''
    const expiresAt = this.challenges.expiryOf(challenge, FOR_LOGIN)
    if (!expiresAt) throw new ApiError('PASSKEY_INVALID')
    const { origin, rpId } = this
    const expected = { passkey: await this.findPasskey(response), challenge, origin, rpId }
    const { passkey } = await checkSignature(response, expected)
    return this.database.transaction(async transaction => {
      if (!(await this.challenges.use(transaction, challenge, expiresAt)))
        throw new ApiError('PASSKEY_INVALID')
      if (!(await lockPasskey(transaction, passkey))) throw new ApiError('PASSKEY_INVALID')
      return this.sessions.open(transaction, passkey.operatorId, client, { passkey: passkey.name })
    })
  }

  /** Only if its operator can log in, and is whom the authenticator means. */
  private async findPasskey({ id, response }: AuthenticationResponseJSON): Promise<PasskeyRow | null> {
    const [row] = await this.database.run(db =>
      db
        .select({ passkey: operatorPasskeys })
        .from(operatorPasskeys)
        .innerJoin(operatorRows, eq(operatorRows.id, operatorPasskeys.operatorId))
        .where(and(eq(operatorPasskeys.credentialId, id), isNull(operatorRows.disabledAt))),
    )
    return row && response.userHandle === userHandleOf(row.passkey.operatorId) ? row.passkey : null
  }

  private async useCode(email: Email, code: string, actor: OperatorActor): Promise<void> {
    const operator = await this.operators.findByEmail(email)
    if (operator && (await this.operators.useCode(operator, code))) return
    this.noteWrong(actor, 'operator.passkey', { step: 'added', reason: 'wrong code' })
    throw new ApiError('SECOND_FACTOR_INVALID')
  }

  /** An operator's address may also belong to a user; the two must not share a limit. */
  private countGuess(kind: 'password' | 'passkey', addressOrPasskey: string, client: Client) {
    return this.rateLimiter.count({ kind, subject: `operator ${addressOrPasskey}`, client })
  }

  private noteWrong(
    actor: Actor,
    action: 'operator.login' | 'operator.passkey',
    detail: Readonly<Record<string, unknown>>,
  ): void {
    this.auditLog.enqueue(auditEvent(actor, action, detail), 'failed')
  }
}

/** Whether it still exists; then it cannot be removed, nor its operator disabled, until the transaction ends. */
async function lockPasskey(transaction: Db, { credentialId }: PasskeyRow): Promise<boolean> {
  const rows = await transaction
    .select({ credentialId: operatorPasskeys.credentialId })
    .from(operatorPasskeys)
    .where(eq(operatorPasskeys.credentialId, credentialId))
    .for('share')
  return rows.length > 0
}

/** What is sent to add a passkey. */
interface NewOperatorPasskey {
  readonly response: RegistrationResponseJSON
  readonly name: string
  /** From the authenticator app: a stolen cookie must not be enough to add a permanent way in. */
  readonly code: string
}

/** Operators' passkeys, for the host of the console. */
@Injectable()
export class OperatorPasskeys {
  private readonly siteName: string
  private readonly registration: PasskeyRegistration

  constructor(
    private readonly login: OperatorLogin,
    private readonly challenges: PasskeyChallenges,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
    { operators: console, brand }: Settings,
  ) {
    this.siteName = `${brand.name} operators`
    const rpId = console ? new URL(console.origin).hostname : ''
    const originOf = (origin: string | null) => (console && origin === console.origin ? origin : null)
    this.registration = new PasskeyRegistration(challenges, { rpId, originOf })
  }

  list(operatorId: string): Promise<(typeof operatorPasskeys.$inferSelect)[]> {
    const { createdAt } = operatorPasskeys
    return this.database.run(db =>
      db
        .select()
        .from(operatorPasskeys)
        .where(eq(operatorPasskeys.operatorId, operatorId))
        .orderBy(asc(createdAt)),
    )
  }

  /** What `navigator.credentials.create()` takes. Authenticators that have one of the operator's passkeys refuse. */
  async creationOptions({ sid, operatorId, email }: OperatorSession) {
    const owner = { id: operatorId, email, name: null }
    const existing = await this.list(operatorId)
    const excluded = existing.map(({ credentialId }) => ({ credentialId, transports: [] }))
    return this.registration.options(owner, sid, this.siteName, excluded)
  }

  /** Throws `PASSKEY_INVALID`, `SECOND_FACTOR_INVALID` for a wrong code, and `TOO_MANY_ATTEMPTS`. */
  async add(
    { response, name, code }: NewOperatorPasskey,
    { sid, operatorId, email }: OperatorSession,
    actor: OperatorActor,
  ): Promise<void> {
    const whose = { userId: operatorId, sid, client: actor.client }
    const { passkey, challenge, expiresAt } = await this.registration.verify(response, whose, name)
    await this.login.requireCode(email, code, actor)
    const { credentialId, publicKey, isBackupEligible } = passkey
    const row = { credentialId, operatorId, publicKey, isBackupEligible, name }
    await this.database.transaction(async transaction => {
      if (!(await this.challenges.use(transaction, challenge, expiresAt)))
        throw new ApiError('PASSKEY_INVALID')
      const added = await transaction
        .insert(operatorPasskeys)
        .values({ ...row, createdAt: this.clock.now() })
        .onConflictDoNothing()
        .returning({ credentialId: operatorPasskeys.credentialId })
      if (added.length === 0) throw new ApiError('PASSKEY_INVALID')
      await this.auditLog.record(transaction, auditEvent(actor, 'operator.passkey', { step: 'added', name }))
    })
  }

  /** Throws `NOT_FOUND`. */
  async remove(credentialId: string, actor: OperatorActor): Promise<void> {
    await this.database.transaction(async transaction => {
      const { operatorId, name } = operatorPasskeys
      const isTheirs = and(eq(operatorPasskeys.credentialId, credentialId), eq(operatorId, actor.operator.id))
      const [removed] = await transaction.delete(operatorPasskeys).where(isTheirs).returning({ name })
      if (!removed) throw new ApiError('NOT_FOUND')
      const event = auditEvent(actor, 'operator.passkey', { step: 'removed', ...removed })
      await this.auditLog.record(transaction, event)
    })
  }
}
