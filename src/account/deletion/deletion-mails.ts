import { Injectable } from '@nestjs/common'
import { type Recipient, type SendMails } from '../../mail/mail.js'
import { Mailer } from '../../mail/mailer.js'
import { SiteUrls } from '../../mail/site-urls.js'
import type { Db } from '../../platform/database/connection.js'
import { AccountAdmins } from '../../users/notices/account-admins.js'

/** The mails about the deletion of an account. */
@Injectable()
export class DeletionMails {
  constructor(
    private readonly mailer: Mailer,
    private readonly urls: SiteUrls,
    private readonly admins: AccountAdmins,
  ) {}

  /** Throws `MAIL_UNAVAILABLE` where mail is not configured. */
  require(): void {
    this.mailer.requireMail()
  }

  /** To the account's administrators ({@link AccountAdmins}), as they are in the transaction of the request. */
  aboutRequested(transaction: Db, accountId: string, deleteAt: Date): Promise<SendMails> {
    const { mainSite } = this.urls
    return this.admins.notice(transaction, accountId, words =>
      words.mail('deletionRequested', { ...mainSite, day: words.day(deleteAt) }),
    )
  }

  notifyDeleted(owner: Recipient): void {
    this.mailer.post(owner, words => words.mail('deleted', { site: this.urls.siteName }))
  }
}
