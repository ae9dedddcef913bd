import { Injectable } from '@nestjs/common'
import { and, asc, desc, eq, isNull, sql } from 'drizzle-orm'
import type { MailLanguage } from '../../mail/language.js'
import { type Mail, type Recipient, type SendMails } from '../../mail/mail.js'
import { Mailer } from '../../mail/mailer.js'
import type { Db } from '../../platform/database/connection.js'
import { Database } from '../../platform/database/database.js'
import { users } from '../../platform/database/schema/accounts.js'
import type { Permission } from '../../platform/permissions.js'
import type { User } from '../user.js'
import { UserEmails } from '../user-emails.js'

/**
 * Administrators who are mailed besides the owner: those of longest standing, whom a thief cannot displace by adding
 * others. Anybody can have an account with thousands, whose mails would delay everybody else's.
 */
const MAILED_BESIDES_OWNER = 20

/** The administrators of accounts: who can log in on the main site and has `accountSettings`, as the owner has. */
@Injectable()
export class AccountAdmins {
  constructor(
    private readonly userEmails: UserEmails,
    private readonly mailer: Mailer,
    private readonly database: Database,
  ) {}

  /** Mails the owner and the first others, as they are now. */
  async mail(accountId: string, write: (words: MailLanguage) => Mail): Promise<void> {
    const post = await this.database.run(db => this.notice(db, accountId, write))
    post()
  }

  /**
   * A mail to the owner and {@link MAILED_BESIDES_OWNER} others, as they are in this transaction. The owner comes
   * first, however many mails are waiting, and is also told at earlier addresses that can still be restored, because
   * the current one may be a thief's. With `permission`, to those who have that one instead.
   */
  async notice(
    transaction: Db,
    accountId: string,
    write: (words: MailLanguage) => Mail,
    permission: Permission = 'accountSettings',
  ): Promise<SendMails> {
    const admins = await mailedAdminsOf(transaction, accountId, permission)
    const owner = admins.find(({ role }) => role === 'owner')
    const ofOwner: readonly Recipient[] = owner ? await this.userEmails.recipientsOf(transaction, owner) : []
    const others = admins.filter(({ role }) => role !== 'owner').slice(0, MAILED_BESIDES_OWNER)
    return () => {
      for (const to of ofOwner) this.mailer.post(to, write)
      for (const to of others) this.mailer.postToOneOfMany(to, write)
    }
  }
}

/** The owner, then the others, oldest first. */
async function mailedAdminsOf(db: Db, accountId: string, permission: Permission): Promise<User[]> {
  const { granted, disabledAt, satellites, role, createdAt, id } = users
  const isAdmin = sql`(${granted} ->> ${permission})::boolean`
  const canLogIn = and(isNull(disabledAt), isNull(satellites))
  const rows = await db
    .select()
    .from(users)
    .where(and(eq(users.accountId, accountId), isAdmin, canLogIn))
    .orderBy(desc(eq(role, 'owner')), asc(createdAt), asc(id))
    .limit(1 + MAILED_BESIDES_OWNER)
  return rows as User[]
}
