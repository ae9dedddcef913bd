import { Injectable } from '@nestjs/common'
import { Settings } from '../../config/settings.js'
import { ApiError, unavailable } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import type { Session } from '../../sessions/session.js'
import { Users } from '../../users/users.js'
import { isBarredOwner } from '../login/login-place.js'
import { PasswordProof } from '../reauthentication/password-proof.js'
import type { PasswordChangeBody } from './password.dto.js'
import { PasswordSetter } from './password-setter.js'

@Injectable()
export class PasswordChange {
  constructor(
    private readonly users: Users,
    private readonly passwordProof: PasswordProof,
    private readonly setter: PasswordSetter,
    private readonly changes: SessionChanges,
    private readonly settings: Settings,
  ) {}

  /**
   * Sets a new password for the user of this session and tells them by mail. Only this session survives.
   * Refuses a wrong current password like {@link PasswordProof}. Throws `WEAK_PASSWORD`, `OWNER_LOGIN_BARRED`
   * like a login there, and `TOO_BUSY` when the password was changed in the meantime.
   */
  async change(
    session: Session,
    { password, currentPassword }: PasswordChangeBody,
    client: Client,
  ): Promise<void> {
    const { sid, userId, accountId } = session
    const user = await this.users.find(userId)
    if (!user) throw new ApiError('SESSION_NOT_FOUND')
    if (isBarredOwner(user, { source: session.source, origin: client.origin }, this.settings))
      throw new ApiError('OWNER_LOGIN_BARRED')
    await this.passwordProof.require(user, currentPassword, { action: 'password.change', sid, client })
    await this.setter.set(user, {
      password,
      keep: sid,
      event: { action: 'password.change', outcome: 'ok', userId, accountId, sid, client },
      permit: async (transaction, current) => {
        if (!current || current.disabledAt) throw new ApiError('SESSION_NOT_FOUND')
        if (current.passwordHash !== user.passwordHash) throw unavailable('TOO_BUSY')
        await this.changes.requireNotRevoked(transaction, session)
      },
    })
  }
}
