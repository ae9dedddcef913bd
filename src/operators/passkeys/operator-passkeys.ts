import { Injectable } from '@nestjs/common'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { and, asc, eq, isNull } from 'drizzle-orm'
import { auditEvent } from '../../audit/audit-event.js'
import { AuditLog } from '../../audit/audit-log.js'
import { Clock } from '../../clock/clock.js'
import { Settings } from '../../config/settings.js'
import type { Db } from '../../database/connection.js'
import { Database } from '../../database/database.js'
import { operatorPasskeys, operators as operatorRows } from '../../database/schema.js'
import { ApiError } from '../../errors/api-error.js'
import { checkSignature } from '../../factors/passkeys/check-signature.js'
import { clientDataOf } from '../../factors/passkeys/client-data.js'
import { userHandleOf } from '../../factors/passkeys/passkey.js'
import { CHALLENGE_SECONDS, PasskeyChallenges } from '../../factors/passkeys/passkey-challenges.js'
import { PasskeyRegistration } from '../../factors/passkeys/passkey-registration.js'
import type { Client } from '../../http/client.js'
import { RateLimiter } from '../../rate-limits/rate-limiter.js'
import type { SessionId } from '../../sessions/session.js'
import type { Email } from '../../users/email.js'
import type { OperatorActor } from '../operator.guard.js'
import { type OperatorSession, OperatorSessions } from '../operator-sessions.js'
import { Operators } from '../operators.js'

type PasskeyRow = typeof operatorPasskeys.$inferSelect

/** What is sent to add a passkey. */
export interface NewOperatorPasskey {
  readonly response: RegistrationResponseJSON
  readonly name: string
  /** From the authenticator app: a stolen cookie must not be enough to add a permanent way in. */
  readonly code: string
}

const FOR_LOGIN = { for: 'operator assertion' } as const

/** Operators' passkeys, for the host of the console. */
@Injectable()
export class OperatorPasskeys {
  private readonly origin: string
  private readonly rpId: string
  private readonly siteName: string
  private readonly registration: PasskeyRegistration

  constructor(
    private readonly challenges: PasskeyChallenges,
    private readonly operators: Operators,
    private readonly sessions: OperatorSessions,
    private readonly rateLimiter: RateLimiter,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
    { operators: console, brand }: Settings,
  ) {
    this.origin = console?.origin ?? ''
    this.rpId = console ? new URL(console.origin).hostname : ''
    this.siteName = `${brand.name} operators`
    const { rpId } = this
    const originOf = (origin: string | null) => (origin === this.origin ? origin : null)
    this.registration = new PasskeyRegistration(challenges, { rpId, originOf })
  }

  list(operatorId: string): Promise<PasskeyRow[]> {
    const { createdAt } = operatorPasskeys
    return this.database.run(db =>
      db
        .select()
        .from(operatorPasskeys)
        .where(eq(operatorPasskeys.operatorId, operatorId))
        .orderBy(asc(createdAt)),
    )
  }

  /** Options for `navigator.credentials.create()`. */
  async creationOptions({ sid, operatorId, email }: OperatorSession) {
    const owner = { id: operatorId, email, name: null }
    const existing = (await this.list(operatorId)).map(({ credentialId }) => ({
      credentialId,
      transports: [],
    }))
    return this.registration.options(owner, sid, this.siteName, existing)
  }

