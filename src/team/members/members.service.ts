import { Injectable } from '@nestjs/common'
import { ApiError } from '../../errors/api-error.js'
import { pageOf } from '../../http/page.js'
import type { Permissions } from '../../permissions/permissions.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import type { User } from '../../users/user.js'
import { UserChanges } from '../../users/user-changes.js'
import { UserEmails } from '../../users/user-emails.js'
import { Users } from '../../users/users.js'
import {
  type ManagerAndMember,
  newlyGranted,
  requireCanOpen,
  requireNotOwner,
  requireSomebodyElse,
  TeamAuthority,
} from '../team-authority.js'
import { type MembersQuery, memberCursor, type TeamMemberAnswer } from './members.dto.js'

/**
 * The users of an account. Every change throws `NOT_FOUND` for users of other accounts, `LAST_OWNER` for the
 * owner and `OWN_RIGHTS` for oneself; all are safe to repeat.
 */
@Injectable()
export class MembersService {
  constructor(
    private readonly users: Users,
    private readonly authority: TeamAuthority,
    private readonly userChanges: UserChanges,
    private readonly userEmails: UserEmails,
    private readonly changes: SessionChanges,
  ) {}

  /**
   * One page of the account's users, oldest first; it continues where the previous page ended, whoever has
   * joined or left since.
   */
  async list(accountId: string, { limit, after }: MembersQuery) {
    const read = (count: number) => this.users.listByAccount(accountId, after ?? null, count)
    const { rows, next } = await pageOf(limit, read, memberCursor)
    return { users: rows.map(asTeamMember), next }
  }

  async find(accountId: string, userId: string): Promise<TeamMemberAnswer> {
    const user = await this.users.findInAccount(userId, accountId)
    if (!user) throw new ApiError('NOT_FOUND')
    return asTeamMember(user)
  }

  /** Sets exactly these permissions; the manager must have whatever the member gains. */
  async setPermissions(actor: SessionActor, userId: string, granted: Permissions): Promise<void> {
    await this.changes.durably(async transaction => {
      const { manager, member } = await this.authority.lockBoth(transaction, actor, userId)
      this.authority.auditRefusals(actor, 'permissions.change', userId, () => {
        requireSomebodyElse(manager, member)
        requireNotOwner(member)
        this.authority.requireCanGrant(actor, manager, newlyGranted(member.granted, granted))
      })
      return this.userChanges.grant(transaction, member, granted, actor)
    })
  }

  async disable(actor: SessionActor, userId: string): Promise<void> {
    await this.changes.durably(async transaction => {
      const both = await this.authority.lockBoth(transaction, actor, userId)
      this.authority.auditRefusals(actor, 'user.disable', userId, () => requireMayGo(both))
      return this.userChanges.disable(transaction, both.member, actor)
    })
  }

  /** This gives the member's permissions back, so the manager must have them. */
  async enable(actor: SessionActor, userId: string): Promise<void> {
    await this.changes.durably(async transaction => {
      const { manager, member } = await this.authority.lockBoth(transaction, actor, userId)
      this.authority.auditRefusals(actor, 'user.enable', userId, () => {
        requireMayGo({ manager, member })
        if (!member.disabledAt) return
        this.authority.requireCanGrant(actor, manager, newlyGranted(null, member.granted))
        requireCanOpen(manager, 'nothing', member.satellites)
      })
      return this.userChanges.enable(transaction, member, actor)
    })
  }

  /**
   * Throws `EMAIL_UNDO_OPEN` while a change of the member's address can be undone: a thief could otherwise
   * have them removed before they can recover the account. Disabling is possible at once.
   */
  async remove(actor: SessionActor, userId: string): Promise<void> {
    await this.changes.durably(async transaction => {
      const both = await this.authority.lockBoth(transaction, actor, userId)
      this.authority.auditRefusals(actor, 'user.remove', userId, () => requireMayGo(both))
      if (await this.userEmails.areAnyOpen(transaction, [userId])) throw new ApiError('EMAIL_UNDO_OPEN')
      return this.userChanges.remove(transaction, both.member, actor)
    })
  }
}

function requireMayGo({ manager, member }: ManagerAndMember): void {
  requireNotOwner(member)
  requireSomebodyElse(manager, member)
}

function asTeamMember(user: User): TeamMemberAnswer {
  return {
    userId: user.id,
    email: user.email,
    name: user.name,
    role: user.role,
    permissions: user.granted,
    satellites: user.satellites,
    isDisabled: user.disabledAt !== null,
    createdAt: user.createdAt,
  }
}
