import { Injectable } from '@nestjs/common'
import { eq, inArray } from 'drizzle-orm'
import { NO_MAILS, type Recipient, type SendMails } from '../../mail/mail.js'
import { Mailer } from '../../mail/mailer.js'
import { SiteUrls } from '../../mail/site-urls.js'
import type { Db } from '../../platform/database/connection.js'
import { users } from '../../platform/database/schema/accounts.js'
import type { PendingTransfer } from '../pending/pending-transfers.js'
import type { User } from '../user.js'
import { UserEmails } from '../user-emails.js'
import { AccountAdmins } from './account-admins.js'

/** Mails about cancelled changes, to those who were told that they were requested. */
@Injectable()
export class CancellationNotices {
  constructor(
    private readonly userEmails: UserEmails,
    private readonly admins: AccountAdmins,
    private readonly mailer: Mailer,
    private readonly urls: SiteUrls,
  ) {}

  /** A transfer was cancelled: to the owner, also at earlier addresses that can still be restored, and the member. */
  async aboutTransfer(transaction: Db, { fromUserId, toUserId }: PendingTransfer): Promise<SendMails> {
    const found = (await transaction
      .select()
      .from(users)
      .where(inArray(users.id, [fromUserId, toUserId]))) as User[]
    const owner = found.find(({ id }) => id === fromUserId)
    const recipients: Recipient[] = [
      ...(owner ? await this.userEmails.recipientsOf(transaction, owner) : []),
      ...found.filter(({ id }) => id === toUserId),
    ]
    const { mainSite } = this.urls
    return () => {
      for (const to of recipients) this.mailer.post(to, words => words.mail('transferCancelled', mainSite))
    }
  }

  /**
   * A transfer gave way to another: to the member, who learns nothing of the other one. The owner is told of that
   * instead.
   */
  async aboutReplacedTransfer(transaction: Db, { toUserId }: PendingTransfer): Promise<SendMails> {
    const [member] = await transaction.select().from(users).where(eq(users.id, toUserId))
    if (!member) return NO_MAILS
    const { siteName: site } = this.urls
    return () => this.mailer.post(member, words => words.mail('transferOfferWithdrawn', { site }))
  }

  /** The deletion of an account was cancelled: to the account's administrators. */
  aboutDeletion(transaction: Db, accountId: string): Promise<SendMails> {
    const { mainSite } = this.urls
    return this.admins.notice(transaction, accountId, words => words.mail('deletionCancelled', mainSite))
  }

  /** To the address that a user has left for an earlier one; without a link, because it may be a thief's. */
  aboutAddress(left: Recipient): SendMails {
    const { siteName: site } = this.urls
    return () => this.mailer.post(left, words => words.mail('emailRestored', { site }))
  }
}
