import { Injectable } from '@nestjs/common'
import { and, eq } from 'drizzle-orm'
import type { Db } from '../../database/connection.js'
import { users } from '../../database/schema.js'
import type { Client } from '../../http/client.js'
import type { Mail } from '../../mail/mail.js'
import type { MailLanguage } from '../../mail/mail-language.js'
import { Mailer } from '../../mail/mailer.js'
import { SiteUrls } from '../../mail/site-urls.js'
import type { Permission } from '../../permissions/permissions.js'
import { RateLimiter } from '../../rate-limits/rate-limiter.js'
import type { User } from '../user.js'
import { UserEmails } from '../user-emails.js'
import { NOTHING_TO_POST, type Posting } from './posting.js'

/** Permissions that reach beyond the holder's own work. */
const POWERS = ['payments', 'accountSettings', 'teamManagement'] as const satisfies readonly Permission[]
export type Power = (typeof POWERS)[number]

/** What a manager has changed about a member. */
export interface Gain {
  readonly before: User
  readonly after: User
  readonly manager: User
  readonly client: Client
}

/** More names than this would bury the message. */
const NAMED = 10

/**
 * Mails to the owner of an account about who may act for it. They also go to earlier addresses of the owner that
 * can still be restored, because the present one may be a thief's. Methods take the transaction of the change.
 */
@Injectable()
export class OwnerNotices {
  constructor(
    private readonly userEmails: UserEmails,
    private readonly mailer: Mailer,
    private readonly urls: SiteUrls,
    private readonly rateLimiter: RateLimiter,
  ) {}

  /** Somebody has accepted an invitation; nothing is mailed about members without any {@link Power}. */
  aboutJoined(transaction: Db, member: User, inviter: User): Promise<Posting> {
    return this.aboutPowers(transaction, 'memberJoined', { member, by: inviter, powers: powersOf(member) })
  }

  /**
   * A manager has changed a member; nothing is mailed if they have gained no {@link Power}, or the same again and
   * again within the hour.
   */
  async aboutGained(transaction: Db, { before, after, manager, client }: Gain): Promise<Posting> {
    const had = powersOf(before)
    const powers: Power[] = []
    for (const power of powersOf(after))
      if (!had.includes(power) && (await this.isStillNews(after, power, client))) powers.push(power)
    return this.aboutPowers(transaction, 'memberGained', { member: after, by: manager, powers })
  }

  /** Members were disabled because a stranger may have invited them with this user's login. */
  aboutDisabled(
    transaction: Db,
    inviter: User,
    members: readonly { readonly email: string }[],
  ): Promise<Posting> {
    if (members.length === 0) return Promise.resolve(NOTHING_TO_POST)
    return this.toOwner(transaction, inviter.accountId, words => {
      const named = members.slice(0, NAMED).map(({ email }) => email)
      const more = members.length - named.length
      const others = more > 0 ? [words.phrase('team.others', { count: more })] : []
      return words.mail('membersDisabled', {
        ...this.site,
        inviter: inviter.email,
        members: words.list([...named, ...others]),
      })
    })
  }

  /**
   * Counted by member and power alone: whatever else a manager does, the owner is told when somebody gets a power
   * that they have not had lately.
   */
  private isStillNews({ id }: User, power: Power, client: Client): Promise<boolean> {
    return this.rateLimiter.isAllowed({ kind: 'power notice', subject: `${id} ${power}`, client })
  }

  private async aboutPowers(
    transaction: Db,
    name: 'memberJoined' | 'memberGained',
    { member, by, powers }: { readonly member: User; readonly by: User; readonly powers: readonly Power[] },
  ): Promise<Posting> {
    if (powers.length === 0) return NOTHING_TO_POST
    return this.toOwner(transaction, member.accountId, words =>
      words.mail(name, {
        ...this.site,
        member: member.email,
        by: by.email,
        powers: words.list(powers.map(power => words.phrase(`power.${power}`))),
      }),
    )
  }

  private get site() {
    return { site: this.urls.siteName, url: this.urls.frontPage() }
  }

  private async toOwner(
    transaction: Db,
    accountId: string,
    write: (words: MailLanguage) => Mail,
  ): Promise<Posting> {
    const isOwner = and(eq(users.accountId, accountId), eq(users.role, 'owner'))
    const [owner] = await transaction.select().from(users).where(isOwner)
    const receivers = owner ? await this.userEmails.receiversOf(transaction, owner as User) : []
    return () => {
      for (const receiver of receivers) this.mailer.post(receiver, write)
    }
  }
}

/** Somebody who is limited to satellites has none: see `withinLimits`. */
function powersOf({ granted, satellites, disabledAt }: User): Power[] {
  return satellites === null && !disabledAt ? POWERS.filter(power => granted[power]) : []
}
