import { Injectable } from '@nestjs/common'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { ApiError } from '../platform/errors/api-error.js'
import type { Session } from '../sessions/session.js'
import { type Account, Accounts } from '../users/accounts.js'
import { PendingTransfers } from '../users/pending/pending-transfers.js'
import type { AccountAnswer } from './account.dto.js'
import { transferAnswer } from './transfer/transfer.dto.js'

@Injectable()
export class AccountService {
  constructor(
    private readonly accounts: Accounts,
    private readonly transfers: PendingTransfers,
    private readonly database: Database,
  ) {}

  /** Throws `SESSION_NOT_FOUND` when the account is gone and the session store has not caught up. */
  async read({ accountId }: Pick<Session, 'accountId'>): Promise<AccountAnswer> {
    const account = await this.accounts.find(accountId)
    return this.database.run(db => this.answerOf(db, account))
  }

  private async answerOf(db: Db, account: Account | null): Promise<AccountAnswer> {
    if (!account) throw new ApiError('SESSION_NOT_FOUND')
    const { id: accountId, name, handoffRequired, createdAt, deleteAt } = account
    const found = await this.transfers.findOpen(db, accountId)
    const transfer = found && { ...transferAnswer(found), email: found.email, name: found.name }
    return { accountId, name, handoffRequired, createdAt, deleteAt, transfer }
  }
}
