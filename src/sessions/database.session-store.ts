import { and, asc, eq, getTableColumns, gt, inArray, isNull, lt, or, type SQL, sql } from 'drizzle-orm'
import { alias, type PgUpdateSetSource } from 'drizzle-orm/pg-core'
import type { Db } from '../platform/database/connection.js'
import type { Database } from '../platform/database/database.js'
import { accounts, users } from '../platform/database/schema/accounts.js'
import { sessionChanges, sessionCopies, sessions } from '../platform/database/schema/sessions.js'
import { isAnyOf, removeExpiredRows, removeRows } from '../platform/database/sql.js'
import { unavailable } from '../platform/errors/api-error.js'
import { FairQueue, turnOf } from '../platform/fair-queue.js'
import type { Client } from '../platform/http/request.js'
import {
  effectivePermissions,
  type GrantLimits,
  type Permissions,
  withinLimits,
} from '../platform/permissions.js'
import { secondsAfter } from '../platform/time.js'
import type { AuthMethods } from '../tokens/access-tokens.js'
import { CHANGES_KEPT_SECONDS } from './change-feed.js'
import { type IdleTimeouts, isIdle, type Session, type SessionHandle } from './session.js'
import {
  type ChangedSessions,
  type ClientAddress,
  type OwnedSession,
  type ReauthenticationStamp,
  SessionStore,
} from './session-store.js'

/** Long enough to tell a page that slept overnight why its session is over. */
const KEPT_AFTER_EXPIRY_SECONDS = 24 * 3_600

/** How many refreshes may wait for each one that the database is working on, and for how long. */
const WAITING_FOR_EACH = 25
const MAX_QUEUED_MS = 500

/** The row as it was before an UPDATE. */
const before = alias(sessions, 'before')

const { endedAt: _, endedIdle: __, position: ___, ...SESSION } = getTableColumns(sessions)
/** What decides what a user's sessions may do. */
const GRANT = {
  granted: users.granted,
  entitled: accounts.entitled,
  satellites: users.satellites,
  mustEnrol: users.mustEnrol,
  accountIdleSeconds: accounts.idleSeconds,
}

/** A session with what decides what it may do. */
type SessionRow = Pick<typeof sessions.$inferSelect, keyof typeof SESSION> &
  GrantLimits & { readonly granted: Permissions; readonly accountIdleSeconds: number | null }

/** A session as it is in the database, and what its copy must say: see ChangeFeed. */
export interface ReadSession {
  readonly session: Session
  /** Of the database that it was read from; null before its first poll. */
  readonly generation: string | null
}

/** Sessions in the database alone: the default, which needs nothing else installed. */
export class DatabaseSessionStore extends SessionStore {
  private readonly refreshes: FairQueue

  /** `atOnce` is how many of the database's connections refreshes may take. */
  constructor(
    protected readonly database: Database,
    atOnce: number,
    protected readonly timeouts: IdleTimeouts,
  ) {
    super()
    this.refreshes = new FairQueue({
      maxRunning: atOnce,
      maxWaiting: atOnce * WAITING_FOR_EACH,
      refusal: tooManyRefreshes,
    })
  }

  async add(transaction: Db, { permissions: _, idleSeconds: __, ...session }: Session): Promise<void> {
    await transaction.insert(sessions).values(session)
  }

  countLive(db: Db, userId: string, now: Date): Promise<number> {
    return db.$count(sessions, and(eq(sessions.userId, userId), isLive(now)))
  }

  async isOpen(transaction: Db, sid: SessionHandle, { lock } = { lock: false }): Promise<boolean> {
    const query = transaction
      .select({ sid: sessions.sid })
      .from(sessions)
      .where(and(eq(sessions.sid, sid), isNull(sessions.endedAt)))
    return (await (lock ? query.for('share') : query)).length > 0
  }

  async ownersOf(db: Db, sids: readonly SessionHandle[]): Promise<OwnedSession[]> {
    const rows = await db
      .select({ sid: sessions.sid, userId: sessions.userId, accountId: sessions.accountId })
      .from(sessions)
      .where(and(inArray(sessions.sid, [...sids]), isNull(sessions.endedAt)))
      .orderBy(asc(sessions.position))
    return rows.map(row => ({ ...row, sid: row.sid as SessionHandle }))
  }

