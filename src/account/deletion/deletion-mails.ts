import { Injectable } from '@nestjs/common'
import { Database } from '../../database/database.js'
import { type Mail, utcDay } from '../../mail/mail.js'
import { Mailer } from '../../mail/mailer.js'
import { SiteUrls } from '../../mail/site-urls.js'
import type { User } from '../../users/user.js'
import { UserEmails } from '../../users/user-emails.js'
import { type UserCursor, Users } from '../../users/users.js'

const USERS_A_PAGE = 100

/** The mails about the deletion of an account. */
@Injectable()
export class DeletionMails {
  constructor(
    private readonly mailer: Mailer,
    private readonly urls: SiteUrls,
    private readonly users: Users,
    private readonly userEmails: UserEmails,
    private readonly database: Database,
  ) {}

  /** Throws `MAIL_UNAVAILABLE` where mail is not configured. */
  require(): void {
    this.mailer.requireMail()
  }

  tellRequested(accountId: string, deleteAt: Date): Promise<void> {
    const site = this.urls.siteName(null)
    return this.tellThoseInCharge(accountId, {
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
    return this.tellThoseInCharge(accountId, {
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

  /**
   * Everybody who may change the account's settings. Not the whole team: hundreds of mails at once would
   * delay everybody else's. The owner is also told at earlier addresses that can still come back, because the
   * present one may be a thief's.
   */
  private async tellThoseInCharge(accountId: string, mail: Mail): Promise<void> {
    for (let after: UserCursor | null = null; ; ) {
      const page: User[] = await this.users.listInCharge(accountId, after, USERS_A_PAGE)
      for (const user of page) for (const email of await this.addressesOf(user)) this.mailer.post(email, mail)
      after = page.at(-1) ?? null
      if (page.length < USERS_A_PAGE) return
    }
  }

  private async addressesOf(user: User): Promise<string[]> {
    if (user.role !== 'owner') return [user.email]
    return this.database.run(db => this.userEmails.addressesOf(db, user))
  }
}
