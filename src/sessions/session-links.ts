import { Injectable } from '@nestjs/common'
import { and, eq, gt } from 'drizzle-orm'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { sessionLinks } from '../platform/database/schema/sessions.js'
import { removeExpiredRows } from '../platform/database/sql.js'
import { Clock } from '../platform/time.js'
import type { Session } from './session.js'

/**
 * Which satellite sessions came from which main-site session. Whatever ends the parent ends its children too:
 * SessionChangeLog does that.
 */
@Injectable()
export class SessionLinks {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Links a new session in the transaction that records it, which must have its parent locked. */
  async add(
    transaction: Db,
    { sid: childSid, userId, origin }: Session,
    { sid: parentSid, expiresAt }: Pick<Session, 'sid' | 'expiresAt'>,
  ): Promise<void> {
    const link = { childSid, parentSid, userId, origin: origin as string, expiresAt }
    await transaction.insert(sessionLinks).values(link)
  }

  /** Whether the user has logged in there by hand-off, and has not logged out since. */
  async isKnown(userId: string, origin: string): Promise<boolean> {
    const isOfUser = and(eq(sessionLinks.userId, userId), eq(sessionLinks.origin, origin))
    const [row] = await this.database.run(db =>
      db
        .select({ childSid: sessionLinks.childSid })
        .from(sessionLinks)
        .where(and(isOfUser, gt(sessionLinks.expiresAt, this.clock.now())))
        .limit(1),
    )
    return row !== undefined
  }

  /** Removes what has expired by `now`; returns how many rows. */
  removeExpired(now: Date): Promise<number> {
    return removeExpiredRows(this.database, sessionLinks, sessionLinks.expiresAt, now)
  }
}
