import { Injectable } from '@nestjs/common'
import { ApiError } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/request.js'
import { OneTimeTokens } from '../../platform/one-time-tokens.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import { PendingAccountChanges } from '../../users/pending/pending-account-changes.js'
import { AccountTransactions } from '../account-transactions.js'

/** Cancels transfers. The owner (at all addresses) and the member are told. */
@Injectable()
export class TransferCancellation {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly accountTransactions: AccountTransactions,
    private readonly pending: PendingAccountChanges,
  ) {}

  /** Throws `NOT_FOUND` when no transfer is pending, `OWNER_REQUIRED` and `SESSION_NOT_FOUND` for others. */
  async byOwner(actor: SessionActor): Promise<void> {
    const cancellation = { client: actor.client, reason: 'cancelled by the owner' }
    const sendMails = await this.accountTransactions.runAsOwner(actor, transaction =>
      this.pending.cancelTransfer(transaction, actor.accountId, cancellation),
    )
    if (!sendMails) throw new ApiError('NOT_FOUND')
    sendMails()
  }

  /**
   * By a link, which is used up. The link can do nothing else, because it also goes to addresses that the owner
   * has left. It works until the transfer is cancelled or done, also while that is void, and for the one that
   * replaces it: whoever follows it must not be left in doubt, and what made it void may pass. Throws `INVALID_LINK`.
   */
  async byLink(text: string, client: Client): Promise<void> {
    const found = await this.tokens.require('transfer-stop', text, client, 'account.transfer')
    const accountId = found.accountId as string
    const cancellation = { client, reason: 'stopped by a mailed link' }
    const sendMails = await this.accountTransactions.run(accountId, async transaction => {
      await this.tokens.consume(transaction, 'transfer-stop', text)
      return this.pending.cancelTransfer(transaction, accountId, cancellation)
    })
    sendMails?.()
  }

  /** By the service itself. Does nothing unless one is pending that is void. */
  async ofVoid(accountId: string): Promise<void> {
    const sendMails = await this.accountTransactions.run(accountId, transaction =>
      this.pending.cancelInvalidTransfer(transaction, accountId),
    )
    sendMails()
  }
}
