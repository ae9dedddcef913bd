import { Injectable } from '@nestjs/common'
import { KnownDevices } from '../../anomalies/known-devices.js'
import { FactorResets } from '../../factors/factor-resets.js'
import { ApiError } from '../../platform/errors/api-error.js'
import { ageCursor, type Page, pageOf } from '../../platform/http/paging.js'
import type { UserCursor } from '../../users/lists/user-cursor.js'
import { UserSearch } from '../../users/lists/user-search.js'
import type { User } from '../../users/user.js'
import { Users } from '../../users/users.js'
import type { MembersQuery, TeamMemberAnswer } from './members.dto.js'

/** The users of an account, as shown to its managers. */
@Injectable()
export class MemberList {
  constructor(
    private readonly users: Users,
    private readonly search: UserSearch,
    private readonly resets: FactorResets,
    private readonly devices: KnownDevices,
  ) {}

  /**
   * One page of the account's users, or of those whose name or e-mail address contains `q`, oldest first; it
   * continues where the previous page ended, no matter who has joined or left since. A page of a search may
   * end early.
   */
  async list(accountId: string, { limit, after, q }: MembersQuery) {
    const { rows, next } = await (q === undefined
      ? pageOf(limit, count => this.users.listByAccount(accountId, after ?? null, count), ageCursor)
      : this.found(accountId, q, after ?? null, limit))
    return { users: await this.asTeamMembers(rows), next }
  }

  /** Throws `NOT_FOUND` for users of other accounts. */
  async find(accountId: string, userId: string): Promise<TeamMemberAnswer> {
    const user = await this.users.findInAccount(userId, accountId)
    if (!user) throw new ApiError('NOT_FOUND')
    const [member] = await this.asTeamMembers([user])
    return member as TeamMemberAnswer
  }

  private async found(
    accountId: string,
    text: string,
    after: UserCursor | null,
    limit: number,
  ): Promise<Page<User>> {
    const { users, rest } = await this.search.page(accountId, text, after, limit + 1)
    const rows = users.slice(0, limit)
    const last = users.length > limit ? rows.at(-1) : rest
    return { rows, next: last ? ageCursor(last) : null }
  }

  private async asTeamMembers(users: readonly User[]): Promise<TeamMemberAnswer[]> {
    const ids = users.map(({ id }) => id)
    const [resets, logins] = await Promise.all([this.resets.timesOf(ids), this.devices.lastLoginsOf(ids)])
    return users.map(user => ({
      ...asTeamMember(user),
      factorResetAt: resets.get(user.id) ?? null,
      lastLoginAt: logins.get(user.id) ?? null,
    }))
  }
}

function asTeamMember(user: User): Omit<TeamMemberAnswer, 'factorResetAt' | 'lastLoginAt'> {
  return {
    userId: user.id,
    email: user.email,
    name: user.name,
    role: user.role,
    permissions: user.granted,
    satellites: user.satellites,
    isDisabled: user.disabledAt !== null,
    hasSecondFactor: user.hasSecondFactor,
    mustEnrol: user.mustEnrol,
    createdAt: user.createdAt,
  }
}
