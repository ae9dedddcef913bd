import { Injectable } from '@nestjs/common'
import { and, eq, gte, isNull } from 'drizzle-orm'
import type { Actor } from '../../audit/actor.js'
import type { AuditAction } from '../../audit/audit-event.js'
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
import { type AuditRow, auditRowsSince } from './audit-rows-since.js'

/** So few that no statement takes long, and so many that there are few statements. */
const MEMBERS_A_PAGE = 1_000

/** What the audit log calls it when somebody gives a member access, or more of it. */
const GIVES_ACCESS = [
  'user.create',
  'user.enable',
  'permissions.change',
  'satellites.change',
] as const satisfies readonly AuditAction[]

/** Somebody has given a member access. */
interface Gift {
  readonly from: string
  readonly to: string
}

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

  /**
   * The user, and everybody who has been given access since then by the user, or by somebody else among these: by an
   * invitation, by being enabled, by permissions that they did not have, or by the end of a limit to satellites. The
   * account must be locked, so that nobody is given any meanwhile.
   */
  async reachedSince(transaction: Db, { id, accountId }: User, since: Date): Promise<ReadonlySet<string>> {
    const reached = new Set([id])
    const invitations = await this.invitations(transaction, accountId, since)
    const recorded = await this.recordedGifts(transaction, accountId, since)
    for (const { from, to } of [...invitations, ...recorded]) if (reached.has(from)) reached.add(to)
    return reached
  }

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
      const disabled = await this.userChanges.disable(transaction, page, actor, 'account')
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

  /** In the order in which they joined. */
  private async invitations(transaction: Db, accountId: string, since: Date): Promise<Gift[]> {
    const joined = await transaction
      .select({ from: users.invitedBy, to: users.id })
      .from(users)
      .where(and(eq(users.accountId, accountId), gte(users.createdAt, since)))
      .orderBy(users.createdAt)
    return joined.flatMap(({ from, to }) => (from ? [{ from, to }] : []))
  }

  /**
   * From the audit log, which nobody can change: a thief could otherwise hide the first gift by a later one, or by
   * removing those in between. In the order of their ids, whatever the clocks of the replicas say.
   */
  private async recordedGifts(transaction: Db, accountId: string, since: Date): Promise<Gift[]> {
    const gifts: (Gift & { readonly id: number })[] = []
    for (const action of GIVES_ACCESS)
      for await (const row of auditRowsSince(transaction, { accountId, action, since })) {
        const from = row.detail.invitedBy ?? row.detail.by
        if (typeof from === 'string' && row.userId && isMore(row))
          gifts.push({ id: row.id, from, to: row.userId })
      }
    return gifts.sort((one, other) => one.id - other.id)
  }
}

/** Whether it was more than before; rows of an earlier release about permissions do not say so, and count. */
function isMore({ action, detail: { gained, satellites } }: Pick<AuditRow, 'action' | 'detail'>): boolean {
  if (action === 'permissions.change') return !Array.isArray(gained) || gained.length > 0
  return action !== 'satellites.change' || satellites === null
}
