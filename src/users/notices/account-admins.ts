import { Injectable } from '@nestjs/common'
import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Db } from '../../database/connection.js'
import { Database } from '../../database/database.js'
import { users } from '../../database/schema/accounts.js'
import type { SendMails } from '../../mail/after-commit-mail.js'
import type { Mail, Receiver } from '../../mail/mail.js'
import type { MailLanguage } from '../../mail/mail-language.js'
import { Mailer } from '../../mail/mailer.js'
import type { User } from '../user.js'
import { UserEmails } from '../user-emails.js'

/** The administrators of accounts: who can log in on the main site and has `accountSettings`, as the owner has. */
@Injectable()
export class AccountAdmins {
  constructor(
    private readonly userEmails: UserEmails,
    private readonly mailer: Mailer,
    private readonly database: Database,
  ) {}

  /** Mails all of them, as they are now. */
  async mail(accountId: string, write: (words: MailLanguage) => Mail): Promise<void> {
    const post = await this.database.run(db => this.notice(db, accountId, write))
    post()
  }

  /**
   * A mail to all of them, as they are in this transaction. Not to the whole team, because hundreds of mails at
   * once would delay everybody else's. The owner is also told at earlier addresses that can still be restored,
   * because the current one may be a thief's.
   */
  async notice(transaction: Db, accountId: string, write: (words: MailLanguage) => Mail): Promise<SendMails> {
    const receivers: Receiver[] = []
    for (const user of await adminsOf(transaction, accountId))
      if (user.role === 'owner') receivers.push(...(await this.userEmails.receiversOf(transaction, user)))
      else receivers.push(user)
    return () => {
      for (const to of receivers) this.mailer.post(to, write)
    }
  }
}

/** Oldest first. */
async function adminsOf(db: Db, accountId: string): Promise<User[]> {
  const { granted, disabledAt, satellites, createdAt, id } = users
  const isAdmin = sql`(${granted} ->> 'accountSettings')::boolean`
  const canLogIn = and(isNull(disabledAt), isNull(satellites))
  const rows = await db
    .select()
    .from(users)
    .where(and(eq(users.accountId, accountId), isAdmin, canLogIn))
    .orderBy(createdAt, id)
  return rows as User[]
}
