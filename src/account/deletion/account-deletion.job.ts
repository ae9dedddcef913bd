import { Injectable } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { and, asc, desc, eq } from 'drizzle-orm'
import { AccountSettlement } from '../../billing/account-settlement.js'
import { SERVICE } from '../../platform/audit/audit-event.js'
import type { Db } from '../../platform/database/connection.js'
import { Database } from '../../platform/database/database.js'
import { users } from '../../platform/database/schema/accounts.js'
import { causeMessage } from '../../platform/errors/api-error.js'
import { LeasedJobs } from '../../platform/jobs.js'
import { Logger } from '../../platform/log.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import { Accounts } from '../../users/accounts.js'
import type { User } from '../../users/user.js'
import { UserChanges } from '../../users/user-changes.js'
import { UserEmails } from '../../users/user-emails.js'
import { DeletionMails } from './deletion-mails.js'

const ACCOUNTS_PER_RUN = 100
const USERS_A_PAGE = 100

/** A user of an account that is being deleted. */
export type UserToRemove = Pick<User, 'id' | 'accountId' | 'email' | 'language' | 'role'>

/** Accounts that are due for deletion. */
@Injectable()
export class AccountsDueForDeletion {
  private readonly logger = new Logger('AccountDeletionJob')
  /** Accounts that were reported as held up, so that this process reports each once. */
  private readonly reported = new Set<string>()

  constructor(
    private readonly database: Database,
    private readonly accounts: Accounts,
    private readonly userEmails: UserEmails,
    private readonly billingStatus: AccountSettlement,
  ) {}

  /**
   * Ids of at most 100 accounts that can be deleted now. An account with a payment in progress has to wait for
   * it. A cancelled subscription is ended first; a later run then finds the account.
   */
  async list(): Promise<string[]> {
    const ids: string[] = []
    for (const id of await this.accounts.listDue()) {
      if (ids.length === ACCOUNTS_PER_RUN) break
      if (await this.database.run(db => this.canUndoEmailChange(db, id))) continue
      if (await this.database.run(db => this.billingStatus.isSettled(db, id))) ids.push(id)
      else await this.database.run(db => this.endOrReport(db, id))
    }
    return ids
  }

  /**
   * At most 100 users of the account. The owner is first, so that nobody can cancel a deletion that has
   * begun.
   */
  async users(accountId: string): Promise<UserToRemove[]> {
    const { id, email, language, role } = users
    const rows = await this.database.run(db =>
      db
        .select({ id, accountId: users.accountId, email, language, role })
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
  async lock(transaction: Db, accountId: string): Promise<void> {
    const account = await this.accounts.lockExclusively(transaction, accountId)
    const isDue = account && this.accounts.isDue(account)
    if (isDue && (await this.canUndoEmailChange(transaction, accountId)))
      throw new Error('a change of the owner’s e-mail address can still be undone')
    if (!isDue || !(await this.billingStatus.isSettled(transaction, accountId)))
      throw new Error('it is no longer due')
  }

  /** Deletes the account, which must have no users left, and what was stored about its payments. */
  async remove(accountId: string): Promise<void> {
    await this.database.transaction(async transaction => {
      await this.lock(transaction, accountId)
      await this.billingStatus.forget(transaction, accountId)
      await this.accounts.remove(transaction, accountId)
    })
  }

  /** A subscription that nobody has cancelled is never ended, so somebody has to decide. */
  private async endOrReport(db: Db, accountId: string): Promise<void> {
    await this.billingStatus.endCancelled(db, accountId)
    if (this.reported.has(accountId)) return
    const status = await this.billingStatus.uncancelled(db, accountId)
    if (!status) return
    this.reported.add(accountId)
    this.logger.error(
      `Account ${accountId} is due for deletion, but its subscription is ${status}: cancel it`,
    )
  }

  /**
   * A thief with the owner's login may have changed the address and requested the deletion, and the owner was
   * promised time to undo the change.
   */
  private async canUndoEmailChange(db: Db, accountId: string): Promise<boolean> {
    const [owner] = await db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.accountId, accountId), eq(users.role, 'owner')))
    return owner !== undefined && this.userEmails.areAnyOpen(db, [owner.id])
  }
}

const JOB = { name: 'account-removal', everyMs: 10 * 60 * 1000 }

/**
 * Deletes the accounts that are due, on one replica at a time. Each step is complete in itself, so the next
 * run continues after a crash, and two runs at once do no harm.
 */
@Injectable()
export class AccountDeletionJob {
  private readonly logger = new Logger('AccountDeletionJob')

  constructor(
    private readonly accountsDue: AccountsDueForDeletion,
    private readonly userChanges: UserChanges,
    private readonly changes: SessionChanges,
    private readonly mails: DeletionMails,
    private readonly jobs: LeasedJobs,
  ) {}

  /** Returns how many accounts were deleted; null when the run did not finish here. */
  @Interval(JOB.everyMs)
  run(): Promise<number | null> {
    return this.jobs.run(JOB, async () => {
      let removed = 0
      for (const accountId of await this.accountsDue.list()) if (await this.remove(accountId)) removed++
      if (removed > 0) this.logger.log(`Deleted ${removed} accounts`)
      return removed
    })
  }

  /** Deletes one. False when it cannot be deleted now, which does not stop the others. */
  private async remove(accountId: string): Promise<boolean> {
    try {
      await this.removeUsers(accountId)
      await this.accountsDue.remove(accountId)
      return true
    } catch (error) {
      this.logger.error(`Account ${accountId} could not be deleted yet: ${causeMessage(error)}`)
      return false
    }
  }

  /** One user at a time. */
  private async removeUsers(accountId: string): Promise<void> {
    for (
      let page = await this.accountsDue.users(accountId);
      page.length > 0;
      page = await this.accountsDue.users(accountId)
    )
      for (const user of page) await this.removeUser(user)
  }

  /** Removes one user, if the account is still due. Owners are told: a later run would not know them any more. */
  async removeUser(user: UserToRemove): Promise<void> {
    await this.changes.commitToleratingOutage(async transaction => {
      await this.accountsDue.lock(transaction, user.accountId)
      return this.userChanges.remove(transaction, user, SERVICE)
    })
    if (user.role === 'owner') this.mails.notifyDeleted(user)
  }
}
