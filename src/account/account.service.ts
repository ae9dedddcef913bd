import { Injectable } from '@nestjs/common'
import { auditEvent } from '../audit/audit-event.js'
import { AuditLog } from '../audit/audit-log.js'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { ApiError } from '../errors/api-error.js'
import type { Session } from '../sessions/session.js'
import type { SessionActor } from '../sessions/session-actor.js'
import { type Account, Accounts } from '../users/accounts.js'
import { ActorAuthority } from '../users/actor-authority.js'
import { PendingTransfers } from '../users/pending/pending-transfers.js'
import type { AccountAnswer, AccountBody } from './account.dto.js'
import { transferAnswer } from './transfer/transfer.dto.js'

@Injectable()
export class AccountService {
  constructor(
    private readonly accounts: Accounts,
    private readonly authority: ActorAuthority,
    private readonly transfers: PendingTransfers,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /** Throws `SESSION_NOT_FOUND` when the account is gone and the session store has not caught up. */
  async read({ accountId }: Pick<Session, 'accountId'>): Promise<AccountAnswer> {
    const account = await this.accounts.find(accountId)
    return this.database.run(db => this.answerOf(db, account))
  }

  /** Fields that the body leaves out stay as they are. */
  async change(actor: SessionActor, { name, handoffRequired }: AccountBody): Promise<AccountAnswer> {
    const detail = { ...(name && { name }), ...(handoffRequired && { handoffRequired }) }
    return this.database.transaction(async transaction => {
      await this.authority.lock(transaction, actor, 'accountSettings')
      await this.auditLog.record(transaction, auditEvent(actor, 'account.change', detail))
      if (name) await this.accounts.setName(transaction, actor.accountId, name)
      if (handoffRequired)
        await this.accounts.setHandoffRequired(transaction, actor.accountId, handoffRequired)
      return this.answerOf(transaction, await this.accounts.lock(transaction, actor.accountId))
    })
  }

  private async answerOf(db: Db, account: Account | null): Promise<AccountAnswer> {
    if (!account) throw new ApiError('SESSION_NOT_FOUND')
    const { id: accountId, name, handoffRequired, createdAt, deleteAt } = account
    const found = await this.transfers.findOpen(db, accountId)
    const transfer = found && { ...transferAnswer(found), email: found.email, name: found.name }
    return { accountId, name, handoffRequired, createdAt, deleteAt, transfer }
  }
}
