import { and, eq, getTableColumns, gt, isNull, lte, ne, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { Database } from '../database/database.js'
import { sessions } from '../database/schema.js'
import type { Permissions, Source } from '../permissions/permissions.js'
import type { Session } from './session.js'
import type { SessionHandle } from './session-id.js'
import { SessionStore, type Whereabouts } from './session-store.js'

/** The row that an UPDATE replaces. */
const before = alias(sessions, 'before')

/** Sessions in the database: the embedded default, which survives a restart with nothing to install. */
export class DatabaseSessionStore extends SessionStore {
  constructor(private readonly database: Database) {
    super()
  }

  async create(session: Session): Promise<number> {
    const isOfUser = and(eq(sessions.userId, session.userId), gt(sessions.expiresAt, session.createdAt))
    await this.database.run(db => db.insert(sessions).values(session))
    // A statement of its own: the other would not see what others insert at the same time.
    return this.database.run(db => db.$count(sessions, isOfUser))
  }

  async find(sid: SessionHandle, now: Date): Promise<Session | null> {
    const [row] = await this.database.run(db => db.select().from(sessions).where(isLive(sid, now)))
    return row ? asSession(row) : null
  }

  async touch(sid: SessionHandle, usedAt: Date): Promise<Session | null> {
    const [row] = await this.database.run(db =>
      db
        .update(sessions)
        .set({ lastUsed: usedAt })
        .from(before)
        .where(and(isLive(sid, usedAt), eq(before.sid, sessions.sid)))
        .returning({ ...getTableColumns(sessions), lastUsed: before.lastUsed }),
    )
    return row ? asSession(row) : null
  }

  async move(sid: SessionHandle, from: Whereabouts, to: Whereabouts, now: Date): Promise<boolean> {
    const isThere = and(
      eq(sessions.ip, from.ip),
      from.userAgent === null ? isNull(sessions.userAgent) : eq(sessions.userAgent, from.userAgent),
    )
    const moved = await this.database.run(db =>
      db
        .update(sessions)
        .set({ ip: to.ip, userAgent: to.userAgent })
        .where(and(isLive(sid, now), isThere))
        .returning({ sid: sessions.sid }),
    )
    return moved.length === 1
  }

  async stampReauthentication(sid: SessionHandle, at: Date | null, now: Date): Promise<boolean> {
    const stamped = await this.database.run(db =>
      db
        .update(sessions)
        .set({ reauthenticatedAt: at })
        .where(isLive(sid, now))
        .returning({ sid: sessions.sid }),
    )
    return stamped.length === 1
  }

  async listByUser(userId: string, now: Date): Promise<Session[]> {
    const rows = await this.database.run(db =>
      db
        .select()
        .from(sessions)
        .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, now)))
        .orderBy(sessions.lastUsed, sessions.createdAt, sessions.sid),
    )
    return rows.map(asSession)
  }

  async setPermissions(userId: string, bySource: Readonly<Record<Source, Permissions>>): Promise<void> {
    const ofSource = (source: Source) => sql`${JSON.stringify(bySource[source])}::jsonb`
    const permissions = sql`case when ${sessions.source} = 'main' then ${ofSource('main')} else ${ofSource('satellite')} end`
    await this.database.run(db => db.update(sessions).set({ permissions }).where(eq(sessions.userId, userId)))
  }

  async remove(sid: SessionHandle): Promise<boolean> {
    const removed = await this.database.run(db =>
      db.delete(sessions).where(eq(sessions.sid, sid)).returning({ sid: sessions.sid }),
    )
    return removed.length === 1
  }

  async removeByUser(userId: string, createdUntil: Date, keep?: SessionHandle): Promise<number> {
    const isToEnd = and(
      eq(sessions.userId, userId),
      lte(sessions.createdAt, createdUntil),
      keep && ne(sessions.sid, keep),
    )
    const removed = await this.database.run(db =>
      db.delete(sessions).where(isToEnd).returning({ sid: sessions.sid }),
    )
    return removed.length
  }

  async removeExpired(now: Date): Promise<number> {
    const removed = await this.database.run(db =>
      db.delete(sessions).where(lte(sessions.expiresAt, now)).returning({ sid: sessions.sid }),
    )
    return removed.length
  }

  ping(): Promise<void> {
    return this.database.ping()
  }

  /** A database keeps what it has committed: telling it once is enough. */
  beforeServing(replay: () => Promise<void>): Promise<void> {
    return replay()
  }
}

function isLive(sid: SessionHandle, now: Date) {
  return and(eq(sessions.sid, sid), gt(sessions.expiresAt, now))
}

function asSession(row: typeof sessions.$inferSelect): Session {
  return { ...row, sid: row.sid as SessionHandle }
}
