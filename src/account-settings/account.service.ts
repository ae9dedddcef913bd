import { Injectable } from '@nestjs/common'
import { AuditLog } from '../audit/audit-log.js'
import { Database } from '../database/database.js'
import { ApiError } from '../errors/api-error.js'
import type { Client } from '../http/client.js'
import type { Session } from '../sessions/session.js'
import { type Account, Accounts } from './accounts.js'

/** An account as the people who look after it see it. */
export interface AccountView {
  readonly accountId: string
  readonly name: string | null
  readonly createdAt: Date
  /** When it is to be deleted; null while nobody has asked for that. */
  readonly deleteAt: Date | null
}

@Injectable()
export class AccountService {
  constructor(
    private readonly accounts: Accounts,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /** Throws `SESSION_NOT_FOUND` when the account is gone and the session store does not know of it yet. */
  async read({ accountId }: Pick<Session, 'accountId'>): Promise<AccountView> {
    return viewOf(await this.accounts.find(accountId))
  }

  async rename({ userId, accountId, sid }: Session, name: string, client: Client): Promise<AccountView> {
    return this.database.transaction(async transaction => {
      await this.auditLog.record(transaction, {
        action: 'account.change',
        outcome: 'ok',
        ...{ userId, accountId, sid, client },
        detail: { name },
      })
      return viewOf(await this.accounts.setName(transaction, accountId, name))
    })
  }
}

function viewOf(account: Account | null): AccountView {
  if (!account) throw new ApiError('SESSION_NOT_FOUND')
  const { id: accountId, name, createdAt, deleteAt } = account
  return { accountId, name, createdAt, deleteAt }
}
