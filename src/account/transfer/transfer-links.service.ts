import { Injectable } from '@nestjs/common'
import { AuditLog } from '../../audit/audit-log.js'
import { ApiError } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import { OneTimeTokens } from '../../links/one-time-tokens.js'
import type { PendingTransfer } from '../../users/pending-transfers.js'
import { TransferAcceptance } from './transfer-acceptance.js'
import { TransferCancellation } from './transfer-cancellation.js'

/** Follows the links in mails about a transfer. Both methods throw `INVALID_LINK`. */
@Injectable()
export class TransferLinks {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly acceptance: TransferAcceptance,
    private readonly cancellation: TransferCancellation,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * The member agrees to become the owner. `readyAt` of the result is the earliest time at which they can be.
   */
  async accept(text: string, client: Client): Promise<PendingTransfer> {
    return this.acceptance.accept(await this.find('transfer-accept', text, client), text, client)
  }

  /**
   * The owner stops the transfer. The link can do nothing else, because it also goes to addresses that the
   * owner has left.
   */
  async stop(text: string, client: Client): Promise<void> {
    const { accountId } = await this.find('transfer-stop', text, client)
    const cancellation = { client, reason: 'stopped by a mailed link' }
    await this.cancellation.ofAccount(accountId as string, cancellation, async transaction => {
      await this.tokens.consume(transaction, 'transfer-stop', text)
    })
  }

  private async find(purpose: 'transfer-accept' | 'transfer-stop', text: string, client: Client) {
    const found = await this.tokens.find(purpose, text, client)
    if (found) return found
    const detail = { reason: 'invalid link' }
    this.auditLog.note({ action: 'account.transfer', outcome: 'failed', client, detail })
    throw new ApiError('INVALID_LINK')
  }
}