  async find(sid: SessionHandle, now: Date): Promise<Session | null> {
    const [session] = await this.liveWhere(eq(sessions.sid, sid), now)
    return session && !isIdle(session, now) ? session : null
  }

  async findAll(sids: readonly SessionHandle[], now: Date, client?: Client): Promise<Session[]> {
    const found = await this.inTurn(client, () => this.liveWhere(isAnyOf(sessions.sid, sids), now))
    const bySid = new Map(found.map(session => [session.sid, session]))
    return sids.flatMap(sid => bySid.get(sid) ?? []).filter(session => !isIdle(session, now))
  }

  async listByUser(userId: string, now: Date): Promise<Session[]> {
    const found = await this.liveWhere(eq(sessions.userId, userId), now)
    const used = await this.withLastUse(found)
    return used
      .filter(session => !isIdle(session, now))
      .sort((one, other) => one.lastUsed.getTime() - other.lastUsed.getTime())
  }

  async touch(sid: SessionHandle, usedAt: Date, client?: Client): Promise<Session | null> {
    return (await this.touchInDatabase(sid, usedAt, client))?.session ?? null
  }

  updateClient(sid: SessionHandle, from: ClientAddress, to: ClientAddress, now: Date): Promise<boolean> {
    const isAtFrom = and(
      eq(sessions.ip, from.ip),
      from.userAgent === null ? isNull(sessions.userAgent) : eq(sessions.userAgent, from.userAgent),
    )
    const { ip, userAgent } = to
    return this.database.run(db => update(db, sid, now, { ip, userAgent }, isAtFrom))
  }

  stampReauthentication(
    transaction: Db,
    sid: SessionHandle,
    { at, methods, movesAuthTime }: ReauthenticationStamp,
    now: Date,
  ): Promise<boolean> {
    const amr = sql`${sessions.amr} | ${methods}`
    return change(transaction, sid, now, {
      reauthenticatedAt: at,
      amr,
      ...(movesAuthTime && { authTime: at }),
    })
  }

  async voidAuthentication(sid: SessionHandle, now: Date): Promise<boolean> {
    const isVoided = await this.database.transaction(transaction =>
      change(transaction, sid, now, { reauthenticatedAt: null, authTime: new Date(0) }),
    )
    if (isVoided) await this.forget({ sids: [sid], userIds: [], accountIds: [] })
    return isVoided
  }

  /** There are no copies. */
  async forget(_changed: ChangedSessions): Promise<void> {}

  async removeExpired(now: Date): Promise<number> {
    const overFor = secondsAfter(now, -KEPT_AFTER_EXPIRY_SECONDS)
    const removed = await removeExpiredRows(this.database, sessions, sessions.expiresAt, overFor)
    // By the clock that wrote them.
    const oldest = sql`now() - make_interval(secs => ${CHANGES_KEPT_SECONDS})`
    return removed + (await removeRows(this.database, sessionChanges, lt(sessionChanges.recordedAt, oldest)))
  }

  ping(): Promise<void> {
    return this.database.ping()
  }

  /** Whether refreshes are waiting for the database. */
  protected get isBusy(): boolean {
    return this.refreshes.state.waiting > 0
  }

  /** These sessions with their last use, where something else than the database knows of a later one. */
  protected withLastUse(found: readonly Session[]): Promise<readonly Session[]> {
    return Promise.resolve(found)
  }

  /**
   * {@link touch} in the database, where a use may be known that it has not been told of. A session is stamped by the
   * statement that reads it, unless it has gone unused for so long that it may be over.
   */
  protected touchInDatabase(
    sid: SessionHandle,
    usedAt: Date,
    client?: Client,
    knownUse: Date | null = null,
  ): Promise<ReadSession | null> {
    return this.inTurn(client, async () => {
      const [row] = await this.database.run(db => this.stampIfRecent(db, sid, usedAt))
      if (!row) return null
      const read = this.asSession(row)
      const session = knownUse && knownUse > read.lastUsed ? { ...read, lastUsed: knownUse } : read
      if (!row.isStamped) {
        if (isIdle(session, usedAt)) return null
        const isStamped = await this.database.run(db =>
          update(db, sid, usedAt, { lastUsed: laterUse(usedAt) }),
        )
        if (!isStamped) return null
      }
      return { session, generation: row.generation }
    })
  }

