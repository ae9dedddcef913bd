import { Injectable } from '@nestjs/common'
import { auditEvent } from '../../audit/audit-event.js'
import { AuditLog } from '../../audit/audit-log.js'
import { unavailable } from '../../errors/api-error.js'
import { authMethods } from '../../permissions/auth-methods.js'
import { Reauthentication } from '../../sessions/reauthentication.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import { Users } from '../../users/users.js'
import { PasswordProof } from './password-proof.js'

@Injectable()
export class ReauthenticationService {
  constructor(
    private readonly passwordProof: PasswordProof,
    private readonly users: Users,
    private readonly auditLog: AuditLog,
    private readonly reauthentication: Reauthentication,
  ) {}

  /**
   * Marks the session when the password is its user's, and returns until when that is valid. Refuses like
   * {@link PasswordProof.ofActor}. Throws `TOO_BUSY` when the user was changed meanwhile, for example by a
   * new password, and `SESSION_NOT_FOUND` when the session has ended. Safe to repeat.
   */
  async reauthenticate(actor: SessionActor, password: string): Promise<Date> {
    const user = await this.passwordProof.ofActor(actor, password, 'reauthenticate')
    const event = auditEvent(actor, 'reauthenticate')
    const isRecorded = await this.auditLog.recordIf(db => this.users.unchanged(db, user), event)
    if (!isRecorded) throw unavailable('TOO_BUSY')
    return this.reauthentication.stamp(actor, authMethods('pwd'))
  }
}
