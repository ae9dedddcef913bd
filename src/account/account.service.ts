import { Injectable } from '@nestjs/common'
import { AuditLog } from '../audit/audit-log.js'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { ApiError } from '../errors/api-error.js'
import type { Client } from '../http/client.js'
import type { Session } from '../sessions/session.js'
import { PendingTransfers } from '../users/pending-transfers.js'
import { type Account, Accounts } from './accounts.js'
import { type TransferView, transferView } from './transfer/transfer-view.js'

/** An account as those see it who may change its settings. */
export interface AccountView {
  readonly accountId: string
  readonly name: string | null
  readonly createdAt: Date
  /** When it will be deleted; null when no deletion is pending. */
  readonly deleteAt: Date | null
  /** The pending transfer; null when there is none. */
  readonly transfer: TransferView | null
}

@Injectable()
export class AccountService {
  constructor(
    private readonly accounts: Accounts,
    private readonly transfers: PendingTransfers,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /** Throws `SESSION_NOT_FOUND` when the account is gone and the session store has not caught up. */
  async read({ accountId }: Pick<Session, 'accountId'>): Promise<AccountView> {
    const account = await this.accounts.find(accountId)
    return this.database.run(db => this.viewOf(db, account))
  }

  async rename({ userId, accountId, sid }: Session, name: string, client: Client): Promise<AccountView> {
    return this.database.transaction(async transaction => {
      await this.auditLog.record(transaction, {
        action: 'account.change',
        outcome: 'ok',
        ...{ userId, accountId, sid, client },
        detail: { name },
      })
      return this.viewOf(transaction, await this.accounts.setName(transaction, accountId, name))
    })
  }

  private async viewOf(db: Db, account: Account | null): Promise<AccountView> {
    if (!account) throw new ApiError('SESSION_NOT_FOUND')
    const { id: accountId, name, createdAt, deleteAt } = account
    const transfer = await this.transfers.find(db, accountId)
    return { accountId, name, createdAt, deleteAt, transfer: transfer && transferView(transfer) }
  }
}
