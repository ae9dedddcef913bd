import { Injectable } from '@nestjs/common'
import { and, asc, desc, eq, gte, isNull, sql } from 'drizzle-orm'
import type { MailLanguage } from '../mail/language.js'
import { type Mail, NO_MAILS, type Recipient, type SendMails } from '../mail/mail.js'
import { Mailer } from '../mail/mailer.js'
import { SiteUrls } from '../mail/site-urls.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { users } from '../platform/database/schema/accounts.js'
import { auditLog } from '../platform/database/schema/audit.js'
import type { Client } from '../platform/http/request.js'
import type { Permission } from '../platform/permissions.js'
import { RateLimiter } from '../platform/rate-limits/rate-limiter.js'
import { Clock, secondsAfter } from '../platform/time.js'
import type { AfterCommit } from '../sessions/changes.js'
import { UserEmails } from './email-addresses.js'
import type { User } from './user.js'

/**
 * Administrators who are mailed besides the owner: those of longest standing, whom an attacker cannot displace by
 * adding others. Any account can have thousands, whose mails would delay all others.
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
   * first, however many mails are waiting, and is also mailed at earlier addresses that can still be restored, because
   * the current one may be an attacker's. With `permission`, to those who have that one instead.
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

/**
 * Permissions that reach beyond the holder's own work. Giving one needs a re-authentication: each of them can spend
 * the account's money, or lead to a user who can. `accountSettings` switches off the second factor for payments.
 */
export const SENSITIVE_PERMISSIONS = [
  'payments',
  'accountSettings',
  'teamManagement',
] as const satisfies readonly Permission[]
type SensitivePermission = (typeof SENSITIVE_PERMISSIONS)[number]

/** What a manager can change about what a member may do. */
type AccessChange = Partial<Pick<User, 'granted' | 'satellites' | 'disabledAt'>>

/**
 * An attacker who takes permissions away before removing a member must wait this long for the owner not to be mailed.
 */
const REMEMBERED_SECONDS = 7 * 24 * 60 * 60

/** More names than this would bury the message. */
const NAMED = 10

/**
 * Mails to the owner of an account about who may act for it, and where. They also go to earlier addresses of the owner that
 * can still be restored, because the present one may be an attacker's. Methods take the transaction of the change.
 */
@Injectable()
export class OwnerNotices {
  constructor(
    private readonly userEmails: UserEmails,
    private readonly mailer: Mailer,
    private readonly urls: SiteUrls,
    private readonly rateLimiter: RateLimiter,
    private readonly clock: Clock,
  ) {}

  /** An invitation was accepted; nothing is mailed about members without any {@link SensitivePermission}. */
  async memberJoined(transaction: Db, member: User, inviter: User): Promise<SendMails> {
    const permissions = sensitiveOf(member)
    if (permissions.length === 0) return NO_MAILS
    const recipients = await this.ownerOf(transaction, member.accountId)
    return this.aboutPermissions(recipients, 'memberJoined', { member, by: inviter, permissions })
  }

  /**
   * A manager changes a member, who is given as before the change; nothing is mailed if they gain no
   * {@link SensitivePermission}, or the same again and again within the hour. That is counted after the commit: a slow
   * Redis must not hold locks.
   */
  async memberGainedPermissions(
    transaction: Db,
    { manager, member }: { readonly manager: User; readonly member: User },
    change: AccessChange,
    { client }: { readonly client: Client },
  ): Promise<AfterCommit> {
    const had = sensitiveOf(member)
    const gained = sensitiveOf({ ...member, ...change }).filter(permission => !had.includes(permission))
    if (gained.length === 0) return NO_MAILS
    const recipients = await this.ownerOf(transaction, member.accountId)
    return async () => {
      const permissions = await this.unreported(gained, member, client)
      if (permissions.length > 0)
        this.aboutPermissions(recipients, 'memberGained', { member, by: manager, permissions })()
    }
  }

  /**
   * A manager removes a member who is granted any {@link SensitivePermission}, or was within the last week; also if it
   * has no effect because they are disabled, or limited to satellites. Mailed three times an hour for each manager,
   * counted after the commit.
   */
  async memberRemoved(
    transaction: Db,
    { manager, member }: { readonly manager: User; readonly member: User },
    { client }: { readonly client: Client },
  ): Promise<AfterCommit> {
    const lost = await this.recentlyLost(transaction, member)
    const permissions = SENSITIVE_PERMISSIONS.filter(
      permission => member.granted[permission] || lost.has(permission),
    )
    if (permissions.length === 0) return NO_MAILS
    const recipients = await this.ownerOf(transaction, member.accountId)
    const counted = { kind: 'privilege notice', subject: `${manager.id} removes`, client } as const
    return async () => {
      if (await this.rateLimiter.isAllowed(counted))
        this.aboutPermissions(recipients, 'memberRemoved', { member, by: manager, permissions })()
    }
  }

