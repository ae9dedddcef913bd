import { Injectable } from '@nestjs/common'
import { auditEventOf } from '../../platform/audit/audit-event.js'
import type { Db } from '../../platform/database/connection.js'
import { ApiError } from '../../platform/errors/api-error.js'
import { ActiveSessions, type SiteSessions } from '../../sessions/active/active-sessions.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import type { User } from '../../users/user.js'
import { UserChanges } from '../../users/user-changes.js'
import { Users } from '../../users/users.js'
import { TeamAuthority } from '../team-authority.js'

/**
 * The sessions of team members. Throws `NOT_FOUND` for users of other accounts, and `OWNER_REQUIRED` for the
 * owner's sessions.
 */
@Injectable()
export class TeamSessions {
  constructor(
    private readonly users: Users,
    private readonly authority: TeamAuthority,
    private readonly userChanges: UserChanges,
    private readonly activeSessions: ActiveSessions,
    private readonly changes: SessionChanges,
  ) {}

  /** The member's live sessions by site. */
  async list(actor: SessionActor, userId: string): Promise<{ readonly sites: readonly SiteSessions[] }> {
    const member = await this.users.findInAccount(userId, actor.accountId)
    if (!member) throw new ApiError('NOT_FOUND')
    requireNotOthersOwner({ id: actor.userId }, member)
    return this.activeSessions.list(userId, actor.sid, { language: actor.client.acceptLanguage })
  }

  /** Ends all; returns how many. */
  async endAll(actor: SessionActor, userId: string): Promise<number> {
    const { ended } = await this.changes.commit(async transaction => {
      const member = await this.lockMember(transaction, actor, userId)
      return this.userChanges.endSessions(transaction, member, actor)
    })
    return ended
  }

  /** Ends one; throws `NOT_FOUND` when the member has no such live session. */
  async end(actor: SessionActor, userId: string, sid: string): Promise<void> {
    const { sites } = await this.list(actor, userId)
    const session = sites.flatMap(site => site.sessions).find(each => each.sid === sid)
    if (!session) throw new ApiError('NOT_FOUND')
    const { ended } = await this.changes.commit(async transaction => {
      const member = await this.lockMember(transaction, actor, userId)
      const event = { ...auditEventOf(member, actor, 'session.revoke'), sid: session.sid }
      return this.changes.record(transaction, [{ kind: 'end', sid: session.sid }], event)
    })
    if (ended === 0) throw new ApiError('NOT_FOUND')
  }

  private async lockMember(transaction: Db, actor: SessionActor, userId: string): Promise<User> {
    const { manager, member } = await this.authority.lockBoth(transaction, actor, userId)
    this.authority.auditRefusals(actor, 'session.revoke', userId, () =>
      requireNotOthersOwner(manager, member),
    )
    return member
  }
}

/** Throws `OWNER_REQUIRED` (403): a manager must not be able to log out the owner, who can restrict them. */
function requireNotOthersOwner(manager: Pick<User, 'id'>, member: User): void {
  if (member.role === 'owner' && member.id !== manager.id) throw new ApiError('OWNER_REQUIRED')
}
