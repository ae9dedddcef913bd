import { Injectable } from '@nestjs/common'
import { StepUp } from '../auth/step-up/step-up.js'
import { Settings } from '../config/settings.js'
import type { Db } from '../database/connection.js'
import { ApiError, unavailable } from '../errors/api-error.js'
import { SessionChanges } from '../sessions/revocation/session-changes.js'
import type { SessionActor } from '../sessions/session-actor.js'
import type { User } from '../users/user.js'
import { Users } from '../users/users.js'

/** Whether a session may change what its user logs in with. */
@Injectable()
export class FactorAuthority {
  constructor(
    private readonly users: Users,
    private readonly changes: SessionChanges,
    private readonly stepUp: StepUp,
    private readonly settings: Settings,
  ) {}

  /**
   * Throws `STEP_UP_REQUIRED` for a user who has a second factor and has not used one recently: whoever has only
   * the password, and a browser that is remembered, could otherwise add a factor of their own. Returns the user.
   */
  async require(actor: SessionActor): Promise<User> {
    const user = await this.users.find(actor.userId)
    if (!user) throw new ApiError('SESSION_NOT_FOUND')
    if (user.hasSecondFactor) this.stepUp.require(actor, this.settings.reauthenticationTtlSeconds)
    return user
  }

  /**
   * The user, locked until the transaction ends. Throws `SESSION_NOT_FOUND` when the session has ended, and
   * `TOO_BUSY` when the user has got their first factor, or lost their last, since {@link require}.
   */
  async lock(transaction: Db, actor: SessionActor, required: User): Promise<User> {
    const user = await this.users.lock(transaction, actor.userId)
    if (!user || user.disabledAt) throw new ApiError('SESSION_NOT_FOUND')
    await this.changes.requireNotRevoked(transaction, actor)
    if (user.hasSecondFactor !== required.hasSecondFactor) throw unavailable('TOO_BUSY')
    return user
  }
}
