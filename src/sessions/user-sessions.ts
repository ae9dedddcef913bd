import { Injectable } from '@nestjs/common'
import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { removeExpiredRows } from '../database/remove-expired-rows.js'
import { userSessions, users } from '../database/schema.js'
import type { Session } from './session.js'
import type { SessionHandle } from './session-id.js'

/**
 * Which sessions each user has, in the database. The store of the sessions can lose its newest writes, and in a cluster
 * a user's sessions lie on several servers; what is here is complete, so "end all" misses none.
 */
@Injectable()
export class UserSessions {
  constructor(private readonly database: Database) {}

  /** Adds the row of a new session, as a part of the statement that confirms its login: once for each row of `found`. */
  insertFor({ sid, userId, expiresAt }: Session, found: SQL): SQL {
    const { sid: sidColumn, userId: userColumn, expiresAt: expiryColumn } = userSessions
    const columns = [sidColumn, userColumn, expiryColumn].map(({ name }) => sql.identifier(name))
    const values = [
      sql.param(sid, sidColumn),
      sql.param(userId, userColumn),
      sql.param(expiresAt, expiryColumn),
    ]
    return sql`insert into ${userSessions} (${sql.join(columns, sql`, `)}) select ${sql.join(values, sql`, `)} from ${found}`
  }

  /** The handles of the user's sessions that have not expired, those opened first at the front. The store may have lost some. */
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

  /** How many sessions of the user have not expired. */
  count(userId: string, now: Date): Promise<number> {
    return this.database.run(db => db.$count(userSessions, isLiveOf(userId, now)))
  }

  /** Whether the session is still one of its user's: neither ended nor expired and cleared away. */
  async has(db: Db, sid: SessionHandle): Promise<boolean> {
    const [row] = await db
      .select({ sid: userSessions.sid })
      .from(userSessions)
      .where(eq(userSessions.sid, sid))
    return row !== undefined
  }

  /** Whose session it is; null when it has ended, has expired and was cleared away, or its user is gone. */
  async ownerOf(
    db: Db,
    sid: SessionHandle,
  ): Promise<{ readonly userId: string; readonly accountId: string } | null> {
    const [row] = await db
      .select({ userId: users.id, accountId: users.accountId })
      .from(userSessions)
      .innerJoin(users, eq(users.id, userSessions.userId))
      .where(eq(userSessions.sid, sid))
    return row ?? null
  }

  /** Takes the row of a session away that never came to be used. Not for a session that somebody holds: see SessionChanges. */
  async forget(sid: SessionHandle): Promise<void> {
    await this.database.run(db => db.delete(userSessions).where(eq(userSessions.sid, sid)))
  }

  /** Clears away what expired at `now` or before; says how many rows. */
  removeExpired(now: Date): Promise<number> {
    return removeExpiredRows(this.database, userSessions, userSessions.expiresAt, now)
  }
}

function isLiveOf(userId: string, now: Date): SQL | undefined {
  return and(eq(userSessions.userId, userId), gt(userSessions.expiresAt, now))
}
