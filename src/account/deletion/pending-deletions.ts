import { Injectable } from '@nestjs/common'
import { AccountSettlement } from '../../billing/account-settlement.js'
import type { SendMails } from '../../mail/mail.js'
import type { Db } from '../../platform/database/connection.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import { Accounts } from '../../users/accounts.js'
import { CancellationNotices } from '../../users/notices/cancellation-notices.js'
import { DeletionMails } from './deletion-mails.js'

/**
 * Deletions that wait for their date. The account must be locked. What is returned tells everybody who may change
 * the account's settings, after the commit.
 */
@Injectable()
export class PendingDeletions {
  constructor(
    private readonly accounts: Accounts,
    private readonly billing: AccountSettlement,
    private readonly mails: DeletionMails,
    private readonly notices: CancellationNotices,
  ) {}

  /** At the end of the grace period, or of a fixed term that is billed until later. Throws `SUBSCRIPTION_LIVE`. */
  async schedule(
    transaction: Db,
    actor: SessionActor,
  ): Promise<{ readonly deleteAt: Date; readonly sendMails: SendMails }> {
    const billedUntil = await this.billing.billedUntil(transaction, actor.accountId)
    const deleteAt = await this.accounts.scheduleDeletion(transaction, actor, billedUntil)
    await this.billing.closePages(transaction, actor.accountId)
    return { deleteAt, sendMails: await this.mails.aboutRequested(transaction, actor.accountId, deleteAt) }
  }

  /** Null when none was pending. */
  async cancel(transaction: Db, actor: SessionActor): Promise<SendMails | null> {
    const isCancelled = await this.accounts.cancelDeletion(transaction, actor)
    return isCancelled ? this.notices.aboutDeletion(transaction, actor.accountId) : null
  }
}
