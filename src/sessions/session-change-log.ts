import { Injectable } from '@nestjs/common'
import { and, asc, eq, gt, gte, isNotNull, isNull, lte, ne, or } from 'drizzle-orm'
import { secondsAfter } from '../clock/clock.js'
import { Settings } from '../config/settings.js'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { sessionChanges, users } from '../database/schema.js'
import { limitedTo } from '../permissions/permissions.js'
import type { Session } from './session.js'
import type { SessionChange } from './session-change.js'
import type { SessionHandle } from './session-id.js'

/** A change as it was decided at `at`. */
export interface RecordedChange {
  readonly id: number
  readonly change: SessionChange
  readonly at: Date
}

const ROWS_A_PAGE = 1_000

/** The changes that can still concern a live session, in the database. */
@Injectable()
export class SessionChangeLog {
  constructor(
    private readonly database: Database,
    private readonly settings: Settings,
  ) {}

  /**
   * Adds a change; null when a session that was ended is ended again. Of a user's grants only the latest is kept: a
   * replay of the one before would give back, for a moment, what was taken. A grant is recorded as far as the user's
   * account is entitled to it now.
   */
  async add(transaction: Db, wanted: SessionChange, at: Date): Promise<RecordedChange | null> {
    const change = await asEntitled(transaction, wanted)
    if (change.kind === 'regrant') await transaction.delete(sessionChanges).where(isGrantOf(change.userId))
    const [row] = await transaction
      .insert(sessionChanges)
      .values(rowOf(change, at, secondsAfter(at, this.settings.sessionTtlSeconds)))
      .onConflictDoNothing()
      .returning()
    return row ? asRecorded(row) : null
  }

  /** At most 1,000 changes after the one of this id that matter at `now`, oldest first. */
  async pageAfter(id: number, now: Date): Promise<RecordedChange[]> {
    const isNext = and(gt(sessionChanges.id, id), gt(sessionChanges.until, now))
    const rows = await this.database.run(db =>
      db.select().from(sessionChanges).where(isNext).orderBy(asc(sessionChanges.id)).limit(ROWS_A_PAGE),
    )
    return rows.map(asRecorded)
  }

  /** What the user was granted last, if that was after the change of this id; null otherwise. */
  async grantAfter(id: number, userId: string): Promise<RecordedChange | null> {
    const [row] = await this.database.run(db =>
      db
        .select()
        .from(sessionChanges)
        .where(and(isGrantOf(userId), gt(sessionChanges.id, id))),
    )
    return row ? asRecorded(row) : null
  }

  /** Whether one of the changes ends this session. */
  async hasEnded(transaction: Db, { sid, userId, createdAt }: Session): Promise<boolean> {
    const isAmongAll = and(
      eq(sessionChanges.userId, userId),
      isNull(sessionChanges.granted),
      // Sessions keep whole seconds: one of the same second may be the newer.
      gte(sessionChanges.at, secondsAfter(createdAt, 1)),
      or(isNull(sessionChanges.keep), ne(sessionChanges.keep, sid)),
    )
    const [row] = await transaction
      .select({ id: sessionChanges.id })
      .from(sessionChanges)
      .where(or(eq(sessionChanges.sid, sid), isAmongAll))
      .limit(1)
    return row !== undefined
  }

  /** Forgets what can concern no live session any more; says how many changes. */
  async removeExpired(now: Date): Promise<number> {
    const removed = await this.database.run(db =>
      db.delete(sessionChanges).where(lte(sessionChanges.until, now)).returning({ id: sessionChanges.id }),
    )
    return removed.length
  }
}

/** Whoever changes a grant holds the user's row, as whoever changes the limit does. */
async function asEntitled(transaction: Db, change: SessionChange): Promise<SessionChange> {
  if (change.kind !== 'regrant') return change
  const [user] = await transaction
    .select({ entitled: users.entitled })
    .from(users)
    .where(eq(users.id, change.userId))
  return { ...change, granted: limitedTo(user?.entitled ?? null, change.granted) }
}

function isGrantOf(userId: string) {
  return and(eq(sessionChanges.userId, userId), isNotNull(sessionChanges.granted))
}

function rowOf(change: SessionChange, at: Date, until: Date): typeof sessionChanges.$inferInsert {
  return {
    sid: change.kind === 'end' ? change.sid : null,
    userId: change.kind === 'end' ? null : change.userId,
    keep: change.kind === 'end-all' ? (change.keep ?? null) : null,
    granted: change.kind === 'regrant' ? change.granted : null,
    at,
    until,
  }
}

function asRecorded(row: typeof sessionChanges.$inferSelect): RecordedChange {
  return { id: row.id, at: row.at, change: asChange(row) }
}

function asChange({ sid, userId, keep, granted }: typeof sessionChanges.$inferSelect): SessionChange {
  if (sid !== null) return { kind: 'end', sid: sid as SessionHandle }
  const user = { userId: userId as string }
  if (granted !== null) return { kind: 'regrant', ...user, granted }
  return { kind: 'end-all', ...user, ...(keep !== null && { keep: keep as SessionHandle }) }
}
