import { Injectable } from '@nestjs/common'
import { and, eq, gt, gte, isNull } from 'drizzle-orm'
import type { Actor } from '../../audit/actor.js'
import type { AuditAction } from '../../audit/audit-event.js'
import type { Db } from '../../database/connection.js'
import { isAnyOf } from '../../database/is-any-of.js'
import { users } from '../../database/schema/accounts.js'
import { auditLog } from '../../database/schema/audit.js'
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
/** A thief may write hundreds of thousands in a week, and the statement that reads them must not run out of time. */
const ROWS_A_PAGE = 10_000

/** What the audit log calls it when somebody gives a member access, or more of it. */
const GIVES_ACCESS = [
  'user.create',
  'user.enable',
  'permissions.change',
  'satellites.change',
] as const satisfies readonly AuditAction[]

type AuditRow = typeof auditLog.$inferSelect

/** Somebody has given a member access. */
interface Gift {
  readonly from: string
  readonly to: string
}

/** The members of an account who have their access from somebody in it: invited, enabled, or allowed more. */
@Injectable()
export class InvitedMembers {
  constructor(
    private readonly users: Users,
    private readonly userChanges: UserChanges,
    private readonly notices: OwnerNotices,
  ) {}

  /**
   * Disables whoever has been given access since then by the user, or by somebody whom this disables: by an invitation,
   * by being enabled, by permissions that they did not have, or by the end of a limit to satellites. The account must be
   * locked, so that nobody is given any meanwhile.
   */
  async disableSince(transaction: Db, user: User, since: Date, actor: Actor): Promise<RecordedChanges> {
    const invited = await this.letInSince(transaction, user, since)
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

  private async letInSince(transaction: Db, { id, accountId }: User, since: Date) {
    const reached = new Set([id])
    const invitations = await this.invitations(transaction, accountId, since)
    const recorded = await this.recordedGifts(transaction, accountId, since)
    for (const { from, to } of [...invitations, ...recorded]) if (reached.has(from)) reached.add(to)
    reached.delete(id)
    const { id: userId, email, createdAt, role, disabledAt } = users
    const isOfAccount = and(eq(users.accountId, accountId), eq(role, 'member'), isNull(disabledAt))
    return transaction
      .select({ id: userId, accountId: users.accountId, email })
      .from(users)
      .where(and(isAnyOf(userId, [...reached]), isOfAccount))
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
      for (let after = 0, isMoreThere = true; isMoreThere; ) {
        const rows = await rowsOf(transaction, { accountId, action, since, after })
        for (const row of rows) {
          const from = row.detail.invitedBy ?? row.detail.by
          if (typeof from === 'string' && row.userId && isMore(row))
            gifts.push({ id: row.id, from, to: row.userId })
        }
        after = rows.at(-1)?.id ?? after
        isMoreThere = rows.length === ROWS_A_PAGE
      }
    return gifts.sort((one, other) => one.id - other.id)
  }
}

/** In the order of an index. */
function rowsOf(transaction: Db, of: { accountId: string; action: AuditAction; since: Date; after: number }) {
  const { id, accountId, action, outcome, at, userId, detail } = auditLog
  const isOfAccount = and(eq(accountId, of.accountId), eq(action, of.action), gt(id, of.after))
  return transaction
    .select({ id, userId, detail, action })
    .from(auditLog)
    .where(and(isOfAccount, eq(outcome, 'ok'), gte(at, of.since)))
    .orderBy(id)
    .limit(ROWS_A_PAGE)
}

/** Whether it was more than before; rows of an earlier release about permissions do not say so, and count. */
function isMore({ action, detail: { gained, satellites } }: Pick<AuditRow, 'action' | 'detail'>): boolean {
  if (action === 'permissions.change') return !Array.isArray(gained) || gained.length > 0
  return action !== 'satellites.change' || satellites === null
}
