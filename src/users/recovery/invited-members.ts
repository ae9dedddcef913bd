import { Injectable } from '@nestjs/common'
import { and, eq, gte } from 'drizzle-orm'
import type { Actor } from '../../audit/actor.js'
import type { Db } from '../../database/connection.js'
import { users } from '../../database/schema/accounts.js'
import {
  followedBy,
  mergeRecorded,
  NOTHING_RECORDED,
  type RecordedChanges,
} from '../../sessions/revocation/recorded-changes.js'
import { OwnerNotices } from '../notices/owner-notices.js'
import type { User } from '../user.js'
import { UserChanges } from '../user-changes.js'
import { Users } from '../users.js'

/** So few that no statement takes long, and so many that there are few statements. */
const MEMBERS_A_PAGE = 1_000

const INVITED = {
  id: users.id,
  accountId: users.accountId,
  email: users.email,
  invitedBy: users.invitedBy,
  disabledAt: users.disabledAt,
}

/** The members of an account who joined by invitation. */
@Injectable()
export class InvitedMembers {
  constructor(
    private readonly users: Users,
    private readonly userChanges: UserChanges,
    private readonly notices: OwnerNotices,
  ) {}

  /**
   * Disables whoever has joined since then by the user's invitation, or by that of somebody whom this disables. The
   * account must be locked, so that nobody joins meanwhile.
   */
  async disableSince(transaction: Db, user: User, since: Date, actor: Actor): Promise<RecordedChanges> {
    const invited = await this.invitedSince(transaction, user, since)
    if (invited.length === 0) return NOTHING_RECORDED
    // Whoever locks several users locks them in this order.
    const inOrder = invited.toSorted((one, other) => (one.id < other.id ? -1 : 1))
    let recorded = NOTHING_RECORDED
    for (let from = 0; from < inOrder.length; from += MEMBERS_A_PAGE) {
      const page = inOrder.slice(from, from + MEMBERS_A_PAGE)
      await this.users.lockAll(
        transaction,
        page.map(({ id }) => id),
      )
      const disabled = await this.userChanges.disable(transaction, page, actor, 'account')
      recorded = mergeRecorded(recorded, disabled)
    }
    return followedBy(recorded, await this.notices.aboutDisabled(transaction, user, invited))
  }

  private async invitedSince(transaction: Db, { id, accountId }: User, since: Date) {
    const isMember = and(eq(users.accountId, accountId), eq(users.role, 'member'))
    const joined = await transaction
      .select(INVITED)
      .from(users)
      .where(and(isMember, gte(users.createdAt, since)))
      .orderBy(users.createdAt)
    const inviters = new Set([id])
    return joined.filter(member => {
      if (!member.invitedBy || !inviters.has(member.invitedBy)) return false
      inviters.add(member.id)
      return !member.disabledAt
    })
  }
}
