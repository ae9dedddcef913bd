import { Injectable } from '@nestjs/common'
import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import { and, asc, eq } from 'drizzle-orm'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import { Database } from '../../platform/database/database.js'
import { operatorPasskeys } from '../../platform/database/schema/operators.js'
import { ApiError } from '../../platform/errors/api-error.js'
import { Clock } from '../../platform/time.js'
import type { OperatorActor } from '../operator.guard.js'
import { OperatorCodes } from '../operator-codes.js'
import type { OperatorSession } from '../operator-sessions.js'
import { ConsolePasskeyRegistration } from './console-passkey-registration.js'

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
