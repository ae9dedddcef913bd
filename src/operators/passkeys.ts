import { Injectable } from '@nestjs/common'
import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import { and, asc, eq } from 'drizzle-orm'
import { PasskeyChallenges } from '../factors/passkeys/passkey-challenges.js'
import { type NewPasskey, PasskeyRegistration } from '../factors/passkeys/passkey-registration.js'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Clock } from '../platform/clock/clock.js'
import { Settings } from '../platform/config/settings.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { operatorPasskeys } from '../platform/database/schema/operators.js'
import { ApiError } from '../platform/errors/api-error.js'
import type { Client } from '../platform/http/client.js'
import type { Email } from '../users/email.js'
import { OperatorGuesses } from './login.js'
import type { OperatorActor } from './operator.guard.js'
import { Operators } from './operators.js'
import type { OperatorSession } from './sessions.js'

/** Asks an operator who has logged in for another code from their app. */
@Injectable()
export class OperatorCodes {
  constructor(
    private readonly operators: Operators,
    private readonly guesses: OperatorGuesses,
  ) {}

  /** Uses the code up. Throws `SECOND_FACTOR_INVALID`, and `TOO_MANY_ATTEMPTS`: it counts like a guess at the login. */
  async require(email: Email, code: string, actor: OperatorActor): Promise<void> {
    const counted = await this.guesses.count('password', email, actor.client)
    await counted.checkedBy(this.use(email, code, actor))
  }

  private async use(email: Email, code: string, actor: OperatorActor): Promise<void> {
    const operator = await this.operators.findByEmail(email)
    if (operator && (await this.operators.useCode(operator, code))) return
    this.guesses.noteWrong(actor, 'operator.passkey', { step: 'added', reason: 'wrong code' })
    throw new ApiError('SECOND_FACTOR_INVALID')
  }
}

/** {@link PasskeyRegistration} for operators, at the host of the console. */
@Injectable()
export class ConsolePasskeyRegistration {
  private readonly siteName: string
  private readonly registration: PasskeyRegistration

  constructor(
    private readonly challenges: PasskeyChallenges,
    { operators: console, brand }: Settings,
  ) {
    this.siteName = `${brand.name} operators`
    const rpId = console ? new URL(console.origin).hostname : ''
    const originOf = (origin: string | null) => (console && origin === console.origin ? origin : null)
    this.registration = new PasskeyRegistration(challenges, { rpId, originOf })
  }

  /** What `navigator.credentials.create()` takes. Authenticators that have one of `existing` refuse. */
  options({ sid, operatorId, email }: OperatorSession, existing: readonly { credentialId: string }[]) {
    const owner = { id: operatorId, email, name: null }
    const excluded = existing.map(({ credentialId }) => ({ credentialId, transports: [] }))
    return this.registration.options(owner, sid, this.siteName, excluded)
  }

  /** Throws `PASSKEY_INVALID`. */
  verify(
    response: RegistrationResponseJSON,
    { sid, operatorId: userId }: OperatorSession,
    client: Client,
    name: string,
  ): Promise<NewPasskey> {
    return this.registration.verify(response, { userId, sid, client }, name)
  }

  /** Uses its challenge up, in the transaction that stores it. Throws `PASSKEY_INVALID` when it was used before. */
  async useUp(transaction: Db, { challenge, expiresAt }: NewPasskey): Promise<void> {
    if (!(await this.challenges.use(transaction, challenge, expiresAt))) throw new ApiError('PASSKEY_INVALID')
  }
}

/** What is sent to add a passkey. */
export interface NewOperatorPasskey {
  readonly response: RegistrationResponseJSON
  readonly name: string
  /** From the authenticator app: a stolen cookie must not be enough to add a permanent way in. */
  readonly code: string
}

/** Operators' passkeys, for the host of the console. */
@Injectable()
export class OperatorPasskeys {
  constructor(
    private readonly registration: ConsolePasskeyRegistration,
    private readonly codes: OperatorCodes,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

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

  /** Options for `navigator.credentials.create()`. */
  async creationOptions(session: OperatorSession) {
    return this.registration.options(session, await this.list(session.operatorId))
  }

  /** Throws `PASSKEY_INVALID`, `SECOND_FACTOR_INVALID` for a wrong code, and `TOO_MANY_ATTEMPTS`. */
  async add(
    { response, name, code }: NewOperatorPasskey,
    session: OperatorSession,
    actor: OperatorActor,
  ): Promise<void> {
    const verified = await this.registration.verify(response, session, actor.client, name)
    await this.codes.require(session.email, code, actor)
    const { credentialId, publicKey, isBackupEligible } = verified.passkey
    const row = { credentialId, operatorId: session.operatorId, publicKey, isBackupEligible, name }
    await this.database.transaction(async transaction => {
      await this.registration.useUp(transaction, verified)
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
