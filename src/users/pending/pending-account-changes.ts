import { Injectable } from '@nestjs/common'
import { inOrder, NO_MAILS, type SendMails } from '../../mail/mail.js'
import type { Actor, TargetUser } from '../../platform/audit/audit-event.js'
import type { Db } from '../../platform/database/connection.js'
import { Accounts } from '../accounts.js'
import { CancellationNotices } from '../notices/cancellation-notices.js'
import type { User } from '../user.js'
import { type Cancellation, PendingTransfers } from './pending-transfers.js'

/**
 * The pending transfers and deletions of accounts. The account must be locked; the mails that are returned go to those
 * who were told of what is cancelled.
 */
@Injectable()
export class PendingAccountChanges {
  constructor(
    private readonly accounts: Accounts,
    private readonly transfers: PendingTransfers,
    private readonly notices: CancellationNotices,
  ) {}

  /**
   * Opens a transfer, in place of one that is void. Throws `TRANSFER_PENDING` while another one is open. The links that
   * stop the void one stop the new one, because the owner cannot tell their mails apart. Of the void one only a member
   * who is not asked again is told: that it is cancelled would reach the owner together with the mail about the new one,
   * in any order, and if they have to stop the new one, they might believe it.
   */
  async openTransfer(transaction: Db, actor: Actor, owner: User, newOwner: User) {
    const replaced = await this.transfers.cancelInvalid(transaction, owner.accountId, { isReplaced: true })
    const transfer = await this.transfers.open(transaction, actor, owner, newOwner)
    const hasDifferentRecipient = replaced !== null && replaced.toUserId !== newOwner.id
    const sendReplacedNotice = hasDifferentRecipient
      ? await this.notices.aboutReplacedTransfer(transaction, replaced)
      : NO_MAILS
    return { transfer, sendReplacedNotice }
  }

  /** Cancels the pending transfer of the account; null when there is none. */
  async cancelTransfer(
    transaction: Db,
    accountId: string,
    cancellation: Cancellation,
  ): Promise<SendMails | null> {
    const cancelled = await this.transfers.cancel(transaction, accountId, cancellation)
    return cancelled && this.notices.aboutTransfer(transaction, cancelled)
  }

  /** Cancels the pending transfer of the account if it is void: nobody could accept or complete it any more. */
  async cancelInvalidTransfer(transaction: Db, accountId: string): Promise<SendMails> {
    const cancelled = await this.transfers.cancelInvalid(transaction, accountId)
    return cancelled ? this.notices.aboutTransfer(transaction, cancelled) : NO_MAILS
  }

  /** Cancels a pending transfer of the account, if the user is the owner who requested it. */
  async cancelTransferBy(
    transaction: Db,
    { id, accountId }: TargetUser,
    cancellation: Cancellation,
  ): Promise<SendMails> {
    const pending = await this.transfers.find(transaction, accountId)
    if (pending?.fromUserId !== id) return NO_MAILS
    return (await this.cancelTransfer(transaction, accountId, cancellation)) ?? NO_MAILS
  }

  /** Cancels the pending transfers that would make one of these members, who must still exist, the owner. */
  async cancelTransfersTo(
    transaction: Db,
    members: readonly TargetUser[],
    reason: string,
  ): Promise<SendMails> {
    const sends: SendMails[] = []
    for (const cancelled of await this.transfers.cancelAllTo(transaction, members, reason))
      sends.push(await this.notices.aboutTransfer(transaction, cancelled))
    return inOrder(...sends)
  }

  /** Cancels a transfer or deletion of the account that is pending, if the user is its owner. */
  async cancelAll(transaction: Db, user: User, actor: Actor, reason: string): Promise<SendMails> {
    if (user.role !== 'owner') return NO_MAILS
    const { accountId } = user
    const sendTransferNotice = await this.cancelTransferBy(transaction, user, {
      client: actor.client,
      reason,
    })
    const isCancelled = await this.accounts.cancelDeletion(transaction, { ...actor, accountId }, { reason })
    if (!isCancelled) return sendTransferNotice
    return inOrder(sendTransferNotice, await this.notices.aboutDeletion(transaction, accountId))
  }
}
