import { Injectable } from '@nestjs/common'
import { Users } from '../accounts/users.js'
import { ApiError } from '../errors/api-error.js'
import type { Client } from '../http/client.js'
import type { Session } from '../sessions/session.js'
import { SessionChanges } from '../sessions/session-changes.js'
import { PasswordSetter } from './password-setter.js'

@Injectable()
export class PasswordChange {
  constructor(
    private readonly users: Users,
    private readonly setter: PasswordSetter,
    private readonly changes: SessionChanges,
  ) {}

  /**
   * Sets a new password for the user of this session, which alone goes on, and tells them by mail. Throws
   * `WEAK_PASSWORD`. Whether the session may do it was asked before: see {@link ReauthenticationGuard}.
   */
  async change(session: Session, password: string, client: Client): Promise<void> {
    const { sid, userId, accountId } = session
    const user = await this.users.find(userId)
    if (!user) throw new ApiError('SESSION_NOT_FOUND')
    await this.setter.set(user, {
      password,
      keep: sid,
      event: { action: 'password.change', outcome: 'ok', userId, accountId, sid, client },
      permit: async (transaction, current) => {
        if (!current || current.disabledAt) throw new ApiError('SESSION_NOT_FOUND')
        await this.changes.requireStanding(transaction, session)
      },
    })
  }
}
