import { Injectable } from '@nestjs/common'
import { and, eq, gt } from 'drizzle-orm'
import { Clock } from '../clock/clock.js'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { oneTimeTokens, users } from '../database/schema.js'
import { OneTimeTokens } from '../links/one-time-tokens.js'

const LIFETIME_SECONDS = 24 * 60 * 60
/** More mails in a day would only bury the first. */
const MAX_A_DAY = 10

/** What a link is about. A type, not an interface, because it is stored as plain JSON. */
export type UnrecognizedLoginDetail = {
  readonly sid: string
  readonly device: string
  readonly network: string
  /** When the session began, and with it what somebody else may have done. */
  readonly since: string
}

/** Whose session it is. */
export interface AffectedSession {
  readonly userId: string
  readonly accountId: string
  readonly sid: string
  /** When it began; null for one that begins now. */
  readonly createdAt: Date | null
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
   * A new token and where to mail it. Null when the user is gone, or, unless `always`, has been told of this
   * session, or of ten sessions, within 24 hours.
   */
  issue(
    { userId, accountId, sid, createdAt }: AffectedSession,
    from: Pick<UnrecognizedLoginDetail, 'device' | 'network'>,
    { always = false } = {},
  ): Promise<{ email: string; token: string } | null> {
    const since = (createdAt ?? this.clock.now()).toISOString()
    return this.database.transaction(async transaction => {
      const [user] = await transaction.select({ email: users.email }).from(users).where(eq(users.id, userId))
      if (!user || (!always && (await this.hasBeenTold(transaction, userId, sid)))) return null
      const token = await this.tokens.issue(transaction, {
        purpose: 'not-me',
        email: user.email,
        userId,
        accountId,
        detail: { sid, since, ...from } satisfies UnrecognizedLoginDetail,
        lifetimeSeconds: LIFETIME_SECONDS,
      })
      return { email: user.email, token }
    })
  }

  /** The valid links tell what was mailed in the last 24 hours, whichever replica did it. */
  private async hasBeenTold(transaction: Db, userId: string, sid: string): Promise<boolean> {
    const isOfLastDay = and(
      eq(oneTimeTokens.userId, userId),
      eq(oneTimeTokens.purpose, 'not-me'),
      gt(oneTimeTokens.expiresAt, this.clock.now()),
    )
    const told = await transaction
      .select({ detail: oneTimeTokens.detail })
      .from(oneTimeTokens)
      .where(isOfLastDay)
    return told.length >= MAX_A_DAY || told.some(({ detail }) => detail.sid === sid)
  }
}