  /**
   * Members were disabled and satellites suspended, because an attacker may have given them access with this user's
   * login.
   */
  async grantsRevoked(
    transaction: Db,
    { email: user, accountId }: User,
    {
      members,
      origins,
    }: { readonly members: readonly { readonly email: string }[]; readonly origins: readonly string[] },
  ): Promise<SendMails> {
    const recipients = await this.ownerOf(transaction, accountId)
    const emails = members.map(({ email }) => email)
    const hosts = origins.map(origin => new URL(origin).host)
    return this.toAll(recipients, words => {
      const { mainSite } = this.urls
      const satellites = named(words, hosts, 'satellite.others')
      if (emails.length === 0) return words.mail('satellitesClosed', { ...mainSite, user, satellites })
      const values = { ...mainSite, inviter: user, members: named(words, emails, 'team.others') }
      const mail = words.mail('membersDisabled', values)
      const also = hosts.length > 0 ? [words.phrase('satellite.alsoClosed', { satellites })] : []
      return { ...mail, paragraphs: [...mail.paragraphs, ...also] }
    })
  }

  /** A satellite has become active that was not before, or whose origin another account has had since. */
  async satelliteActivated(
    transaction: Db,
    { by, origin, activatedAt }: { readonly by: User; readonly origin: string; readonly activatedAt: Date },
  ): Promise<SendMails> {
    const recipients = await this.ownerOf(transaction, by.accountId)
    return this.toAll(recipients, words =>
      words.mail('satelliteActivated', {
        site: this.urls.siteName,
        url: this.urls.satellitesPage(),
        by: by.email,
        host: new URL(origin).host,
        day: words.day(activatedAt),
        time: words.time(activatedAt),
      }),
    )
  }

  /**
   * Counted by member and permission alone: whatever else a manager does, the owner is mailed when a member gets a
   * permission that they have not had lately.
   */
  private async unreported(
    gained: readonly SensitivePermission[],
    { id }: User,
    client: Client,
  ): Promise<SensitivePermission[]> {
    const unreported: SensitivePermission[] = []
    for (const permission of gained)
      if (
        await this.rateLimiter.isAllowed({ kind: 'privilege notice', subject: `${id} ${permission}`, client })
      )
        unreported.push(permission)
    return unreported
  }

  private async recentlyLost(transaction: Db, { id, accountId }: User): Promise<ReadonlySet<string>> {
    const rows = await transaction
      .selectDistinct({ lost: sql<string>`jsonb_array_elements_text(${auditLog.detail} -> 'lost')` })
      .from(auditLog)
      .where(
        and(
          eq(auditLog.accountId, accountId),
          eq(auditLog.action, 'permissions.change'),
          eq(auditLog.userId, id),
          eq(auditLog.outcome, 'ok'),
          gte(auditLog.at, secondsAfter(this.clock.now(), -REMEMBERED_SECONDS)),
        ),
      )
    return new Set(rows.map(({ lost }) => lost))
  }

  private aboutPermissions(
    recipients: readonly Recipient[],
    name: 'memberJoined' | 'memberGained' | 'memberRemoved',
    {
      member,
      by,
      permissions,
    }: { readonly member: User; readonly by: User; readonly permissions: readonly SensitivePermission[] },
  ): SendMails {
    return this.toAll(recipients, words =>
      words.mail(name, {
        ...this.urls.mainSite,
        member: member.email,
        by: by.email,
        powers: words.list(permissions.map(permission => words.phrase(`power.${permission}`))),
      }),
    )
  }

  private async ownerOf(transaction: Db, accountId: string): Promise<readonly Recipient[]> {
    const isOwner = and(eq(users.accountId, accountId), eq(users.role, 'owner'))
    const [owner] = await transaction.select().from(users).where(isOwner)
    return owner ? this.userEmails.recipientsOf(transaction, owner as User) : []
  }

  private toAll(recipients: readonly Recipient[], write: (words: MailLanguage) => Mail): SendMails {
    return () => {
      for (const recipient of recipients) this.mailer.post(recipient, write)
    }
  }
}

/** A user who is limited to satellites has none: see `withinLimits`. */
function sensitiveOf(user: User): SensitivePermission[] {
  return user.satellites === null && !user.disabledAt
    ? SENSITIVE_PERMISSIONS.filter(permission => user.granted[permission])
    : []
}

/** At most ten of them, and how many more there are. */
function named(
  words: MailLanguage,
  all: readonly string[],
  others: 'team.others' | 'satellite.others',
): string {
  const first = all.slice(0, NAMED)
  const more = all.length - first.length
  return words.list(more > 0 ? [...first, words.phrase(others, { count: more })] : first)
}
