import { Injectable } from '@nestjs/common'
import { ApiError } from '../../platform/errors/api-error.js'
import { RateLimiter } from '../../platform/rate-limits/rate-limiter.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import { AccountTransactions } from '../account-transactions.js'
import { DeletionMails } from './deletion-mails.js'
import { PendingDeletions } from './pending-deletions.js'

/** Both methods are for the owner, and throw `OWNER_REQUIRED` or `SESSION_NOT_FOUND` for anybody else. */
@Injectable()
export class AccountDeletionService {
  constructor(
    private readonly accountTransactions: AccountTransactions,
    private readonly deletions: PendingDeletions,
    private readonly rateLimiter: RateLimiter,
    private readonly mails: DeletionMails,
  ) {}

  /**
   * Sets the date of the deletion and mails everybody who may change the account's settings. A subscription for a
   * fixed term with further periods to pay puts it off to the end of the term. If a deletion is already pending, its
   * date stays. Throws `TOO_MANY_ATTEMPTS`, and `SUBSCRIPTION_LIVE` while the account has a subscription without an
   * end.
   */
  async request(actor: SessionActor): Promise<Date> {
    this.mails.require()
    const counted = await this.rateLimiter.countMailBy(actor, actor.accountId, actor.client)
    const { deleteAt, sendMails } = await counted.refundIfRejected(this.schedule(actor))
    if (sendMails) sendMails()
    else await counted.refund()
    return deleteAt
  }

  /**
   * Tells those who were told of the request. Needs no limit of its own, because each request is counted. Throws
   * `NOT_FOUND` when no deletion is pending.
   */
  async cancel(actor: SessionActor): Promise<void> {
    const sendMails = await this.accountTransactions.runAsOwner(actor, transaction =>
      this.deletions.cancel(transaction, actor),
    )
    if (!sendMails) throw new ApiError('NOT_FOUND')
    sendMails()
  }

  /** `sendMails` is null when it was already pending. */
  private schedule(actor: SessionActor) {
    return this.accountTransactions.runAsOwner(actor, async (transaction, { deleteAt: pending }) =>
      pending ? { deleteAt: pending, sendMails: null } : this.deletions.schedule(transaction, actor),
    )
  }
}
