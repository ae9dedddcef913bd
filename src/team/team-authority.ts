import { Injectable } from '@nestjs/common'
import { type AuditAction, auditEventOf } from '../audit/audit-event.js'
import { AuditLog } from '../audit/audit-log.js'
import type { Db } from '../database/connection.js'
import { ApiError } from '../errors/api-error.js'
import type { Permission } from '../permissions/permissions.js'
import type { SessionActor } from '../sessions/actor.js'
import { Reauthentication } from '../sessions/reauthentication.js'
import { SessionChanges } from '../sessions/revocation/session-changes.js'
import type { User } from '../users/user.js'
import { Users } from '../users/users.js'
import { needsReauthentication, requireCanGrant } from './team-rules.js'

/** A manager and the member whom they are about to change. */
export interface ManagerAndMember {
  readonly manager: User
  readonly member: User
}

/**
 * Checks the rights of managers in the very transaction of the change. Guards have asked the session store
 * before, but of two managers who change each other at once only the first may succeed.
 */
@Injectable()
export class TeamAuthority {
  constructor(
    private readonly users: Users,
    private readonly changes: SessionChanges,
    private readonly reauthentication: Reauthentication,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * The manager and a user of their account, locked until the transaction ends. Throws `NOT_FOUND` for users of
   * other accounts, and like {@link lockManager}.
   */
  async lockBoth(transaction: Db, actor: SessionActor, userId: string): Promise<ManagerAndMember> {
    const locked = await this.users.lockAll(transaction, [actor.userId, userId])
    const manager = requireManager(locked.get(actor.userId))
    await this.changes.requireNotRevoked(transaction, actor)
    const member = locked.get(userId)
    if (member?.accountId !== manager.accountId) throw new ApiError('NOT_FOUND')
    return { manager, member }
  }

  /** The manager, locked until the transaction ends; throws like the guards when they are no longer one. */
  async lockManager(transaction: Db, actor: SessionActor): Promise<User> {
    const manager = requireManager(await this.users.lock(transaction, actor.userId))
    await this.changes.requireNotRevoked(transaction, actor)
    return manager
  }

  /**
   * Throws `OWN_RIGHTS` for what the manager does not have, `REAUTHENTICATION_REQUIRED` where one is needed.
   */
  requireCanGrant(actor: SessionActor, manager: User, given: readonly Permission[]): void {
    requireCanGrant(manager, given)
    if (needsReauthentication(given)) this.reauthentication.require(actor)
  }

  /** Runs `check`, and records in the audit log what it refuses. */
  auditRefusals(
    actor: SessionActor,
    action: AuditAction,
    userId: string | undefined,
    check: () => void,
  ): void {
    try {
      check()
    } catch (refusal) {
      if (refusal instanceof ApiError) {
        const target = { id: userId, accountId: actor.accountId }
        const event = auditEventOf(target, actor, action, { reason: refusal.code })
        this.auditLog.note({ ...event, outcome: 'refused' })
      }
      throw refusal
    }
  }
}

/**
 * Throws like the guards when the manager has been removed, disabled or restricted since they let the request
 * pass.
 */
function requireManager(user: User | null | undefined): User {
  if (!user || user.disabledAt) throw new ApiError('SESSION_NOT_FOUND')
  if (!user.granted.teamManagement) throw new ApiError('PERMISSION_REQUIRED')
  return user
}
