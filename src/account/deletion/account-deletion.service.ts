import { Injectable } from '@nestjs/common'
import { AuditLog } from '../../audit/audit-log.js'
import { BillingStatus } from '../../billing/billing-status.js'
import { Clock, secondsAfter } from '../../clock/clock.js'
import { Settings } from '../../config/settings.js'
import type { Db } from '../../database/connection.js'
import { ApiError } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import type { Session } from '../../sessions/session.js'
import { AccountMails } from '../account-mails.js'
import { OwnedAccounts } from '../owned-accounts.js'

@Injectable()
export class AccountDeletion {
  constructor(
    private readonly owned: OwnedAccounts,
    private readonly billingStatus: BillingStatus,
    private readonly auditLog: AuditLog,
    private readonly mails: AccountMails,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  /**
   * Sets the date of the deletion and mails everybody who may change the account's settings. If a deletion is
   * already pending, its date stays. Throws `SUBSCRIPTION_LIVE` while the account has a subscription that has
   * not been cancelled.
   */
  async request(session: Session, client: Client): Promise<Date> {
    this.mails.require()
    const { accountId } = session
    const asked = await this.owned.change(session, async (transaction, account) => {
      if (account.deleteAt) return { deleteAt: account.deleteAt, isNews: false }
      if (await this.billingStatus.isGoingOn(transaction, accountId)) throw new ApiError('SUBSCRIPTION_LIVE')
      const deleteAt = secondsAfter(this.clock.now(), this.settings.deletionGraceSeconds)
      await this.owned.setDeleteAt(transaction, accountId, deleteAt)
      await this.record(transaction, 'account.delete', session, client, { step: 'asked', deleteAt })
      return { deleteAt, isNews: true }
    })
    if (asked.isNews) await this.mails.tellDeletionAsked(accountId, asked.deleteAt)
    return asked.deleteAt
  }

  /** Throws `NOT_FOUND` when no deletion is pending. */
  async cancel(session: Session, client: Client): Promise<void> {
    await this.owned.change(session, async (transaction, account) => {
      if (!account.deleteAt) throw new ApiError('NOT_FOUND')
      await this.owned.setDeleteAt(transaction, session.accountId, null)
      await this.record(transaction, 'account.delete.cancel', session, client, {})
    })
    await this.mails.tellKept(session.accountId)
  }

  private record(
    transaction: Db,
    action: 'account.delete' | 'account.delete.cancel',
    { userId, accountId, sid }: Session,
    client: Client,
    detail: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const event = { action, outcome: 'ok', userId, accountId, sid, client, detail } as const
    return this.auditLog.record(transaction, event)
  }
}
