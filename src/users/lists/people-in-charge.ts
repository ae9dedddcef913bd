import { Injectable } from '@nestjs/common'
import { Database } from '../../database/database.js'
import type { Mail, Receiver } from '../../mail/mail.js'
import type { MailLanguage } from '../../mail/mail-language.js'
import { Mailer } from '../../mail/mailer.js'
import type { User } from '../user.js'
import { UserEmails } from '../user-emails.js'
import { Users } from '../users.js'
import type { UserCursor } from './user-cursor.js'

const USERS_A_PAGE = 100

/** Everybody who may change the settings of an account. */
@Injectable()
export class PeopleInCharge {
  constructor(
    private readonly users: Users,
    private readonly userEmails: UserEmails,
    private readonly mailer: Mailer,
    private readonly database: Database,
  ) {}

  /**
   * Mails all of them. Not the whole team, because hundreds of mails at once would delay everybody else's.
   * The owner is also told at earlier addresses that can still be restored, because the current one may be a
   * thief's.
   */
  async mail(accountId: string, write: (words: MailLanguage) => Mail): Promise<void> {
    for (let after: UserCursor | null = null; ; ) {
      const page: User[] = await this.users.listInCharge(accountId, after, USERS_A_PAGE)
      for (const user of page) for (const to of await this.receiversOf(user)) this.mailer.post(to, write)
      after = page.at(-1) ?? null
      if (page.length < USERS_A_PAGE) return
    }
  }

  private async receiversOf(user: User): Promise<Receiver[]> {
    if (user.role !== 'owner') return [user]
    return this.database.run(db => this.userEmails.receiversOf(db, user))
  }
}
