import { Injectable } from '@nestjs/common'
import type { Actor } from '../../audit/actor.js'
import type { Db } from '../../database/connection.js'
import { allOf, NOTHING_TO_POST, type Posting } from '../../mail/posting.js'
import { Accounts } from '../accounts.js'
import { CancellationNotices } from '../notices/cancellation-notices.js'
import type { User } from '../user.js'
import { type Cancellation, PendingTransfers } from './pending-transfers.js'

/**
 * Cancels the transfer and the deletion of accounts that are pending. The account must be locked; what is returned
 * tells those who were told of the request.
 */
@Injectable()
export class PendingAccountChanges {
  constructor(
    private readonly accounts: Accounts,
    private readonly transfers: PendingTransfers,
    private readonly notices: CancellationNotices,
  ) {}

  /** Cancels a transfer of the account that is pending, if the user is the owner who requested it. */
  async cancelTransfer(
    transaction: Db,
    user: Pick<User, 'id' | 'accountId'>,
    cancellation: Cancellation,
  ): Promise<Posting> {
    const cancelled = await this.transfers.cancelOf(transaction, user, cancellation)
    return cancelled ? this.notices.aboutTransfer(transaction, cancelled) : NOTHING_TO_POST
  }

  /** Cancels a transfer of the account that is pending, if this member, who must still exist, is to be its owner. */
  async cancelTransferTo(
    transaction: Db,
    { id, accountId }: Pick<User, 'id' | 'accountId'>,
  ): Promise<Posting> {
    const pending = await this.transfers.find(transaction, accountId)
    if (pending?.toUserId !== id) return NOTHING_TO_POST
    await this.transfers.cancel(transaction, accountId, { client: null, reason: 'one of the two is gone' })
    return this.notices.aboutTransfer(transaction, pending)
  }

  /** Cancels a transfer or deletion of the account that is pending, if the user is its owner. */
  async cancelAll(transaction: Db, user: User, actor: Actor, reason: string): Promise<Posting> {
    if (user.role !== 'owner') return NOTHING_TO_POST
    const { accountId } = user
    const tellOfTransfer = await this.cancelTransfer(transaction, user, { client: actor.client, reason })
    const isCancelled = await this.accounts.cancelDeletion(transaction, { ...actor, accountId }, { reason })
    if (!isCancelled) return tellOfTransfer
    return allOf(tellOfTransfer, await this.notices.aboutDeletion(transaction, accountId))
  }
}