  /** Throws `PASSKEY_INVALID`, `SECOND_FACTOR_INVALID` for a wrong code, and `TOO_MANY_ATTEMPTS`. */
  async add(
    { response, name, code }: NewOperatorPasskey,
    { sid, operatorId: userId, email }: OperatorSession,
    actor: OperatorActor,
  ): Promise<void> {
    const { client } = actor
    const { passkey, challenge, expiresAt } = await this.registration.verify(
      response,
      { userId, sid, client },
      name,
    )
    await this.requireCode(email, code, actor)
    const { credentialId, publicKey, isBackupEligible } = passkey
    await this.database.transaction(async transaction => {
      if (!(await this.challenges.use(transaction, challenge, expiresAt)))
        throw new ApiError('PASSKEY_INVALID')
      const row = { credentialId, operatorId: userId, publicKey, isBackupEligible, name }
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

  /** Options for `navigator.credentials.get()`. They reveal nothing about anybody. */
  requestOptions() {
    return {
      challenge: this.challenges.issue(FOR_LOGIN),
      rpId: this.rpId,
      timeout: CHALLENGE_SECONDS * 1000,
      userVerification: 'required',
      allowCredentials: [],
    }
  }

  /** Returns the secret of a new session. Throws `PASSKEY_INVALID` whatever is wrong, and `TOO_MANY_ATTEMPTS`. */
  async logIn(response: AuthenticationResponseJSON, client: Client): Promise<SessionId> {
    const subject = `operator ${response.id}`
    const counted = await this.rateLimiter.count({ kind: 'passkey', subject, client })
    try {
      return await counted.checkedBy(this.openBy(response, client))
    } catch (error) {
      if (error instanceof ApiError && error.code === 'PASSKEY_INVALID')
        this.auditLog.note({
          ...auditEvent({ client }, 'operator.login', { reason: 'wrong passkey' }),
          outcome: 'failed',
        })
      throw error
    }
  }

  private async openBy(response: AuthenticationResponseJSON, client: Client): Promise<SessionId> {
    const challenge = clientDataOf(response.response.clientDataJSON)?.challenge ?? ''
    const expiresAt = this.challenges.expiryOf(challenge, FOR_LOGIN)
    const passkey = expiresAt && (await this.find(response.id))
    if (!passkey || response.response.userHandle !== userHandleOf(passkey.operatorId))
      throw new ApiError('PASSKEY_INVALID')
    const { origin, rpId } = this
    await checkSignature(response, { passkey, challenge, origin, rpId })
    return this.database.transaction(async transaction => {
      if (!(await this.challenges.use(transaction, challenge, expiresAt)))
        throw new ApiError('PASSKEY_INVALID')
      if (!(await lockPasskey(transaction, passkey))) throw new ApiError('PASSKEY_INVALID')
      const sessionId = await this.sessions.open(transaction, passkey.operatorId)
      const actor = { client, operator: { id: passkey.operatorId, reason: null } }
      const event = auditEvent(actor, 'operator.login', { passkey: passkey.name })
      await this.auditLog.record(transaction, event)
      return sessionId
    })
  }

  /** Only if its operator can log in. */
  private async find(credentialId: string): Promise<PasskeyRow | null> {
    const [row] = await this.database.run(db =>
      db
        .select({ passkey: operatorPasskeys })
        .from(operatorPasskeys)
        .innerJoin(operatorRows, eq(operatorRows.id, operatorPasskeys.operatorId))
        .where(and(eq(operatorPasskeys.credentialId, credentialId), isNull(operatorRows.disabledAt))),
    )
    return row?.passkey ?? null
  }

  private async requireCode(email: Email, code: string, actor: OperatorActor): Promise<void> {
    const { client } = actor
    const counted = await this.rateLimiter.count({ kind: 'password', subject: `operator ${email}`, client })
    await counted.checkedBy(this.useCode(email, code, actor))
  }

  private async useCode(email: Email, code: string, actor: OperatorActor): Promise<void> {
    const operator = await this.operators.findByEmail(email)
    if (operator && (await this.operators.useCode(operator, code))) return
    const event = auditEvent(actor, 'operator.passkey', { step: 'added', reason: 'wrong code' })
    this.auditLog.note({ ...event, outcome: 'failed' })
    throw new ApiError('SECOND_FACTOR_INVALID')
  }
}

/** Whether it still exists; then nobody can remove it, nor disable its operator, until the transaction ends. */
async function lockPasskey(transaction: Db, { credentialId }: PasskeyRow): Promise<boolean> {
  const rows = await transaction
    .select({ credentialId: operatorPasskeys.credentialId })
    .from(operatorPasskeys)
    .where(eq(operatorPasskeys.credentialId, credentialId))
    .for('share')
  return rows.length > 0
}
