import { Injectable } from '@nestjs/common'
import { type AuditAction, auditEventOf } from '../audit/audit-event.js'
import { AuditLog } from '../audit/audit-log.js'
import type { Db } from '../database/connection.js'
import { ApiError } from '../errors/api-error.js'
import type { Permission } from '../permissions/permissions.js'
import type { SessionActor } from '../sessions/actor.js'
import { Reauthentication } from '../sessions/reauthentication.js'
import { SessionChanges } from '../sessions/revocation/session-changes.js'
import type { Authority } from '../users/authority.js'
import type { User } from '../users/user.js'
import { Users } from '../users/users.js'
import { needsReauthentication, requireCanGrant } from './team-rules.js'

/** What a manager is about to do to whom. Throws unless both, as they are now, allow it. */
export type Rule = (manager: User, member: User) => void

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

  /** For a change of one user of the manager's account; records a refusal in the audit log. */
  over(actor: SessionActor, userId: string, action: AuditAction, rule: Rule): Authority {
    return {
      actor,
      check: async transaction => {
        const people = await this.users.lockAll(transaction, [actor.userId, userId])
        const self = asManager(people.get(actor.userId))
        await this.changes.requireNotRevoked(transaction, actor)
        const member = people.get(userId)
        if (member?.accountId !== self.accountId) throw new ApiError('NOT_FOUND')
        this.auditRefusals(actor, action, member.id, () => rule(self, member))
      },
    }
  }

  /** The manager, locked until the transaction ends; throws when they are no longer one. */
  async hold(transaction: Db, actor: SessionActor): Promise<User> {
    const self = asManager(await this.users.lock(transaction, actor.userId))
    await this.changes.requireNotRevoked(transaction, actor)
    return self
  }

  /**
   * Throws `OWN_RIGHTS` for what the manager does not have, `REAUTHENTICATION_REQUIRED` where one is needed.
   */
  requireCanGrant(actor: SessionActor, self: User, given: readonly Permission[]): void {
    requireCanGrant(self, given)
    if (needsReauthentication(given)) this.reauthentication.require(actor)
  }

  /** Does `work`; a refusal by it is recorded in the audit log. */
  auditRefusals<T>(actor: SessionActor, action: AuditAction, userId: string | undefined, work: () => T): T {
    try {
      return work()
    } catch (refusal) {
      if (refusal instanceof ApiError)
        this.auditLog.note({
          ...auditEventOf({ id: userId, accountId: actor.accountId }, actor, action, {
            reason: refusal.code,
          }),
          outcome: 'refused',
        })
      throw refusal
    }
  }
}

/**
 * Throws like the guards when the manager has been removed, disabled or restricted since they let the request
 * pass.
 */
function asManager(user: User | null | undefined): User {
  if (!user || user.disabledAt) throw new ApiError('SESSION_NOT_FOUND')
  if (!user.granted.teamManagement) throw new ApiError('PERMISSION_REQUIRED')
  return user
}
