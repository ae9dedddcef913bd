import { Injectable } from '@nestjs/common'
import type { Actor } from '../platform/audit/audit-event.js'
import type { Db } from '../platform/database/connection.js'
import { ApiError } from '../platform/errors/api-error.js'
import type { Permission } from '../platform/permissions.js'
import { SessionChanges } from '../sessions/changes.js'
import type { SessionActor } from '../sessions/session-actor.js'
import { type Account, Accounts } from './accounts.js'
import { type EntitledUser, effectiveGrant } from './user.js'
import { Users } from './users.js'

/**
 * Checks once more what the guards have checked, in the transaction of the change: they asked the session
 * store, and the permission or the session may have been taken away since.
 */
@Injectable()
export class ActorAuthority {
  constructor(
    private readonly accounts: Accounts,
    private readonly users: Users,
    private readonly changes: SessionChanges,
  ) {}

  /**
   * The account and the user of this session, locked in this order until the transaction ends. Throws like
   * the guards when the user no longer has the permission, or the session has ended.
   */
  async lock(
    transaction: Db,
    actor: SessionActor,
    permission: Permission,
  ): Promise<{ account: Account; user: EntitledUser }> {
    const { userId: id, accountId } = actor
    const { account, user: found } = await this.users.lockWithAccount(transaction, { id, accountId })
    const user = requirePermission(found, permission)
    await this.changes.requireNotRevoked(transaction, actor)
    if (!account) throw new ApiError('SESSION_NOT_FOUND')
    return { account, user }
  }

  /** Like {@link lock}, with another user, who may be of any account; undefined when there is none. */
  async lockWithOther(
    transaction: Db,
    actor: SessionActor,
    permission: Permission,
    otherId: string,
  ): Promise<{ user: EntitledUser; other: EntitledUser | undefined }> {
    await this.accounts.lock(transaction, actor.accountId)
    const locked = await this.users.lockAll(transaction, [actor.userId, otherId])
    const user = requirePermission(locked.get(actor.userId), permission)
    await this.changes.requireNotRevoked(transaction, actor)
    return { user, other: locked.get(otherId) }
  }

  /**
   * The account of this session, locked with its owner until the transaction ends. Throws `OWNER_REQUIRED` or
   * `SESSION_NOT_FOUND` when the caller is no longer the owner, although the guards let the request pass.
   */
  async lockAsOwner(transaction: Db, actor: SessionActor): Promise<Account> {
    const account = await this.accounts.lockExclusively(transaction, actor.accountId)
    requireOwner(await this.users.lock(transaction, actor.userId))
    await this.changes.requireNotRevoked(transaction, actor)
    if (!account) throw new ApiError('SESSION_NOT_FOUND')
    return account
  }

  /** Locks the account for a user of it like {@link lock}, and for operators without a check. */
  async lockAccount(
    transaction: Db,
    actor: Actor & Pick<SessionActor, 'accountId'>,
    permission: Permission,
  ): Promise<void> {
    if (isSession(actor)) await this.lock(transaction, actor, permission)
    else if (!(await this.accounts.lock(transaction, actor.accountId)))
      throw new ApiError('SESSION_NOT_FOUND')
  }
}

/**
 * Throws `OWNER_REQUIRED` (403) for a member, `SECOND_FACTOR_ENROLMENT_REQUIRED` (403) for a user who must set
 * one up first, `SESSION_NOT_FOUND` for a user who has been removed or disabled since they logged in.
 */
export function requireOwner(user: EntitledUser | null | undefined): EntitledUser {
  if (!user || user.disabledAt) throw new ApiError('SESSION_NOT_FOUND')
  if (user.mustEnrol) throw new ApiError('SECOND_FACTOR_ENROLMENT_REQUIRED')
  if (user.role !== 'owner') throw new ApiError('OWNER_REQUIRED')
  return user
}

/**
 * Throws like the guards when the user has been removed, disabled, restricted or required to set up a second
 * factor since the guards let the request through.
 */
function requirePermission(user: EntitledUser | null | undefined, permission: Permission): EntitledUser {
  if (!user || user.disabledAt) throw new ApiError('SESSION_NOT_FOUND')
  if (user.mustEnrol) throw new ApiError('SECOND_FACTOR_ENROLMENT_REQUIRED')
  if (!effectiveGrant(user)[permission]) throw new ApiError('PERMISSION_REQUIRED')
  return user
}

function isSession(actor: Actor): actor is SessionActor {
  return actor.sid !== undefined && actor.userId !== undefined
}
