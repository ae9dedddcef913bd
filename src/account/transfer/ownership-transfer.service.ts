import { Injectable } from '@nestjs/common'
import { AuditLog } from '../../audit/audit-log.js'
import type { Db } from '../../database/connection.js'
import { Database } from '../../database/database.js'
import { ApiError } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import { RateLimiter } from '../../rate-limits/rate-limiter.js'
import type { Session } from '../../sessions/session.js'
import { type PendingTransfer, PendingTransfers } from '../../users/pending-transfers.js'
import { TransferMails } from './transfer-mails.js'
import { type Parties, TransferParties } from './transfer-parties.js'

/** Transfers, as owners request them. */
@Injectable()
export class OwnershipTransfer {
  constructor(
    private readonly parties: TransferParties,
    private readonly transfers: PendingTransfers,
    private readonly rateLimiter: RateLimiter,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
    private readonly mails: TransferMails,
  ) {}

  /**
   * Asks an active member to become the owner, and mails the owner a link to stop it.
   * {@link TransferCompletion} does it once the member has accepted and TRANSFER_WAIT_SECONDS has passed. Throws
   * `NOT_FOUND` for anybody who is not an active member of the account, `TOO_MANY_ATTEMPTS`,
   * `TRANSFER_PENDING`, and `EMAIL_UNDO_OPEN` while a change of either's e-mail address can still be undone.
   */
  async request(session: Session, userId: string, client: Client): Promise<PendingTransfer> {
    this.mails.require()
    const counted = await this.rateLimiter.countMailBy(session, userId, client)
    const { transfer, stopLinks, acceptLink } = await counted.refundIfRejected(
      this.database.transaction(async transaction => {
        const parties = await this.parties.ofRequest(transaction, session, userId)
        if (await this.parties.isUndoOpen(transaction, parties)) throw new ApiError('EMAIL_UNDO_OPEN')
        if (await this.transfers.find(transaction, session.accountId)) throw new ApiError('TRANSFER_PENDING')
        return this.open(transaction, parties, session, client)
      }),
    )
    this.mails.sendRequested(stopLinks, transfer)
    this.mails.sendOffer(acceptLink, transfer)
    return transfer
  }

  private async open(transaction: Db, parties: Parties, { sid }: Session, client: Client) {
    const { owner, newOwner } = parties
    const transfer = await this.transfers.open(transaction, owner, newOwner)
    const { accountId, readyAt } = transfer
    await this.auditLog.record(transaction, {
      action: 'account.transfer',
      outcome: 'ok',
      ...{ userId: owner.id, accountId, sid, client },
      detail: { step: 'requested', to: newOwner.id, readyAt },
    })
    return {
      transfer,
      stopLinks: await this.mails.issueStopLinks(transaction, owner, transfer),
      acceptLink: await this.mails.issueAcceptLink(transaction, parties),
    }
  }
}
