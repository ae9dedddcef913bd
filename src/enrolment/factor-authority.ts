import { Injectable } from '@nestjs/common'
import type { Db } from '../platform/database/connection.js'
import { ApiError } from '../platform/errors/api-error.js'
import { SessionChanges } from '../sessions/revocation/session-changes.js'
import type { SessionActor } from '../sessions/session-actor.js'
import type { User } from '../users/user.js'
import { Users } from '../users/users.js'

/**
 * Checks users who change what they log in with. ReauthenticationGuard has already asked them for a second
 * factor, if they have one.
 */
@Injectable()
export class FactorAuthority {
  constructor(
    private readonly users: Users,
    private readonly changes: SessionChanges,
  ) {}

  /**
   * The user, locked until the transaction ends. Throws `SESSION_NOT_FOUND` when the session has ended: a first
   * factor ends the sessions that could not have used it.
   */
  async lock(transaction: Db, actor: SessionActor): Promise<User> {
    return this.requireLive(transaction, actor, await this.users.lock(transaction, actor.userId))
  }

  /** Like {@link lock}, with the account locked first: for what cancels a transfer of it. */
  async lockWithAccount(transaction: Db, actor: SessionActor): Promise<User> {
    const { userId: id, accountId } = actor
    const { user } = await this.users.lockWithAccount(transaction, { id, accountId })
    return this.requireLive(transaction, actor, user)
  }

  private async requireLive(transaction: Db, actor: SessionActor, user: User | null): Promise<User> {
    if (!user || user.disabledAt) throw new ApiError('SESSION_NOT_FOUND')
    await this.changes.requireNotRevoked(transaction, actor)
    return user
  }
}
