import { Injectable } from '@nestjs/common'
import type { Db } from '../../database/connection.js'
import { Database } from '../../database/database.js'
import { ApiError } from '../../errors/api-error.js'
import type { Session } from '../../sessions/session.js'
import { type Cancellation, type PendingTransfer, PendingTransfers } from '../../users/pending-transfers.js'
import { Users } from '../../users/users.js'
import { OwnedAccounts } from '../owned-accounts.js'
import { TransferMails } from './transfer-mails.js'

/** Cancels transfers. The owner (at all addresses) and the member are told. */
@Injectable()
export class TransferCancellation {
  constructor(
    private readonly owned: OwnedAccounts,
    private readonly transfers: PendingTransfers,
    private readonly users: Users,
    private readonly database: Database,
    private readonly mails: TransferMails,
  ) {}

  /** Throws `NOT_FOUND` when no transfer is pending, `OWNER_REQUIRED` and `SESSION_NOT_FOUND` for others. */
  async byOwner(session: Session, cancellation: Cancellation): Promise<void> {
    const addresses = await this.owned.change(session, transaction =>
      this.cancel(transaction, session.accountId, cancellation),
    )
    if (!addresses) throw new ApiError('NOT_FOUND')
    this.mails.tellCancelled(addresses)
  }

  /**
   * Runs `permit` first in the transaction, with the account locked. Does nothing when no transfer is
   * pending.
   */
  async ofAccount(
    accountId: string,
    cancellation: Cancellation,
    permit: (transaction: Db) => Promise<void>,
  ): Promise<void> {
    const addresses = await this.database.transaction(async transaction => {
      await this.users.lockAccount(transaction, accountId)
      await permit(transaction)
      return this.cancel(transaction, accountId, cancellation)
    })
    if (addresses) this.mails.tellCancelled(addresses)
  }

  /** Whom to tell; null when there was nothing to cancel. */
  private async cancel(
    transaction: Db,
    accountId: string,
    cancellation: Cancellation,
  ): Promise<string[] | null> {
    const cancelled = await this.transfers.cancel(transaction, accountId, cancellation)
    return cancelled && this.addressesOf(transaction, cancelled)
  }

  private async addressesOf(transaction: Db, { fromUserId, toUserId }: PendingTransfer): Promise<string[]> {
    const people = await this.users.lockAll(transaction, [fromUserId, toUserId])
    const owner = people.get(fromUserId)
    const newOwner = people.get(toUserId)
    return [
      ...(owner ? await this.mails.addressesOf(transaction, owner) : []),
      ...(newOwner ? [newOwner.email] : []),
    ]
  }
}
