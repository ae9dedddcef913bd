import { Injectable } from '@nestjs/common'
import type { Receiver } from '../../mail/mail.js'
import { Mailer } from '../../mail/mailer.js'
import { SiteUrls } from '../../mail/site-urls.js'
import { PeopleInCharge } from '../../users/lists/people-in-charge.js'

/** The mails about the deletion of an account. */
@Injectable()
export class DeletionMails {
  constructor(
    private readonly mailer: Mailer,
    private readonly urls: SiteUrls,
    private readonly people: PeopleInCharge,
  ) {}

  /** Throws `MAIL_UNAVAILABLE` where mail is not configured. */
  require(): void {
    this.mailer.requireMail()
  }

  tellRequested(accountId: string, deleteAt: Date): Promise<void> {
    const values = { site: this.urls.siteName, url: this.urls.frontPage() }
    return this.people.mail(accountId, words =>
      words.mail('deletionRequested', { ...values, day: words.day(deleteAt) }),
    )
  }

  tellCancelled(accountId: string): Promise<void> {
    return this.people.mail(accountId, words => words.mail('deletionCancelled', { site: this.urls.siteName }))
  }

  tellDeleted(owner: Receiver): void {
    this.mailer.post(owner, words => words.mail('deleted', { site: this.urls.siteName }))
  }
}
