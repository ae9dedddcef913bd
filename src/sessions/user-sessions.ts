import { Injectable } from '@nestjs/common'
import { and, asc, eq, gt, inArray, type SQL } from 'drizzle-orm'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { users } from '../platform/database/schema/accounts.js'
import { sessionLinks, userSessions } from '../platform/database/schema/sessions.js'
import { removeExpiredRows } from '../platform/database/sql.js'
import { secondsAfter } from '../platform/time.js'
import type { Session, SessionHandle } from './session.js'

/** Long enough to tell a page that slept overnight why its session is over. */
const KEPT_AFTER_EXPIRY_SECONDS = 24 * 3_600

/** A session with its user. */
export type OwnedSession = Pick<Session, 'sid' | 'userId' | 'accountId'>

/**
 * Which sessions each user has, in the database. Redis can lose its newest writes, and in a cluster a user's
 * sessions are on several servers; this list is complete, so "end all" misses none.
 */
@Injectable()
export class UserSessions {
  constructor(private readonly database: Database) {}

  /** Adds the row of a new session. */
  async add(
    db: Db,
    { sid, userId, expiresAt }: Pick<Session, 'sid' | 'userId' | 'expiresAt'>,
  ): Promise<void> {
    await db.insert(userSessions).values({ sid, userId, expiresAt })
  }

  /** How many unexpired sessions the user has. */
  countLive(db: Db, userId: string, now: Date): Promise<number> {
    return db.$count(userSessions, isLiveOf(userId, now))
  }

  /** The handles of the user's unexpired sessions, oldest first. The store may have lost some. */
  async sidsOf(userId: string, now: Date): Promise<SessionHandle[]> {
    const rows = await this.database.run(db =>
      db
        .select({ sid: userSessions.sid })
        .from(userSessions)
        .where(isLiveOf(userId, now))
        .orderBy(asc(userSessions.position)),
    )
    return rows.map(({ sid }) => sid as SessionHandle)
  }

  /** Whether the session is still listed: neither ended nor expired and removed. */
  async has(db: Db, sid: SessionHandle): Promise<boolean> {
    const [row] = await db
      .select({ sid: userSessions.sid })
      .from(userSessions)
      .where(eq(userSessions.sid, sid))
    return row !== undefined
  }

  /** Like {@link has}, and locks it so that nobody can end it until the transaction ends. */
  async hasLocked(transaction: Db, sid: SessionHandle): Promise<boolean> {
    const [row] = await transaction
      .select({ sid: userSessions.sid })
      .from(userSessions)
      .where(eq(userSessions.sid, sid))
      .for('share')
    return row !== undefined
  }

  /** The owners of these sessions, without those that have ended or been removed, or whose user is gone. */
  async ownersOf(db: Db, sids: readonly SessionHandle[]): Promise<OwnedSession[]> {
    const rows = await db
      .select({ sid: userSessions.sid, userId: users.id, accountId: users.accountId })
      .from(userSessions)
      .innerJoin(users, eq(users.id, userSessions.userId))
      .where(inArray(userSessions.sid, [...sids]))
      .orderBy(asc(userSessions.position))
    return rows.map(row => ({ ...row, sid: row.sid as SessionHandle }))
  }

  /** Removes the row of a session that was never used. Not for one that a client holds: see SessionChanges. */
  async forget(sid: SessionHandle): Promise<void> {
    await this.database.run(async db => {
      await db.delete(sessionLinks).where(eq(sessionLinks.childSid, sid))
      await db.delete(userSessions).where(eq(userSessions.sid, sid))
    })
  }

  /**
   * Removes what expired a day before `now` or earlier, so that people who come back within a day can be
   * told; returns how many rows.
   */
  removeExpired(now: Date): Promise<number> {
    const before = secondsAfter(now, -KEPT_AFTER_EXPIRY_SECONDS)
    return removeExpiredRows(this.database, userSessions, userSessions.expiresAt, before)
  }
}

function isLiveOf(userId: string, now: Date): SQL | undefined {
  return and(eq(userSessions.userId, userId), gt(userSessions.expiresAt, now))
}
