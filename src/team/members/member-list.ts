import { Injectable } from '@nestjs/common'
import { ApiError } from '../../errors/api-error.js'
import { FactorResets } from '../../factors/factor-resets.js'
import { pageOf } from '../../http/page.js'
import type { User } from '../../users/user.js'
import { Users } from '../../users/users.js'
import { type MembersQuery, memberCursor, type TeamMemberAnswer } from './members.dto.js'

/** The users of an account, as those see them who manage it. */
@Injectable()
export class MemberList {
  constructor(
    private readonly users: Users,
    private readonly resets: FactorResets,
  ) {}

  /**
   * One page of the account's users, oldest first; it continues where the previous page ended, whoever has
   * joined or left since.
   */
  async list(accountId: string, { limit, after }: MembersQuery) {
    const read = (count: number) => this.users.listByAccount(accountId, after ?? null, count)
    const { rows, next } = await pageOf(limit, read, memberCursor)
    const resets = await this.resets.timesOf(rows.map(({ id }) => id))
    return { users: rows.map(user => asTeamMember(user, resets)), next }
  }

  /** Throws `NOT_FOUND` for users of other accounts. */
  async find(accountId: string, userId: string): Promise<TeamMemberAnswer> {
    const user = await this.users.findInAccount(userId, accountId)
    if (!user) throw new ApiError('NOT_FOUND')
    return asTeamMember(user, await this.resets.timesOf([userId]))
  }
}

function asTeamMember(user: User, resets: ReadonlyMap<string, Date>): TeamMemberAnswer {
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
    factorResetAt: resets.get(user.id) ?? null,
    createdAt: user.createdAt,
  }
}
