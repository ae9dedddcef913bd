import { Injectable } from '@nestjs/common'
import { Database } from '../../platform/database/database.js'
import { ApiError } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/request.js'
import { OneTimeTokens } from '../../platform/one-time-tokens.js'
import { RateLimiter } from '../../platform/rate-limits/rate-limiter.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import { PendingAccountChanges } from '../../users/pending/pending-account-changes.js'
import { type PendingTransfer, PendingTransfers } from '../../users/pending/pending-transfers.js'
import { TransferMails } from './transfer-mails.js'
import { TransferParties } from './transfer-parties.js'

/** Lets owners request transfers. */
@Injectable()
export class OwnershipTransferService {
  constructor(
    private readonly parties: TransferParties,
    private readonly pending: PendingAccountChanges,
    private readonly rateLimiter: RateLimiter,
    private readonly database: Database,
    private readonly mails: TransferMails,
  ) {}

  /**
   * Asks an active member to become the owner, and mails the owner a link to stop it. {@link TransferCompletion}
   * carries it out once the member has accepted and TRANSFER_WAIT_SECONDS has passed. Throws `NOT_FOUND` for
   * anybody who is not an active member of the account, `TOO_MANY_ATTEMPTS`, `TRANSFER_PENDING`, and
   * `EMAIL_UNDO_OPEN` while a change of either's e-mail address can still be undone.
   */
  async request(actor: SessionActor, userId: string): Promise<PendingTransfer> {
    this.mails.require()
    const counted = await this.rateLimiter.countMailBy(actor, userId, actor.client)
    const opened = await counted.refundIfRejected(this.open(actor, userId))
    const { transfer, stopLinks, acceptLink, sendReplacedNotice } = opened
    sendReplacedNotice()
    this.mails.sendRequested(stopLinks, transfer)
    this.mails.sendOffer(acceptLink, transfer)
    return transfer
  }

  private open(actor: SessionActor, userId: string) {
    return this.database.transaction(async transaction => {
      const parties = await this.parties.ofRequest(transaction, actor, userId)
      if (await this.parties.isUndoOpen(transaction, parties)) throw new ApiError('EMAIL_UNDO_OPEN')
      const { owner, newOwner } = parties
      const { transfer, sendReplacedNotice } = await this.pending.openTransfer(
        transaction,
        actor,
        owner,
        newOwner,
      )
      return {
        transfer,
        stopLinks: await this.mails.issueStopLinks(transaction, owner, transfer),
        acceptLink: await this.mails.issueAcceptLink(transaction, newOwner),
        sendReplacedNotice,
      }
    })
  }
}

/** The future owner accepts. */
@Injectable()
export class TransferAcceptance {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly database: Database,
    private readonly transfers: PendingTransfers,
    private readonly parties: TransferParties,
    private readonly mails: TransferMails,
  ) {}

  /**
   * The member agrees, which uses up the link, and the owner is told again how to stop the transfer. `readyAt` of
   * the result is the earliest time at which the member can become the owner. Throws `INVALID_LINK`, and
   * `SECOND_FACTOR_ENROLMENT_REQUIRED`, after which the link still works.
   */
  async accept(text: string, client: Client): Promise<PendingTransfer> {
    const found = await this.tokens.require('transfer-accept', text, client, 'account.transfer')
    this.mails.require()
    const { transfer, stopLinks } = await this.database.transaction(async transaction => {
      const pending = await this.transfers.find(transaction, found.accountId as string)
      const parties = pending && (await this.parties.ofPending(transaction, pending))
      if (!parties || pending.toUserId !== found.userId) throw new ApiError('INVALID_LINK')
      if (parties.newOwner.mustEnrol) throw new ApiError('SECOND_FACTOR_ENROLMENT_REQUIRED')
      const transfer = await this.transfers.accept(transaction, pending, text, client)
      const stopLinks = await this.mails.issueStopLinks(transaction, parties.owner, transfer)
      return { transfer, stopLinks }
    })
    this.mails.sendAccepted(stopLinks, transfer)
    return transfer
  }
}
