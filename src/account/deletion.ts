import { Injectable } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { and, asc, desc, eq } from 'drizzle-orm'
import { AccountSettlement } from '../billing/account-settlement.js'
import { Mailer } from '../mail/mailer.js'
import { SiteUrls } from '../mail/site-urls.js'
import { SERVICE } from '../platform/audit/audit-event.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { users } from '../platform/database/schema/accounts.js'
import { ApiError, causeMessage } from '../platform/errors/api-error.js'
import { LeasedJobs } from '../platform/jobs.js'
import { Logger } from '../platform/log.js'
import { RateLimiter } from '../platform/rate-limits/rate-limiter.js'
import { SessionChanges } from '../sessions/changes.js'
import type { SessionActor } from '../sessions/session-actor.js'
import { Accounts } from '../users/accounts.js'
import { ActorAuthority } from '../users/actor-authority.js'
import { UserEmails } from '../users/email-addresses.js'
import { AccountAdmins } from '../users/notices.js'
import { CancellationNotices } from '../users/pending-changes.js'
import type { User } from '../users/user.js'
import { UserChanges } from '../users/user-changes.js'

/**
 * The owner requests and cancels the deletion of the account; both throw `OWNER_REQUIRED` or `SESSION_NOT_FOUND` for
 * others. {@link AccountDeletionJob} carries it out.
 */
@Injectable()
export class AccountDeletionService {
  constructor(
    private readonly database: Database,
    private readonly authority: ActorAuthority,
    private readonly accounts: Accounts,
    private readonly billing: AccountSettlement,
    private readonly rateLimiter: RateLimiter,
    private readonly admins: AccountAdmins,
    private readonly notices: CancellationNotices,
    private readonly mailer: Mailer,
    private readonly urls: SiteUrls,
  ) {}

  /**
   * Sets the date of the deletion and mails every user who may change the account's settings. A subscription for a
   * fixed term with further periods to pay puts it off to the end of the term. If a deletion is already pending, its
   * date stays. Throws `TOO_MANY_ATTEMPTS`, and `SUBSCRIPTION_LIVE` while the account has a subscription without an
   * end.
   */
  async request(actor: SessionActor): Promise<Date> {
    this.mailer.requireMail()
    const counted = await this.rateLimiter.countMailBy(actor, actor.accountId, actor.client)
    const { deleteAt, sendMails } = await counted.refundIfRejected(this.schedule(actor))
    if (sendMails) sendMails()
    else await counted.refund()
    return deleteAt
  }

  /** `sendMails` is null when a deletion was already pending. */
  private schedule(actor: SessionActor) {
    return this.database.transaction(async transaction => {
      const { id, deleteAt: pending } = await this.authority.lockAsOwner(transaction, actor)
      if (pending) return { deleteAt: pending, sendMails: null }
      const billedUntil = await this.billing.billedUntil(transaction, id)
      const deleteAt = await this.accounts.scheduleDeletion(transaction, actor, billedUntil)
      await this.billing.closePages(transaction, id)
      const sendMails = await this.admins.notice(transaction, id, words =>
        words.mail('deletionRequested', { ...this.urls.mainSite, day: words.day(deleteAt) }),
      )
      return { deleteAt, sendMails }
    })
  }

  /**
   * Mails those who were notified of the request. Needs no limit of its own, because each request is counted. Throws
   * `NOT_FOUND` when no deletion is pending.
   */
  async cancel(actor: SessionActor): Promise<void> {
    const sendMails = await this.database.transaction(async transaction => {
      const { id } = await this.authority.lockAsOwner(transaction, actor)
      const isCancelled = await this.accounts.cancelDeletion(transaction, actor)
      return isCancelled ? this.notices.aboutDeletion(transaction, id) : null
    })
    if (!sendMails) throw new ApiError('NOT_FOUND')
    sendMails()
  }
}

/** A user of an account that is being deleted. */
type UserToRemove = Pick<User, 'id' | 'accountId' | 'email' | 'language' | 'role'>

const JOB = { name: 'account-removal', everyMs: 10 * 60 * 1000 }
const ACCOUNTS_PER_RUN = 100
const USERS_A_PAGE = 100

