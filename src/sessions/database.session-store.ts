import { and, eq, gt, lte, ne } from 'drizzle-orm'
import { Database } from '../database/database.js'
import { sessions } from '../database/schema.js'
import { type Permissions, SOURCES, type Source } from '../permissions/permissions.js'
import type { Session } from './session.js'
import type { SessionHandle } from './session-id.js'
import { SessionStore } from './session-store.js'

/** Sessions in the database: the embedded default, which survives a restart with nothing to install. */
export class DatabaseSessionStore extends SessionStore {
  constructor(private readonly database: Database) {
    super()
  }

  async create(session: Session): Promise<void> {
    await this.database.run(db => db.insert(sessions).values(session))
  }

  async find(sid: SessionHandle, now: Date): Promise<Session | null> {
    const [row] = await this.database.run(db => db.select().from(sessions).where(isLive(sid, now)))
    return row ? asSession(row) : null
  }

  async touch(sid: SessionHandle, usedAt: Date): Promise<Session | null> {
    const [row] = await this.database.run(db =>
      db.update(sessions).set({ lastUsed: usedAt }).where(isLive(sid, usedAt)).returning(),
    )
    return row ? asSession(row) : null
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
        .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, now))),
    )
    return rows.map(asSession)
  }

  async setPermissions(userId: string, bySource: Readonly<Record<Source, Permissions>>): Promise<void> {
    await this.database.transaction(async transaction => {
      for (const source of SOURCES)
        await transaction
          .update(sessions)
          .set({ permissions: bySource[source] })
          .where(and(eq(sessions.userId, userId), eq(sessions.source, source)))
    })
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
