import { Injectable } from '@nestjs/common'
import type { TargetUser } from '../../audit/actor.js'
import { ApiError } from '../../errors/api-error.js'
import { pageOf } from '../../http/page.js'
import type { Permissions } from '../../permissions/permissions.js'
import type { SessionActor } from '../../sessions/actor.js'
import { AccountsService } from '../../users/accounts.service.js'
import type { Role, User } from '../../users/user.js'
import { UserRemoval } from '../../users/user-removal.js'
import { Users } from '../../users/users.js'
import { TeamAuthority } from '../team-authority.js'
import { newlyGranted, requireCanOpen, requireNotOwner, requireSomebodyElse } from '../team-rules.js'
import type { MembersQuery } from './members.dto.js'
import { teamCursor } from './members-cursor.js'

/** A user as the team sees them. */
export interface TeamMember {
  readonly userId: string
  readonly email: string
  readonly name: string | null
  readonly role: Role
  readonly permissions: Permissions
  readonly satellites: readonly string[] | null
  readonly isDisabled: boolean
  /** ISO 8601, UTC. */
  readonly createdAt: string
}

/**
 * The users of an account. Every change throws `NOT_FOUND` for users of other accounts, `LAST_OWNER` for the
 * owner and `OWN_RIGHTS` for oneself; all are safe to repeat.
 */
@Injectable()
export class MembersService {
  constructor(
    private readonly users: Users,
    private readonly accounts: AccountsService,
    private readonly removal: UserRemoval,
    private readonly authority: TeamAuthority,
  ) {}

  /**
   * One page of the account's users, oldest first; it continues where the previous page ended, whoever has
   * joined or left since.
   */
  async list(accountId: string, { limit, after }: MembersQuery) {
    const read = (count: number) => this.users.listByAccount(accountId, after ?? null, count)
    const { rows, next } = await pageOf(limit, read, teamCursor)
    return { users: rows.map(asTeamMember), next }
  }

  async find(accountId: string, userId: string): Promise<TeamMember> {
    const user = await this.users.findInAccount(userId, accountId)
    if (!user) throw new ApiError('NOT_FOUND')
    return asTeamMember(user)
  }

  /** Sets exactly these permissions; the manager must have whatever the member gains. */
  async setPermissions(actor: SessionActor, userId: string, granted: Permissions): Promise<void> {
    const authority = this.authority.over(actor, userId, 'permissions.change', (self, member) => {
      requireSomebodyElse(self, member)
      requireNotOwner(member)
      this.authority.requireCanGrant(actor, self, newlyGranted(member.granted, granted))
    })
    await this.accounts.grant(inAccountOf(actor, userId), granted, authority)
  }

  async disable(actor: SessionActor, userId: string): Promise<void> {
    const authority = this.authority.over(actor, userId, 'user.disable', requireMayGo)
    await this.accounts.disable(inAccountOf(actor, userId), authority)
  }

  /** This gives the member's permissions back, so the manager must have them. */
  async enable(actor: SessionActor, userId: string): Promise<void> {
    const authority = this.authority.over(actor, userId, 'user.enable', (self, member) => {
      requireMayGo(self, member)
      if (!member.disabledAt) return
      this.authority.requireCanGrant(actor, self, newlyGranted(null, member.granted))
      requireCanOpen(self, 'nothing', member.satellites)
    })
    await this.accounts.enable(inAccountOf(actor, userId), authority)
  }

  async remove(actor: SessionActor, userId: string): Promise<void> {
    const authority = this.authority.over(actor, userId, 'user.remove', requireMayGo)
    await this.removal.remove(inAccountOf(actor, userId), authority)
  }
}

function requireMayGo(manager: User, member: User): void {
  requireNotOwner(member)
  requireSomebodyElse(manager, member)
}

/** TeamAuthority checks whether the user is in the team. */
function inAccountOf({ accountId }: SessionActor, userId: string): TargetUser {
  return { id: userId, accountId }
}

function asTeamMember(user: User): TeamMember {
  return {
    userId: user.id,
    email: user.email,
    name: user.name,
    role: user.role,
    permissions: user.granted,
    satellites: user.satellites,
    isDisabled: user.disabledAt !== null,
    createdAt: user.createdAt.toISOString(),
  }
}
