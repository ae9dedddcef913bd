import { and, eq, getTableColumns, gt, isNull, sql } from 'drizzle-orm'
import { alias, type PgUpdateSetSource } from 'drizzle-orm/pg-core'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { sessions } from '../platform/database/schema/sessions.js'
import { isAnyOf, removeExpiredRows } from '../platform/database/sql.js'
import { effectivePermissions, type Source } from '../platform/permissions.js'
import type { AuthMethods } from '../tokens/access-tokens.js'
import type { Session, SessionHandle } from './session.js'
import {
  type ClientAddress,
  type ReauthenticationStamp,
  SessionStore,
  type StoreChanges,
} from './session-store.js'
import type { UserSessions } from './user-sessions.js'

/** The row as it was before an UPDATE. */
const before = alias(sessions, 'before')

/** Sessions in the database: the default, which survives a restart and needs nothing else installed. */
export class DatabaseSessionStore extends SessionStore {
  constructor(
    private readonly database: Database,
    userSessions: UserSessions,
  ) {
    super(userSessions)
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
      db
        .update(sessions)
        .set({ lastUsed: usedAt })
        .from(before)
        .where(and(isLive(sid, usedAt), eq(before.sid, sessions.sid)))
        .returning({ ...getTableColumns(sessions), lastUsed: before.lastUsed }),
    )
    return row ? asSession(row) : null
  }

  async updateClient(
    sid: SessionHandle,
    from: ClientAddress,
    to: ClientAddress,
    now: Date,
  ): Promise<boolean> {
    const isAtFrom = and(
      eq(sessions.ip, from.ip),
      from.userAgent === null ? isNull(sessions.userAgent) : eq(sessions.userAgent, from.userAgent),
    )
    const updated = await this.database.run(db =>
      db
        .update(sessions)
        .set({ ip: to.ip, userAgent: to.userAgent })
        .where(and(isLive(sid, now), isAtFrom))
        .returning({ sid: sessions.sid }),
    )
    return updated.length === 1
  }

  stampReauthentication(
    sid: SessionHandle,
    { at, methods, movesAuthTime }: ReauthenticationStamp,
    now: Date,
  ): Promise<boolean> {
    const amr = sql`${sessions.amr} | ${methods}`
    return this.update(sid, now, { reauthenticatedAt: at, amr, ...(movesAuthTime && { authTime: at }) })
  }

  voidAuthentication(sid: SessionHandle, now: Date): Promise<boolean> {
    return this.update(sid, now, { reauthenticatedAt: null, authTime: new Date(0) })
  }

  async findAll(sids: readonly SessionHandle[], now: Date): Promise<Session[]> {
    const rows = await this.database.run(db =>
      db
        .select()
        .from(sessions)
        .where(and(isAnyOf(sessions.sid, sids), gt(sessions.expiresAt, now))),
    )
    const found = new Map(rows.map(row => [row.sid, asSession(row)]))
    return sids.flatMap(sid => found.get(sid) ?? [])
  }

  /** A database does not lose what it has committed, so {@link applyIn} was enough. */
  async apply(): Promise<void> {}

  async applyIn(transaction: Db, { ended, grants }: StoreChanges): Promise<void> {
    if (ended.length > 0) await transaction.delete(sessions).where(isAnyOf(sessions.sid, ended))
    for (const { sids, granted } of grants) {
      const ofSource = (source: Source) =>
        sql`${JSON.stringify(effectivePermissions(source, granted))}::jsonb`
      const permissions = sql`case when ${sessions.source} = 'main' then ${ofSource('main')} else ${ofSource('satellite')} end`
      await transaction.update(sessions).set({ permissions }).where(isAnyOf(sessions.sid, sids))
    }
  }

  async remove(sid: SessionHandle): Promise<boolean> {
    const removed = await this.database.run(db =>
      db.delete(sessions).where(eq(sessions.sid, sid)).returning({ sid: sessions.sid }),
    )
    return removed.length === 1
  }

  removeExpired(now: Date): Promise<number> {
    return removeExpiredRows(this.database, sessions, sessions.expiresAt, now)
  }

  ping(): Promise<void> {
    return this.database.ping()
  }

  /** False when the session is not live. */
  private async update(
    sid: SessionHandle,
    now: Date,
    values: PgUpdateSetSource<typeof sessions>,
  ): Promise<boolean> {
    const rows = await this.database.run(db =>
      db.update(sessions).set(values).where(isLive(sid, now)).returning({ sid: sessions.sid }),
    )
    return rows.length === 1
  }
}

function isLive(sid: SessionHandle, now: Date) {
  return and(eq(sessions.sid, sid), gt(sessions.expiresAt, now))
}

function asSession(row: typeof sessions.$inferSelect): Session {
  const { sid, amr, authTime, createdAt } = row
  return {
    ...row,
    sid: sid as SessionHandle,
    amr: amr as AuthMethods,
    authTime: authTime ?? createdAt,
  }
}
