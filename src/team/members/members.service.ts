import { Injectable } from '@nestjs/common'
import { PERMISSIONS, type Permissions, permissionsOf } from '../../platform/permissions.js'
import { NOTHING_RECORDED } from '../../sessions/revocation/recorded-changes.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import { OwnerNotices } from '../../users/notices/owner-notices.js'
import { requireSeat } from '../../users/plan-seats.js'
import { UserChanges } from '../../users/user-changes.js'
import { newlyGranted, requireNotOwner, requireSomebodyElse, TeamAuthority } from '../team-authority.js'
import { requireNotDisabledByOperator, requireRemovable } from './member-rules.js'

/**
 * The users of an account. Every change throws `NOT_FOUND` for users of other accounts, `LAST_OWNER` for the
 * owner and `OWN_RIGHTS` for oneself; all are safe to repeat.
 */
@Injectable()
export class MembersService {
  constructor(
    private readonly authority: TeamAuthority,
    private readonly userChanges: UserChanges,
    private readonly notices: OwnerNotices,
    private readonly changes: SessionChanges,
  ) {}

  /**
   * Sets the permissions that are named, and leaves the others as they are now; the manager must have every permission
   * that the member gains.
   */
  async setPermissions(actor: SessionActor, userId: string, change: Partial<Permissions>): Promise<void> {
    await this.changes.commit(async transaction => {
      const both = await this.authority.lockBoth(transaction, actor, userId)
      const { manager, member } = both
      const granted = permissionsOf(PERMISSIONS.filter(name => change[name] ?? member.granted[name]))
      this.authority.auditRefusals(actor, 'permissions.change', userId, () => {
        requireSomebodyElse(manager, member)
        requireNotOwner(member)
        this.authority.requireCanGrant(actor, manager, newlyGranted(member.granted, granted))
      })
      const recorded = await this.userChanges.grant(transaction, member, granted, actor)
      const sendOwnerNotice = await this.notices.aboutGained(transaction, both, { granted }, actor)
      return { ...recorded, afterCommit: sendOwnerNotice }
    })
  }

  /** Cancels a pending transfer of the account to the member. */
  async disable(actor: SessionActor, userId: string): Promise<void> {
    await this.changes.commit(async transaction => {
      const both = await this.authority.lockBoth(transaction, actor, userId)
      this.authority.auditRefusals(actor, 'user.disable', userId, () => requireRemovable(both))
      return this.userChanges.disable(transaction, [both.member], actor, 'account')
    })
  }

  /**
   * This restores the member's permissions, so the manager must have them. Throws `DISABLED_BY_OPERATOR` when an
   * operator has disabled the member, and `PLAN_LIMIT_REACHED` when the plan has no seat left.
   */
  async enable(actor: SessionActor, userId: string): Promise<void> {
    await this.changes.commit(async transaction => {
      const both = await this.authority.lockBoth(transaction, actor, userId)
      const { manager, member } = both
      this.authority.auditRefusals(actor, 'user.enable', userId, () => {
        requireRemovable(both)
        if (!member.disabledAt) return
        requireNotDisabledByOperator(member)
        this.authority.requireCanGrant(actor, manager, newlyGranted(null, member.granted))
      })
      // A row would say that access was given: `reachSince`.
      if (!member.disabledAt) return NOTHING_RECORDED
      await requireSeat(transaction, actor.accountId)
      const recorded = await this.userChanges.enable(transaction, member, actor)
      const sendOwnerNotice = await this.notices.aboutGained(transaction, both, { disabledAt: null }, actor)
      return { ...recorded, afterCommit: sendOwnerNotice }
    })
  }
}