  private stampIfRecent(db: Db, sid: SessionHandle, usedAt: Date) {
    const isRecent = gt(before.lastUsed, secondsAfter(usedAt, -this.timeouts.leastIdleSeconds))
    const mayBeStamped = this.timeouts.haveIdleTimeouts
      ? isRecent
      : (or(isRecent, isNull(accounts.idleSeconds)) as SQL)
    const stamp = sql`case when ${mayBeStamped} then ${laterUse(usedAt)} else ${sessions.lastUsed} end`
    return db
      .update(sessions)
      .set({ lastUsed: stamp })
      .from(before)
      .innerJoin(users, eq(users.id, before.userId))
      .innerJoin(accounts, eq(accounts.id, users.accountId))
      .where(and(eq(sessions.sid, sid), isLive(usedAt), eq(before.sid, sessions.sid)))
      .returning({
        ...SESSION,
        ...GRANT,
        lastUsed: before.lastUsed,
        isStamped: sql<boolean>`${mayBeStamped}`,
        generation: sql<string | null>`(select ${sessionCopies.generation} from ${sessionCopies})`,
      })
  }

  /** For refreshes, which anybody may send: they take only a part of the connections, by turns, and few wait for long. */
  private inTurn<T>(client: Client | undefined, work: () => Promise<T>): Promise<T> {
    const cameAt = performance.now()
    return this.refreshes.run(turnOf(client ?? null), () => {
      if (performance.now() - cameAt > MAX_QUEUED_MS) throw tooManyRefreshes()
      return work()
    })
  }

  private async liveWhere(which: SQL, now: Date): Promise<Session[]> {
    const rows = await this.database.run(db =>
      db
        .select({ ...SESSION, ...GRANT })
        .from(sessions)
        .innerJoin(users, eq(users.id, sessions.userId))
        .innerJoin(accounts, eq(accounts.id, users.accountId))
        .where(and(which, isLive(now)))
        .orderBy(asc(sessions.position)),
    )
    return rows.map(row => this.asSession(row))
  }

  private asSession({
    granted,
    entitled,
    satellites,
    mustEnrol,
    accountIdleSeconds,
    ...row
  }: SessionRow): Session {
    return {
      sid: row.sid as SessionHandle,
      userId: row.userId,
      accountId: row.accountId,
      source: row.source,
      permissions: effectivePermissions(
        row.source,
        withinLimits(granted, { entitled, satellites, mustEnrol }),
      ),
      origin: row.origin,
      ip: row.ip,
      userAgent: row.userAgent,
      createdAt: row.createdAt,
      lastUsed: row.lastUsed,
      expiresAt: row.expiresAt,
      idleSeconds: this.timeouts.idleSeconds(row, accountIdleSeconds),
      reauthenticatedAt: row.reauthenticatedAt,
      amr: row.amr as AuthMethods,
      authTime: row.authTime,
    }
  }
}

function tooManyRefreshes(): Error {
  return unavailable('SESSION_STORE_UNAVAILABLE')
}

/** Whether a session has neither ended nor expired. */
export function isLive(now: Date): SQL | undefined {
  return and(isNull(sessions.endedAt), gt(sessions.expiresAt, now))
}

/** Renewals of copies may come in another order than the uses that caused them. */
function laterUse(usedAt: Date): SQL {
  return sql`greatest(${sessions.lastUsed}, ${sql.param(usedAt, sessions.lastUsed)})`
}

/** Changes what tokens say of a session; false when it is not live. */
async function change(
  transaction: Db,
  sid: SessionHandle,
  now: Date,
  values: PgUpdateSetSource<typeof sessions>,
): Promise<boolean> {
  if (!(await update(transaction, sid, now, values))) return false
  await transaction.insert(sessionChanges).values({ sid })
  return true
}

/** False when the session is not live, or not as `which` says. */
async function update(
  db: Db,
  sid: SessionHandle,
  now: Date,
  values: PgUpdateSetSource<typeof sessions>,
  which?: SQL,
): Promise<boolean> {
  const rows = await db
    .update(sessions)
    .set(values)
    .where(and(eq(sessions.sid, sid), isLive(now), which))
    .returning({ sid: sessions.sid })
  return rows.length === 1
}
