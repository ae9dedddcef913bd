import { Injectable } from '@nestjs/common'
import { AccountSettlement } from '../../billing/account-settlement.js'
import { ApiError } from '../../errors/api-error.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import { Accounts } from '../../users/accounts.js'
import { LockedAccounts } from '../locked-accounts.js'
import { DeletionMails } from './deletion-mails.js'

/** Both methods are for the owner, and throw `OWNER_REQUIRED` or `SESSION_NOT_FOUND` for anybody else. */
@Injectable()
export class AccountDeletion {
  constructor(
    private readonly lockedAccounts: LockedAccounts,
    private readonly accounts: Accounts,
    private readonly billingStatus: AccountSettlement,
    private readonly mails: DeletionMails,
  ) {}

  /**
   * Sets the date of the deletion and mails everybody who may change the account's settings. If a deletion is
   * already pending, its date stays. Throws `SUBSCRIPTION_LIVE` while the account has a subscription that has
   * not been cancelled.
   */
  async request(actor: SessionActor): Promise<Date> {
    this.mails.require()
    const { deleteAt, isNews } = await this.lockedAccounts.changeAsOwner(
      actor,
      async (transaction, { id, deleteAt }) => {
        if (deleteAt) return { deleteAt, isNews: false }
        if (await this.billingStatus.isGoingOn(transaction, id)) throw new ApiError('SUBSCRIPTION_LIVE')
        return { deleteAt: await this.accounts.scheduleDeletion(transaction, actor), isNews: true }
      },
    )
    if (isNews) await this.mails.tellRequested(actor.accountId, deleteAt)
    return deleteAt
  }

  /** Throws `NOT_FOUND` when no deletion is pending. */
  async cancel(actor: SessionActor): Promise<void> {
    const isCancelled = await this.lockedAccounts.changeAsOwner(actor, transaction =>
      this.accounts.cancelDeletion(transaction, actor),
    )
    if (!isCancelled) throw new ApiError('NOT_FOUND')
    await this.mails.tellCancelled(actor.accountId)
  }
}
