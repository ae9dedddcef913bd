import { Injectable } from '@nestjs/common'
import { and, eq, gt, notInArray } from 'drizzle-orm'
import type { Recipient } from '../mail/mail.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { users } from '../platform/database/schema/accounts.js'
import { oneTimeTokens } from '../platform/database/schema/platform.js'
import type { OneTimeToken } from '../platform/one-time-tokens.js'
import { OneTimeTokens, openUndoLinksOf } from '../platform/one-time-tokens.js'
import { Clock, secondsAfter } from '../platform/time.js'

const DAY_SECONDS = 24 * 60 * 60
/** As long as a change of address can be undone: a user who reads no mail for a few days must not lose the account. */
const LIFETIME_SECONDS = 7 * DAY_SECONDS
/** More mails in a day would only bury the first. */
const MAX_A_DAY = 10

/** What a link is about. A type, not an interface, because it is stored as plain JSON. */
export type UnrecognizedLoginDetail = {
  readonly sid: string
  readonly device: string
  readonly network: string
  /** From when on an attacker may have acted; as a rule, when the session began. */
  readonly since: string
  /** Of the user; null if they had none. */
  readonly language: string | null
}

/** Whose session it is. */
export interface AffectedSession {
  readonly userId: string
  readonly accountId: string
  readonly sid: string
  /** From when on it may be an attacker's; as a rule, when it began; null for one that begins now. */
  readonly createdAt: Date | null
}

interface IssuedToken {
  readonly to: Recipient
  readonly token: string
}

/** `always`: even if the user has had many such mails. `transaction`: the one that records the event. */
export interface IssueOptions {
  readonly always?: boolean
  readonly transaction?: Db
}

/** Tokens of the links by which users report that something was not them. */
@Injectable()
export class UnrecognizedLoginTokens {
  constructor(
    private readonly database: Database,
    private readonly tokens: OneTimeTokens,
    private readonly clock: Clock,
  ) {}

  /**
   * A new token and where to mail it, stored in the transaction if there is one. Null when the user is gone, or,
   * unless `always`, has been mailed about this session, or about ten, within 24 hours.
   */
  issue(
    session: AffectedSession,
    from: Pick<UnrecognizedLoginDetail, 'device' | 'network'>,
    { always = false, transaction }: IssueOptions = {},
  ): Promise<IssuedToken | null> {
    const issue = (db: Db) => this.issueIn(db, session, from, always)
    return transaction ? issue(transaction) : this.database.transaction(issue)
  }

  /**
   * Like {@link earliestSince}: if an attacker had several sessions, the first one counts, whichever the user reports.
   * The links stop working, but for those to earlier addresses that can still be restored. Call it once the address is
   * restored: links to those that it replaces, which may be an attacker's, must not reach back any longer either.
   */
  async settle(transaction: Db, userId: string): Promise<Date | null> {
    const first = await this.earliestSince(transaction, userId)
    const { email } = oneTimeTokens
    const earlier = transaction
      .select({ email })
      .from(oneTimeTokens)
      .where(openUndoLinksOf([userId], this.clock.now()))
    await transaction.delete(oneTimeTokens).where(and(linksOf(userId), notInArray(email, earlier)))
    return first
  }

  /** The earliest `since` of the user's valid links; null when there are none. */
  async earliestSince(transaction: Db, userId: string): Promise<Date | null> {
    const { detail, expiresAt } = oneTimeTokens
    const links = await transaction
      .select({ detail })
      .from(oneTimeTokens)
      .where(and(linksOf(userId), gt(expiresAt, this.clock.now())))
    return earliest(links.map(sinceOf))
  }

  private async issueIn(
    transaction: Db,
    { userId, accountId, sid, createdAt }: AffectedSession,
    from: Pick<UnrecognizedLoginDetail, 'device' | 'network'>,
    always: boolean,
  ): Promise<IssuedToken | null> {
    const since = (createdAt ?? this.clock.now()).toISOString()
    const { email, language } = users
    const [user] = await transaction.select({ email, language }).from(users).where(eq(users.id, userId))
    if (!user || (!always && (await this.hasBeenTold(transaction, userId, user.email, sid)))) return null
    const token = await this.tokens.issue(transaction, {
      purpose: 'not-me',
      email: user.email,
      userId,
      accountId,
      detail: { sid, since, ...from, language: user.language } satisfies UnrecognizedLoginDetail,
      lifetimeSeconds: LIFETIME_SECONDS,
    })
    return { to: user, token }
  }

  /**
   * The links to the address show what was mailed there in the last 24 hours, whichever replica did it. What went to
   * another one may have been for an attacker.
   */
  private async hasBeenTold(transaction: Db, userId: string, address: string, sid: string): Promise<boolean> {
    const isOfLastDay = and(
      linksOf(userId),
      eq(oneTimeTokens.email, address),
      gt(oneTimeTokens.createdAt, secondsAfter(this.clock.now(), -DAY_SECONDS)),
    )
    const told = await transaction
      .select({ detail: oneTimeTokens.detail })
      .from(oneTimeTokens)
      .where(isOfLastDay)
    return told.length >= MAX_A_DAY || told.some(({ detail }) => detail.sid === sid)
  }
}

function linksOf(userId: string) {
  return and(eq(oneTimeTokens.userId, userId), eq(oneTimeTokens.purpose, 'not-me'))
}

/** From when on a report undoes what was done. */
export function sinceOf({ detail }: Pick<OneTimeToken, 'detail'>): Date {
  return new Date(detail.since as string)
}

/** Null when there is none. */
export function earliest(times: readonly (Date | null)[]): Date | null {
  const known = times.filter(time => time !== null)
  return known.length === 0 ? null : new Date(Math.min(...known.map(time => time.getTime())))
}