/**
 * Deletes the accounts that are due, on one replica at a time. Each step is complete in itself, so the next
 * run continues after a crash, and two runs at once do no harm.
 */
@Injectable()
export class AccountDeletionJob {
  private readonly logger = new Logger('AccountDeletionJob')

  /** Accounts that were reported as held up, so that this process reports each once. */
  private readonly reported = new Set<string>()

  constructor(
    private readonly database: Database,
    private readonly accounts: Accounts,
    private readonly userEmails: UserEmails,
    private readonly billing: AccountSettlement,
    private readonly userChanges: UserChanges,
    private readonly changes: SessionChanges,
    private readonly mailer: Mailer,
    private readonly urls: SiteUrls,
    private readonly jobs: LeasedJobs,
  ) {}

  /** Returns how many accounts were deleted; null when the run did not finish here. */
  @Interval(JOB.everyMs)
  run(): Promise<number | null> {
    return this.jobs.run(JOB, async () => {
      let removed = 0
      for (const accountId of await this.listRemovable()) if (await this.remove(accountId)) removed++
      if (removed > 0) this.logger.log(`Deleted ${removed} accounts`)
      return removed
    })
  }

  /**
   * Ids of at most 100 accounts that can be deleted now. An account with a payment in progress has to wait for
   * it. A cancelled subscription is ended first; a later run then finds the account.
   */
  private async listRemovable(): Promise<string[]> {
    const ids: string[] = []
    for (const id of await this.accounts.listDue()) {
      if (ids.length === ACCOUNTS_PER_RUN) break
      if (await this.database.run(db => this.canUndoEmailChange(db, id))) continue
      if (await this.database.run(db => this.billing.isSettled(db, id))) ids.push(id)
      else await this.database.run(db => this.endOrReport(db, id))
    }
    return ids
  }

  /** A subscription that was not cancelled is never ended, so an operator has to decide. */
  private async endOrReport(db: Db, accountId: string): Promise<void> {
    await this.billing.endCancelled(db, accountId)
    if (this.reported.has(accountId)) return
    const status = await this.billing.uncancelled(db, accountId)
    if (!status) return
    this.reported.add(accountId)
    this.logger.error(
      `Account ${accountId} is due for deletion, but its subscription is ${status}: cancel it`,
    )
  }

  /** Deletes one account. False when it cannot be deleted now, which does not stop the others. */
  private async remove(accountId: string): Promise<boolean> {
    try {
      for (let page = await this.users(accountId); page.length > 0; page = await this.users(accountId))
        for (const user of page) await this.removeUser(user)
      await this.database.transaction(async transaction => {
        await this.lock(transaction, accountId)
        await this.billing.forget(transaction, accountId)
        await this.accounts.remove(transaction, accountId)
      })
      return true
    } catch (error) {
      this.logger.error(`Account ${accountId} could not be deleted yet: ${causeMessage(error)}`)
      return false
    }
  }

  /** At most 100 users of the account. The owner is first, so that a deletion that has begun cannot be cancelled. */
  private async users(accountId: string): Promise<UserToRemove[]> {
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

  /** Removes one user, if the account is still due. Owners are notified: a later run would not know them any more. */
  async removeUser(user: UserToRemove): Promise<void> {
    await this.changes.commit(async transaction => {
      await this.lock(transaction, user.accountId)
      return this.userChanges.remove(transaction, user, SERVICE)
    })
    if (user.role === 'owner')
      this.mailer.post(user, words => words.mail('deleted', { site: this.urls.siteName }))
  }

  /**
   * Locks the account until the transaction ends. Throws an Error when it must not be deleted now, for
   * example because the owner has cancelled.
   */
  private async lock(transaction: Db, accountId: string): Promise<void> {
    const account = await this.accounts.lockExclusively(transaction, accountId)
    const isDue = account && this.accounts.isDue(account)
    if (isDue && (await this.canUndoEmailChange(transaction, accountId)))
      throw new Error('a change of the owner’s e-mail address can still be undone')
    if (!isDue || !(await this.billing.isSettled(transaction, accountId)))
      throw new Error('it is no longer due')
  }

  /**
   * An attacker with the owner's login may have changed the address and requested the deletion, and the owner was
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
