import { Injectable } from '@nestjs/common'
import { and, eq, isNull } from 'drizzle-orm'
import type { Actor } from '../../audit/actor.js'
import type { Db } from '../../database/connection.js'
import { isAnyOf } from '../../database/is-any-of.js'
import { users } from '../../database/schema/accounts.js'
import {
  mergeRecorded,
  NOTHING_RECORDED,
  type RecordedChanges,
} from '../../sessions/revocation/recorded-changes.js'
import type { User } from '../user.js'
import { UserChanges } from '../user-changes.js'
import { Users } from '../users.js'
import { RECOVERED } from './reach.js'

/** So few that no statement takes long, and so many that there are few statements. */
const MEMBERS_A_PAGE = 1_000

/** A member who was given access. */
export interface LetIn extends Pick<User, 'id' | 'accountId'> {
  readonly email: string
}

/** The members of an account who have their access from somebody in it: invited, enabled, or allowed more. */
@Injectable()
export class InvitedMembers {
  constructor(
    private readonly users: Users,
    private readonly userChanges: UserChanges,
  ) {}

  /** Disables these members of the account. */
  async disable(transaction: Db, members: readonly LetIn[], actor: Actor): Promise<RecordedChanges> {
    // Whoever locks several users locks them in this order.
    const inOrder = members.toSorted((one, other) => (one.id < other.id ? -1 : 1))
    let recorded = NOTHING_RECORDED
    for (let from = 0; from < inOrder.length; from += MEMBERS_A_PAGE) {
      const page = inOrder.slice(from, from + MEMBERS_A_PAGE)
      await this.users.lockAll(
        transaction,
        page.map(({ id }) => id),
      )
      const disabled = await this.userChanges.disable(transaction, page, actor, 'account', {
        reason: RECOVERED,
      })
      recorded = mergeRecorded(recorded, disabled)
    }
    return recorded
  }

  /** Those among the reached whom the user has let in and who can still log in, in the order in which they joined. */
  async letIn(transaction: Db, user: User, reached: ReadonlySet<string>): Promise<LetIn[]> {
    const { id: userId, email, createdAt, role, disabledAt } = users
    const isOfAccount = and(eq(users.accountId, user.accountId), eq(role, 'member'), isNull(disabledAt))
    const others = [...reached].filter(id => id !== user.id)
    return transaction
      .select({ id: userId, accountId: users.accountId, email })
      .from(users)
      .where(and(isAnyOf(userId, others), isOfAccount))
      .orderBy(createdAt)
  }
}
