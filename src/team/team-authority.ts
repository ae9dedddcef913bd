import { Injectable } from '@nestjs/common'
import { type AuditAction, auditEventOf } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { ApiError } from '../platform/errors/api-error.js'
import { PERMISSIONS, type Permission, type Permissions } from '../platform/permissions.js'
import { Reauthentication } from '../sessions/reauthentication.js'
import type { SessionActor } from '../sessions/session-actor.js'
import type { Account } from '../users/accounts.js'
import { ActorAuthority } from '../users/actor-authority.js'
import { SENSITIVE_PERMISSIONS } from '../users/notices.js'
import type { User } from '../users/user.js'

/** A manager and the member they are about to change. */
export interface ManagerAndMember {
  readonly manager: User
  readonly member: User
}

/**
 * Checks the rights of managers in the same transaction as the change. Guards have already asked the session
 * store, but when two managers change each other at the same time, only the first may succeed.
 */
@Injectable()
export class TeamAuthority {
  constructor(
    private readonly authority: ActorAuthority,
    private readonly reauthentication: Reauthentication,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * The manager and a user of their account, locked until the transaction ends. Throws `NOT_FOUND` for users
   * of other accounts, and like {@link lock}.
   */
  async lockBoth(transaction: Db, actor: SessionActor, userId: string): Promise<ManagerAndMember> {
    const { user, other } = await this.authority.lockWithOther(transaction, actor, 'teamManagement', userId)
    if (other?.accountId !== user.accountId) throw new ApiError('NOT_FOUND')
    return { manager: user, member: other }
  }

  /**
   * The manager and their account, locked in the order account, manager. Throws like the guards when they are no longer
   * a manager.
   */
  async lock(transaction: Db, actor: SessionActor): Promise<{ manager: User; account: Account }> {
    const { account, user: manager } = await this.authority.lock(transaction, actor, 'teamManagement')
    return { manager, account }
  }

  /**
   * Throws `OWN_RIGHTS` for permissions that the manager does not have, and `REAUTHENTICATION_REQUIRED` or
   * `STEP_UP_REQUIRED` for {@link SENSITIVE_PERMISSIONS}.
   */
  requireCanGrant(actor: SessionActor, manager: User, given: readonly Permission[]): void {
    requireCanGrant(manager, given)
    if (SENSITIVE_PERMISSIONS.some(name => given.includes(name)))
      this.reauthentication.requireWithSecondFactor(actor, manager)
  }

  /** Runs `check`, and records its refusal in the audit log. */
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
        this.auditLog.enqueue(event, 'refused')
      }
      throw refusal
    }
  }
}

/** Throws `OWN_RIGHTS` (403) for changes to oneself. */
export function requireNotSelf(manager: User, member: User): void {
  if (manager.id === member.id) throw new ApiError('OWN_RIGHTS')
}

/** Throws `LAST_OWNER` (409) for changes to the owner: an account always has one, until ownership is transferred. */
export function requireNotOwner(member: User): void {
  if (member.role === 'owner') throw new ApiError('LAST_OWNER')
}

/** What `wanted` adds to `had`; removals add nothing. */
export function newlyGranted(had: Permissions | null, wanted: Permissions): Permission[] {
  return PERMISSIONS.filter(name => wanted[name] && !had?.[name])
}

/** Throws `OWN_RIGHTS` (403) unless the manager has every permission that is given. */
export function requireCanGrant(manager: User, given: readonly Permission[]): void {
  if (!given.every(name => manager.granted[name])) throw new ApiError('OWN_RIGHTS')
}
