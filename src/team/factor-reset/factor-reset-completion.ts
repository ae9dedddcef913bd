import { Injectable } from '@nestjs/common'
import { type FactorReset, FactorResets } from '../../factors/factor-resets.js'
import { FactorRemoval } from '../../factors/user-factors.js'
import { type Actor, SERVICE, type TargetUser } from '../../platform/audit/audit-event.js'
import type { Db } from '../../platform/database/connection.js'
import { Clock, Clock } from '../../platform/time.js'
import { NOTHING_RECORDED } from '../../sessions/revocation/recorded-changes.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import { Accounts } from '../../users/accounts.js'
import { effectiveGrant, isDisabledByOperator, type User } from '../../users/user.js'
import { UserEmails } from '../../users/user-emails.js'
import { Users } from '../../users/users.js'
import { newlyGranted } from '../team-authority.js'
import { FactorResetMails } from './factor-reset-mails.js'

/** `not-due`: it is too early, or an earlier address of the member can still be restored. */
export type ResetOutcome = 'done' | 'not-due' | 'gone'

type Checked =
  | { readonly outcome: 'ready'; readonly member: User; readonly reset: FactorReset }
  | { readonly outcome: Exclude<ResetOutcome, 'done'> }

/** Whether a requested reset may be carried out now; much may have happened since. */
@Injectable()
export class ResetPreconditions {
  constructor(
    private readonly accounts: Accounts,
    private readonly users: Users,
    private readonly userEmails: UserEmails,
    private readonly resets: FactorResets,
    private readonly clock: Clock,
  ) {}

  /**
   * The member, locked after their account and together with the manager who requested it; or why not. Cancels a
   * reset that whoever requested it may not request any more. A member who confirms need not wait.
   */
  async lockAndCheck(
    transaction: Db,
    { id: userId, accountId }: TargetUser,
    isConfirmed: boolean,
  ): Promise<Checked> {
    // Whoever recovers the manager's login locks that first, and the member only later.
    await this.accounts.lock(transaction, accountId)
    const read = await this.resets.find(transaction, userId)
    const ids = [userId, ...(read?.requestedBy ? [read.requestedBy] : [])]
    const locked = await this.users.lockAll(transaction, ids)
    const reset = await this.resets.find(transaction, userId)
    const member = locked.get(userId)
    if (!reset || !member || reset.requestedBy !== read?.requestedBy) return { outcome: 'gone' }
    if (!mayStillRequest(reset, locked, member)) {
      await this.resets.cancel(transaction, member, SERVICE, 'who requested it may not any more')
      return { outcome: 'gone' }
    }
    if (isConfirmed) return { outcome: 'ready', member, reset }
    const isDue = reset.resetAt <= this.clock.now()
    if (!isDue || (await this.userEmails.areAnyOpen(transaction, [userId]))) return { outcome: 'not-due' }
    return { outcome: 'ready', member, reset }
  }
}

/**
 * An operator may, as long as the account has not disabled the user. For one whom an operator has disabled, nobody can
 * log in, so a thief with a factor cannot stop it.
 */
function mayStillRequest(
  { requestedBy }: FactorReset,
  locked: ReadonlyMap<string, User>,
  member: User,
): boolean {
  if (requestedBy === null) return !member.disabledAt || isDisabledByOperator(member)
  const manager = locked.get(requestedBy)
  if (!manager || manager.disabledAt || manager.accountId !== member.accountId) return false
  const hasAll = newlyGranted(null, member.granted).every(name => manager.granted[name])
  return effectiveGrant(manager).teamManagement && member.role !== 'owner' && hasAll
}

/** Carries out requested resets. */
@Injectable()
export class FactorResetCompletion {
  constructor(
    private readonly preconditions: ResetPreconditions,
    private readonly removal: FactorRemoval,
    private readonly changes: SessionChanges,
    private readonly mails: FactorResetMails,
  ) {}

  /**
   * Removes everything in one transaction, and tells the user. Once: the link is used up. `confirmedBy`: the user,
   * if they followed the mailed link.
   */
  async complete(user: TargetUser, confirmedBy: Actor | null): Promise<ResetOutcome> {
    const { outcome } = await this.changes.commitToleratingOutage(async transaction => {
      const checked = await this.preconditions.lockAndCheck(transaction, user, confirmedBy !== null)
      if (checked.outcome !== 'ready') return { ...NOTHING_RECORDED, outcome: checked.outcome }
      const { member, reset } = checked
      const actor = confirmedBy ?? { userId: reset.requestedBy ?? undefined, client: null }
      const removed = await this.removal.removeAll(transaction, member, actor as Actor, {
        requestedBy: reset.requestedBy,
      })
      return { ...removed, outcome: 'done' as const, afterCommit: () => this.mails.notifyReset(member) }
    })
    return outcome
  }
}
