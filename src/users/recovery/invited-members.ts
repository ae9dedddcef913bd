import { Injectable } from '@nestjs/common'
import { and, eq, sql } from 'drizzle-orm'
import { type Actor, auditEventOf } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import type { Db } from '../../platform/database/connection.js'
import { users } from '../../platform/database/schema/accounts.js'
import { isAnyOf } from '../../platform/database/sql.js'
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
  readonly isDisabled: boolean
}

/** The members of an account who have their access from somebody in it: invited, enabled, or allowed more. */
@Injectable()
export class InvitedMembers {
  constructor(
    private readonly users: Users,
    private readonly userChanges: UserChanges,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Disables these members of the account. Of those who are disabled already it is only recorded: whoever enables them
   * has seen it, and no later recovery disables them again.
   */
  async disable(transaction: Db, members: readonly LetIn[], actor: Actor): Promise<RecordedChanges> {
    const before = members.filter(({ isDisabled }) => isDisabled)
    const detail = { reason: RECOVERED, was: 'disabled' }
    const events = before.map(member => auditEventOf(member, actor, 'user.disable', detail))
    await this.auditLog.recordAll(transaction, events)
    // Whoever locks several users locks them in this order.
    const inOrder = members
      .filter(({ isDisabled }) => !isDisabled)
      .sort((one, other) => (one.id < other.id ? -1 : 1))
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

  /** Those among the reached whom the user has let in, in the order in which they joined. */
  async letIn(transaction: Db, user: User, reached: ReadonlySet<string>): Promise<LetIn[]> {
    const { id: userId, email, createdAt, role, disabledAt } = users
    const isOfAccount = and(eq(users.accountId, user.accountId), eq(role, 'member'))
    const others = [...reached].filter(id => id !== user.id)
    const isDisabled = sql<boolean>`${disabledAt} is not null`
    return transaction
      .select({ id: userId, accountId: users.accountId, email, isDisabled })
      .from(users)
      .where(and(isAnyOf(userId, others), isOfAccount))
      .orderBy(createdAt)
  }
}
