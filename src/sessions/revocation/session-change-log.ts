import { Injectable } from '@nestjs/common'
import { and, asc, gt, inArray, isNotNull, notInArray, type SQL, sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import type { Db } from '../../platform/database/connection.js'
import { Database, rowsOf } from '../../platform/database/database.js'
import { users } from '../../platform/database/schema/accounts.js'
import { sessionChanges, sessionLinks, userSessions } from '../../platform/database/schema/sessions.js'
import { isAnyOf, removeExpiredRows } from '../../platform/database/sql.js'
import { type GrantLimits, type Permissions, withinLimits } from '../../platform/permissions.js'
import { Clock } from '../../platform/time.js'
import type { SessionHandle } from '../session.js'
import type { SessionGrant } from '../stores/session-store.js'

/** A session to be ended. */
export interface SessionEnding {
  readonly sid: SessionHandle
  /** Whether the satellite sessions opened from it continue; false by default. */
  readonly keepsChildren?: boolean
}

/** All sessions of a user, except one, are to be ended. */
export interface UserEnding {
  readonly userId: string
  readonly keep?: SessionHandle
}

/** A requested grant. */
export interface UserGrant {
  readonly userId: string
  readonly granted: Permissions
}

/**
 * Records what happens to live sessions, with a few statements however many there are. Records are kept until
 * the last affected session has expired.
 */
@Injectable()
export class SessionChangeLog {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Ends these sessions and, unless told otherwise, their children; returns those that were live. */
  async end(transaction: Db, endings: readonly SessionEnding[]): Promise<SessionHandle[]> {
    const sids = endings.map(({ sid }) => sid)
    const ended = await this.endWhere(transaction, isAnyOf(userSessions.sid, sids))
    const parents = endings.filter(({ keepsChildren }) => !keepsChildren).map(({ sid }) => sid)
    if (parents.length === 0) return ended
    // A second statement also sees what was linked while the first one waited; from now on nothing more can
    // be linked.
    const children = transaction
      .select({ sid: sessionLinks.childSid })
      .from(sessionLinks)
      .where(isAnyOf(sessionLinks.parentSid, parents))
    return [...ended, ...(await this.endWhere(transaction, inArray(userSessions.sid, children)))]
  }

  /**
   * Ends all sessions of these users except those to `keep`; returns those that were live. Waits for a login
   * that is being recorded. Children belong to the same user as their parent, so they are included.
   */
  async endAll(transaction: Db, endings: readonly UserEnding[]): Promise<SessionHandle[]> {
    const userIds = endings.map(({ userId }) => userId)
    const kept = endings.flatMap(({ keep }) => keep ?? [])
    await transaction
      .select({ id: users.id })
      .from(users)
      .where(isAnyOf(users.id, userIds))
      .orderBy(asc(users.id))
      .for('no key update')
    const isOther = kept.length > 0 ? notInArray(userSessions.sid, kept) : undefined
    return this.endWhere(transaction, and(isAnyOf(userSessions.userId, userIds), isOther))
  }

  /**
   * Records grants for users whose rows the transaction has locked, within their current limits. The previous
   * grant is removed, because repeating it would give back what was taken away; a user without sessions needs
   * none.
   */
  async grant(transaction: Db, wanted: readonly UserGrant[]): Promise<SessionGrant[]> {
    const userIds = wanted.map(({ userId }) => userId)
    const sessions = await this.sessionsOf(transaction, userIds)
    const limits = await limitsOf(transaction, userIds)
    const rows = wanted.flatMap(({ userId, granted }) => {
      const own = sessions.get(userId)
      const limited = withinLimits(granted, limits.get(userId) ?? NO_LIMITS)
      return own ? [{ userId, granted: limited, until: new Date(own.until) }] : []
    })
    await forgetGrants(
      transaction,
      userIds.filter(userId => !sessions.has(userId)),
    )
    const recorded = await recordGrants(transaction, rows)
    // In the requested order: what is taken away comes before what is given.
    return userIds.flatMap(userId => {
      const row = recorded.get(userId)
      return row ? [{ version: row.id, granted: row.granted, sids: sessions.get(userId)?.sids ?? [] }] : []
    })
  }

  /** Removes changes that can no longer concern a live session; returns how many. */
  removeExpired(now: Date): Promise<number> {
    return removeExpiredRows(this.database, sessionChanges, sessionChanges.until, now)
  }

  private async endWhere(transaction: Db, which: SQL | undefined): Promise<SessionHandle[]> {
    // Always in the same order, so that two transactions that end the same sessions cannot deadlock: the
    // order of login, in which parents come before their children.
    const locked = transaction
      .select({ sid: userSessions.sid })
      .from(userSessions)
      .where(which)
      .orderBy(asc(userSessions.position))
      .for('update')
    const ended = await transaction.execute(sql`
      with chosen as (${locked}),
      gone as (delete from ${userSessions} where sid in (select sid from chosen) returning sid, expires_at),
      unlinked as (delete from ${sessionLinks} where child_sid in (select sid from gone)),
      noted as (
        insert into ${sessionChanges} (sid, until)
        select sid, expires_at from gone where expires_at > ${sql.param(this.clock.now(), userSessions.expiresAt)}
        on conflict do nothing returning sid
      )
      select sid from noted`)
    return rowsOf<{ sid: SessionHandle }>(ended).map(({ sid }) => sid)
  }

  private async sessionsOf(
    transaction: Db,
    userIds: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly sids: SessionHandle[]; readonly until: string }>> {
    const rows = await transaction
      .select({
        userId: userSessions.userId,
        sids: sql<SessionHandle[]>`array_agg(${userSessions.sid})`,
        until: sql<string>`max(${userSessions.expiresAt})`,
      })
      .from(userSessions)
      .where(and(isAnyOf(userSessions.userId, userIds), gt(userSessions.expiresAt, this.clock.now())))
      .groupBy(userSessions.userId)
    return new Map(rows.map(({ userId, ...own }) => [userId, own]))
  }
}

const NO_LIMITS: GrantLimits = { entitled: null, satellites: null, mustEnrol: false }

async function limitsOf(
  transaction: Db,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, GrantLimits>> {
  const rows = await transaction
    .select({
      id: users.id,
      entitled: users.entitled,
      satellites: users.satellites,
      mustEnrol: users.mustEnrol,
    })
    .from(users)
    .where(isAnyOf(users.id, userIds))
  return new Map(rows.map(({ id, ...limits }) => [id, limits]))
}

async function forgetGrants(transaction: Db, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return
  await transaction
    .delete(sessionChanges)
    .where(and(isAnyOf(sessionChanges.userId, userIds), isNotNull(sessionChanges.granted)))
}

/** Each gets a new id, even where a row existed: anybody who has applied changes up to some id will then reach it. */
async function recordGrants(
  transaction: Db,
  rows: readonly (UserGrant & { readonly until: Date })[],
): Promise<ReadonlyMap<string, { readonly id: number; readonly granted: Permissions }>> {
  if (rows.length === 0) return new Map()
  const recorded = await transaction
    .insert(sessionChanges)
    .values([...rows])
    .onConflictDoUpdate({
      target: sessionChanges.userId,
      targetWhere: sql`granted is not null`,
      set: {
        id: sql`default`,
        granted: sql`excluded.granted`,
        until: sql`excluded.until`,
        recordedAt: sql`clock_timestamp()`,
        // An identity column can only be set to its default, which the types do not allow for.
      } as PgUpdateSetSource<typeof sessionChanges>,
    })
    .returning({ id: sessionChanges.id, userId: sessionChanges.userId, granted: sessionChanges.granted })
  return new Map(
    recorded.map(({ id, userId, granted }) => [userId as string, { id, granted: granted as Permissions }]),
  )
}
