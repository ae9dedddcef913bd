import { Injectable } from '@nestjs/common'
import { utcDay } from '../../mail/mail.js'
import { Mailer } from '../../mail/mailer.js'
import { SiteUrls } from '../../mail/site-urls.js'
import { PeopleInCharge } from '../../users/people-in-charge.js'

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
    const site = this.urls.siteName(null)
    return this.people.mail(accountId, {
      subject: `Your account at ${site} will be deleted`,
      site,
      paragraphs: [
        `The owner has asked us to delete your account at ${site} and everything in it. This will happen on ${utcDay(deleteAt)} at the earliest.`,
        'Until then everything works as usual, and the owner can still cancel the deletion.',
      ],
      action: { label: `Go to ${site}`, url: this.urls.frontPage() },
      footnote:
        'If you are the owner and did not ask for this, change your password now and cancel the deletion.',
    })
  }

  tellCancelled(accountId: string): Promise<void> {
    const site = this.urls.siteName(null)
    return this.people.mail(accountId, {
      subject: `Your account at ${site} will not be deleted`,
      site,
      paragraphs: [`The owner has cancelled the deletion of your account at ${site}.`],
    })
  }

  tellDeleted(email: string): void {
    const site = this.urls.siteName(null)
    this.mailer.post(email, {
      subject: `Your account at ${site} has been deleted`,
      site,
      paragraphs: [
        `At its owner's request, your account at ${site} has been deleted with everything in it. Nobody can log in to it any longer.`,
      ],
    })
  }
}
