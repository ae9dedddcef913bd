import { Injectable } from '@nestjs/common'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { ApiError } from '../errors/api-error.js'
import { SessionChanges } from '../sessions/revocation/session-changes.js'
import type { Session } from '../sessions/session.js'
import { Users } from '../users/users.js'
import { type Account, Accounts } from './accounts.js'
import { requireOwner } from './require-owner.js'

/** Changes accounts for their owners. */
@Injectable()
export class OwnedAccounts {
  constructor(
    private readonly database: Database,
    private readonly accounts: Accounts,
    private readonly users: Users,
    private readonly changes: SessionChanges,
  ) {}

  /**
   * Does `work` in a transaction with the account and its owner locked. Throws `OWNER_REQUIRED` or
   * `SESSION_NOT_FOUND` when the caller is no longer the owner, although the guards let the request pass.
   */
  change<T>(session: Session, work: (transaction: Db, account: Account) => Promise<T>): Promise<T> {
    return this.database.transaction(async transaction => {
      const account = await this.accounts.lock(transaction, session.accountId)
      requireOwner(await this.users.lock(transaction, session.userId))
      await this.changes.requireNotRevoked(transaction, session)
      if (!account) throw new ApiError('SESSION_NOT_FOUND')
      return work(transaction, account)
    })
  }

  setDeleteAt(transaction: Db, accountId: string, deleteAt: Date | null): Promise<void> {
    return this.accounts.setDeleteAt(transaction, accountId, deleteAt)
  }
}
