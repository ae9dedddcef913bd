import { Injectable } from '@nestjs/common'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { ApiError, unavailable } from '../../platform/errors/api-error.js'
import { NOTHING_RECORDED } from '../../sessions/revocation/recorded-changes.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import { PasswordProof } from '../reauthentication/password-proof.js'
import type { PasswordChangeBody } from './password.dto.js'
import { PasswordSetter } from './password-setter.js'

@Injectable()
export class PasswordChangeService {
  constructor(
    private readonly passwordProof: PasswordProof,
    private readonly setter: PasswordSetter,
    private readonly changes: SessionChanges,
  ) {}

  /**
   * Sets a new password for the user of this session and tells them by mail. Only this session survives.
   * Refuses a wrong current password like {@link PasswordProof.ofActor}. Throws `WEAK_PASSWORD`, and
   * `TOO_BUSY` when the password was changed in the meantime.
   */
  async change(actor: SessionActor, { password, currentPassword }: PasswordChangeBody): Promise<void> {
    const user = await this.passwordProof.ofActor(actor, currentPassword, 'password.change')
    await this.setter.set(user, {
      password,
      keep: actor.sid,
      client: actor.client,
      event: auditEvent(actor, 'password.change'),
      requireAllowed: async (transaction, current) => {
        if (!current || current.disabledAt) throw new ApiError('SESSION_NOT_FOUND')
        if (current.passwordHash !== user.passwordHash) throw unavailable('TOO_BUSY')
        await this.changes.requireNotRevoked(transaction, actor)
        return NOTHING_RECORDED
      },
    })
  }
}
