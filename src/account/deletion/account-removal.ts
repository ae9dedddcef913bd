import { Injectable } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { OPERATOR } from '../../audit/actor.js'
import { LeasedJobs } from '../../jobs/leased-jobs.js'
import { Logger } from '../../log/logger.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import { UserChanges } from '../../users/user-changes.js'
import { AccountMails } from '../account-mails.js'
import { AccountsDueForDeletion, type UserToRemove } from './due-accounts.js'

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
    private readonly mails: AccountMails,
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

  /** Deletes one and tells its owner. False when it cannot be deleted now, which does not stop the others. */
  private async remove(accountId: string): Promise<boolean> {
    try {
      const owner = await this.removeUsers(accountId)
      await this.accountsDue.remove(accountId)
      if (owner) this.mails.tellDeleted(owner)
      return true
    } catch (error) {
      this.logger.error(`Account ${accountId} could not be deleted yet: ${(error as Error).message}`)
      return false
    }
  }

  /**
   * One user at a time. Returns the owner's address; null when an earlier run has already removed the owner.
   */
  private async removeUsers(accountId: string): Promise<string | null> {
    let owner: string | null = null
    for (
      let page = await this.accountsDue.users(accountId);
      page.length > 0;
      page = await this.accountsDue.users(accountId)
    )
      for (const user of page) {
        await this.removeUser(user)
        if (user.role === 'owner') owner = user.email
      }
    return owner
  }

  /** Removes one user, if the account is still due. */
  async removeUser(user: UserToRemove): Promise<void> {
    await this.changes.durably(async transaction => {
      await this.accountsDue.hold(transaction, user.accountId)
      return this.userChanges.remove(transaction, user, OPERATOR)
    })
  }
}
