import { Injectable } from '@nestjs/common'
import { PasskeyRegistration } from '../../factors/passkey-registration.js'
import { Passkeys } from '../../factors/passkeys.js'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import { Database } from '../../platform/database/database.js'
import { ApiError } from '../../platform/errors/api-error.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import { Users } from '../../users/users.js'
import { asPasskeyAnswer } from './passkeys.dto.js'

/** What users can do with their passkeys without changing who may log in. */
@Injectable()
export class OwnPasskeys {
  constructor(
    private readonly passkeys: Passkeys,
    private readonly registration: PasskeyRegistration,
    private readonly users: Users,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  async list({ userId }: SessionActor) {
    const found = await this.database.run(db => this.passkeys.listOf(db, userId))
    return found.map(asPasskeyAnswer)
  }

  /** Options for a new passkey. Throws `TOO_MANY_PASSKEYS`, and `SESSION_NOT_FOUND` when the user is gone. */
  async creationOptions(actor: SessionActor, siteName: string) {
    const user = await this.users.find(actor.userId)
    if (!user) throw new ApiError('SESSION_NOT_FOUND')
    const existing = await this.database.run(async db => {
      await this.passkeys.requireRoom(db, user.id)
      return this.passkeys.listOf(db, user.id)
    })
    return this.registration.options(user, actor.sid, siteName, existing)
  }

  /** Throws `NOT_FOUND`. */
  async rename(actor: SessionActor, id: string, name: string) {
    const renamed = await this.database.transaction(async transaction => {
      const passkey = await this.passkeys.rename(transaction, { id, userId: actor.userId }, name)
      const detail = { factor: 'passkey', passkeyId: id, name }
      if (passkey) await this.auditLog.record(transaction, auditEvent(actor, 'factor.change', detail))
      return passkey
    })
    if (!renamed) throw new ApiError('NOT_FOUND')
    return asPasskeyAnswer(renamed)
  }
}
