import { Injectable } from '@nestjs/common'
import { KnownDevices } from '../../anomalies/known-devices.js'
import { earliest, UnrecognizedLoginTokens } from '../../anomalies/unrecognized-login-tokens.js'
import { FactorResets } from '../../factors/factor-resets.js'
import { UserFactors } from '../../factors/user-factors.js'
import type { SendMails } from '../../mail/mail.js'
import type { Actor } from '../../platform/audit/audit-event.js'
import type { Db } from '../../platform/database/connection.js'
import { withdrawInvitationsBy, withdrawTokens } from '../../platform/one-time-tokens.js'
import { PendingAccountChanges } from '../pending/pending-account-changes.js'
import type { Cancellation } from '../pending/pending-transfers.js'
import type { User } from '../user.js'

/** Undoes what somebody with a user's login may have done. */
@Injectable()
export class TakeoverCleanup {
  constructor(
    private readonly pending: PendingAccountChanges,
    private readonly factors: UserFactors,
    private readonly resets: FactorResets,
    private readonly reports: UnrecognizedLoginTokens,
    private readonly knownDevices: KnownDevices,
  ) {}

  /**
   * Cancels what was started with a password that no longer suffices to log in, and would lead to another address or
   * owner, or remove somebody else's factors. Also forgets remembered devices. Returns the mails about it.
   */
  async cancelPending(transaction: Db, user: User, cancellation: Cancellation): Promise<SendMails> {
    await this.cancelRequests(transaction, user, cancellation.reason)
    return this.pending.cancelTransferBy(transaction, user, cancellation)
  }

  /**
   * Also cancels links for another password, the invitations that the user has sent and, for an owner, the deletion
   * of the account.
   */
  async cancelAllPending(transaction: Db, user: User, actor: Actor, reason: string): Promise<SendMails> {
    await withdrawTokens(transaction, 'password-reset', user.id)
    await withdrawInvitationsBy(transaction, [user])
    await this.cancelRequests(transaction, user, reason)
    return this.pending.cancelAll(transaction, user, actor, reason)
  }

  /**
   * Removes the factors that were added, and forgets the devices and networks that were first seen, at `since` or
   * later, or since any event of the last seven days that the user was mailed about, because a stranger may have used
   * several sessions. Returns the earliest of these times. The caller ends all sessions, so their permissions need
   * no update. Links about those events stop working.
   */
  async removeAllSince(transaction: Db, userId: string, since: Date | null): Promise<Date | null> {
    const first = earliest([since, await this.reports.settle(transaction, userId)])
    if (!first) return null
    await this.factors.removeAddedSince(transaction, userId, first)
    await this.knownDevices.forgetSince(transaction, userId, first)
    return first
  }

  private async cancelRequests(transaction: Db, user: User, reason: string): Promise<void> {
    await withdrawTokens(transaction, 'email-change', user.id)
    await this.factors.forgetDevices(transaction, user.id)
    await this.resets.cancelRequestedBy(transaction, [user.id], reason)
  }
}
