import { Injectable } from '@nestjs/common'
import { AuditLog } from '../../audit/audit-log.js'
import type { Db } from '../../database/connection.js'
import { Database } from '../../database/database.js'
import { ApiError } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import { type OneTimeToken, OneTimeTokens } from '../../links/one-time-tokens.js'
import { type PendingTransfer, PendingTransfers } from '../../users/pending-transfers.js'
import { TransferMails } from './transfer-mails.js'
import { TransferParties } from './transfer-parties.js'

/** The future owner accepts. */
@Injectable()
export class TransferAcceptance {
  constructor(
    private readonly database: Database,
    private readonly transfers: PendingTransfers,
    private readonly parties: TransferParties,
    private readonly tokens: OneTimeTokens,
    private readonly auditLog: AuditLog,
    private readonly mails: TransferMails,
  ) {}

  /** Uses the link up and tells the owner again how to stop the transfer. Throws `INVALID_LINK`. */
  async accept({ accountId, userId }: OneTimeToken, text: string, client: Client): Promise<PendingTransfer> {
    this.mails.require()
    const { transfer, stopLinks } = await this.database.transaction(async transaction => {
      const pending = await this.transfers.find(transaction, accountId as string)
      const parties = pending && (await this.parties.ofPending(transaction, pending))
      await this.tokens.consume(transaction, 'transfer-accept', text)
      if (!parties || pending.toUserId !== userId) throw new ApiError('INVALID_LINK')
      const accepted = await this.transfers.accept(transaction, pending)
      await this.record(transaction, accepted, client)
      return {
        transfer: accepted,
        stopLinks: await this.mails.issueStopLinks(transaction, parties.owner, accepted),
      }
    })
    this.mails.sendAccepted(stopLinks, transfer)
    return transfer
  }

  private record(transaction: Db, { accountId, fromUserId, toUserId }: PendingTransfer, client: Client) {
    return this.auditLog.record(transaction, {
      action: 'account.transfer',
      outcome: 'ok',
      ...{ userId: toUserId, accountId, client },
      detail: { step: 'accepted', from: fromUserId },
    })
  }
}
