import { Injectable } from '@nestjs/common'
import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import { and, asc, eq } from 'drizzle-orm'
import { PasskeyRegistration } from '../factors/passkey-registration.js'
import { PasskeyChallenges } from '../factors/webauthn.js'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Settings } from '../platform/config/settings.js'
import { Database } from '../platform/database/database.js'
import { operatorPasskeys } from '../platform/database/schema/operators.js'
import { ApiError } from '../platform/errors/api-error.js'
import { Clock } from '../platform/time.js'
import { OperatorLogin } from './login.js'
import type { OperatorActor } from './operator.guard.js'
import type { OperatorSession } from './sessions.js'

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
