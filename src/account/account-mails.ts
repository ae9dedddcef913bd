import { Injectable } from '@nestjs/common'
import { Settings } from '../config/settings.js'
import { Database } from '../database/database.js'
import type { Mail } from '../mail/mail.js'
import { Mailer } from '../mail/mailer.js'
import { SiteUrls } from '../mail/site-urls.js'
import { UndoTokens } from '../users/links/undo-tokens.js'
import type { User } from '../users/user.js'
import { type UserCursor, Users } from '../users/users.js'
import { accountDeletedMail, accountKeptMail, deletionAskedMail } from './deletion/account-deletion.mail.js'

const USERS_A_PAGE = 100

/** The mails about an account as a whole. */
@Injectable()
export class AccountMails {
  constructor(
    private readonly mailer: Mailer,
    private readonly links: SiteUrls,
    private readonly users: Users,
    private readonly undoTokens: UndoTokens,
    private readonly database: Database,
    private readonly settings: Settings,
  ) {}

  /** Throws `MAIL_UNAVAILABLE` where mail is not configured. */
  require(): void {
    this.mailer.requireMail()
  }

  tellDeletionAsked(accountId: string, deleteAt: Date): Promise<void> {
    const url = this.links.toSite(this.settings.mainOrigin)
    return this.tellThoseInCharge(accountId, deletionAskedMail(this.site, url, deleteAt))
  }

  tellKept(accountId: string): Promise<void> {
    return this.tellThoseInCharge(accountId, accountKeptMail(this.site))
  }

  tellDeleted(email: string): void {
    this.mailer.post(email, accountDeletedMail(this.site))
  }

  private get site(): string {
    return this.links.siteName(null)
  }

  /**
   * Not sent to the whole team: hundreds of mails at once would delay everybody else's. The owner is also
   * told at earlier addresses that can still come back, because the present one may be a thief's.
   */
  private async tellThoseInCharge(accountId: string, mail: Mail): Promise<void> {
    for (let after: UserCursor | null = null; ; ) {
      const page: User[] = await this.users.listInCharge(accountId, after, USERS_A_PAGE)
      for (const user of page) for (const email of await this.addressesOf(user)) this.mailer.post(email, mail)
      after = page.at(-1) ?? null
      if (page.length < USERS_A_PAGE) return
    }
  }

  private async addressesOf({ id, email, role }: User): Promise<string[]> {
    if (role !== 'owner') return [email]
    return [email, ...(await this.database.run(db => this.undoTokens.openAddresses(db, id)))]
  }
}
