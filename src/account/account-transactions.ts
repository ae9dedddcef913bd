import { Injectable } from '@nestjs/common'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { ApiError } from '../platform/errors/api-error.js'
import { SessionChanges } from '../sessions/revocation/session-changes.js'
import type { Session } from '../sessions/session.js'
import { type Account, Accounts } from '../users/accounts.js'
import { Users } from '../users/users.js'
import { requireOwner } from './owner.guard.js'

/** Runs work in a transaction with its account locked. */
@Injectable()
export class AccountTransactions {
  constructor(
    private readonly database: Database,
    private readonly accounts: Accounts,
    private readonly users: Users,
    private readonly changes: SessionChanges,
  ) {}

  /**
   * Runs `work` in a transaction with the account and its owner locked. Throws `OWNER_REQUIRED` or
   * `SESSION_NOT_FOUND` when the caller is no longer the owner, although the guards let the request pass.
   */
  runAsOwner<T>(
    actor: Pick<Session, 'accountId' | 'userId' | 'sid'>,
    work: (transaction: Db, account: Account) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(async transaction => {
      const account = await this.accounts.lockExclusively(transaction, actor.accountId)
      requireOwner(await this.users.lock(transaction, actor.userId))
      await this.changes.requireNotRevoked(transaction, actor)
      if (!account) throw new ApiError('SESSION_NOT_FOUND')
      return work(transaction, account)
    })
  }

  /** Runs `work` in a transaction with the account locked. */
  run<T>(accountId: string, work: (transaction: Db) => Promise<T>): Promise<T> {
    return this.database.transaction(async transaction => {
      await this.accounts.lock(transaction, accountId)
      return work(transaction)
    })
  }
}
