import { Injectable } from '@nestjs/common'
import { and, asc, desc, eq, lte } from 'drizzle-orm'
import { AuditLog } from '../../audit/audit-log.js'
import { BillingStatus } from '../../billing/billing-status.js'
import { Clock } from '../../clock/clock.js'
import type { Db } from '../../database/connection.js'
import { Database } from '../../database/database.js'
import { accounts, oneTimeTokens, users } from '../../database/schema.js'
import { UndoTokens } from '../../users/links/undo-tokens.js'
import { PendingTransfers } from '../../users/pending-transfers.js'
import type { User } from '../../users/user.js'
import { Accounts } from '../accounts.js'

const A_RUN = 100
const USERS_A_PAGE = 100

/** A user of an account that is being deleted. */
export type UserToRemove = Pick<User, 'id' | 'accountId' | 'email' | 'role'>

/** Accounts that are due for deletion. */
@Injectable()
export class AccountsDueForDeletion {
  constructor(
    private readonly database: Database,
    private readonly accounts: Accounts,
    private readonly billingStatus: BillingStatus,
    private readonly undoTokens: UndoTokens,
    private readonly transfers: PendingTransfers,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Ids of at most 100 accounts that can be deleted now. Accounts with a payment on its way wait for it. A
   * cancelled subscription is ended first, and a later run finds the account.
   */
  async list(): Promise<string[]> {
    const list = await this.database.run(db =>
      db
        .select({ id: accounts.id })
        .from(accounts)
        .where(lte(accounts.deleteAt, this.clock.now()))
        .orderBy(asc(accounts.deleteAt)),
    )
    const ids: string[] = []
    for (const { id } of list) {
      if (ids.length === A_RUN) break
      if (await this.database.run(db => this.canOwnerReturn(db, id))) continue
      if (await this.database.run(db => this.billingStatus.isSettled(db, id))) ids.push(id)
      else await this.database.run(db => this.billingStatus.endCancelled(db, id))
    }
    return ids
  }

  /**
   * At most 100 users of the account. The owner is first, so that nobody can cancel a deletion that has
   * begun.
   */
  async users(accountId: string): Promise<UserToRemove[]> {
    const { id, email, role } = users
    const rows = await this.database.run(db =>
      db
        .select({ id, accountId: users.accountId, email, role })
        .from(users)
        .where(eq(users.accountId, accountId))
        .orderBy(desc(role), asc(id))
        .limit(USERS_A_PAGE),
    )
    return rows as UserToRemove[]
  }

  /**
   * Locks the account until the transaction ends. Throws an Error when it must not be deleted now, for
   * example because the owner has cancelled.
   */
  async hold(transaction: Db, accountId: string): Promise<void> {
    const account = await this.accounts.lock(transaction, accountId)
    const isDue = account?.deleteAt && account.deleteAt <= this.clock.now()
    if (isDue && (await this.canOwnerReturn(transaction, accountId)))
      throw new Error('a change of the owner’s e-mail address can still be undone')
    if (!isDue || !(await this.billingStatus.isSettled(transaction, accountId)))
      throw new Error('it is no longer due')
  }

  /**
   * A thief with the owner's login may have requested the deletion, and the owner was promised time to undo
   * that.
   */
  private async canOwnerReturn(db: Db, accountId: string): Promise<boolean> {
    const [owner] = await db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.accountId, accountId), eq(users.role, 'owner')))
    return owner !== undefined && this.undoTokens.areAnyOpen(db, [owner.id])
  }

  /**
   * Deletes the account, which must have no users left, with its links and what was known of its payments.
   */
  async remove(accountId: string): Promise<void> {
    await this.database.transaction(async transaction => {
      await this.hold(transaction, accountId)
      await this.transfers.remove(transaction, accountId)
      await transaction.delete(oneTimeTokens).where(eq(oneTimeTokens.accountId, accountId))
      await this.billingStatus.forget(transaction, accountId)
      await this.auditLog.record(transaction, {
        action: 'account.delete',
        outcome: 'ok',
        accountId,
        client: null,
        detail: { step: 'done' },
      })
      await this.accounts.remove(transaction, accountId)
    })
  }
}
