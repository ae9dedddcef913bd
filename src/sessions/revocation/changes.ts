import { Injectable } from '@nestjs/common'
import { and, asc, gt, inArray, isNotNull, notInArray, type SQL, sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import { type Actor, type AuditEvent, auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import type { Db } from '../../platform/database/connection.js'
import { Database, rowsOf } from '../../platform/database/database.js'
import { users } from '../../platform/database/schema/accounts.js'
import { sessionChanges, sessionLinks, userSessions } from '../../platform/database/schema/sessions.js'
import { isAnyOf, removeExpiredRows } from '../../platform/database/sql.js'
import { ApiError, causeMessage } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/request.js'
import { Logger } from '../../platform/log.js'
import { type GrantLimits, type Permissions, withinLimits } from '../../platform/permissions.js'
import { Clock } from '../../platform/time.js'
import { handleOf, type Session, type SessionHandle, type SessionId } from '../session.js'
import {
  mergeChanges,
  NO_CHANGES,
  type SessionChange,
  type SessionGrant,
  SessionStore,
  type StoreChanges,
} from '../session-store.js'
import { UserSessions } from '../user-sessions.js'

/** Changes that are committed in the database, to be applied to the store. */
export interface RecordedChanges {
  readonly changes: StoreChanges
  /** How many live sessions they end. */
  readonly ended: number
  /**
   * What follows the commit, such as a mail that cannot be sent again: also when the store is unreachable,
   * never when the transaction rolls back.
   */
  readonly afterCommit?: AfterCommit
}

export type AfterCommit = () => void | Promise<void>

/** For a change that affects no session. */
export const NOTHING_RECORDED: RecordedChanges = { changes: NO_CHANGES, ended: 0 }

/** What two steps of one change have recorded, the first one first. */
export function mergeRecorded(one: RecordedChanges, other: RecordedChanges): RecordedChanges {
  return {
    changes: mergeChanges(one.changes, other.changes),
    ended: one.ended + other.ended,
    afterCommit: async () => {
      await one.afterCommit?.()
      await other.afterCommit?.()
    },
  }
}

/** The same changes, with one more thing that follows the commit. */
export function followedBy(recorded: RecordedChanges, afterCommit: AfterCommit): RecordedChanges {
  return mergeRecorded(recorded, { ...NOTHING_RECORDED, afterCommit })
}

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

  /** Ends these sessions and, by default, their children; returns those that were live. */
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

/**
 * Each gets a new id, even where a row existed: a replica that has applied changes up to some id will then reach it.
 */
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

/**
 * Up to this many grants may come from one decision, where their order matters. More come from a change of
 * plan, where it does not.
 */
const IN_ORDER_UP_TO = 10

/**
 * Ends sessions and changes their permissions durably: first in the database, with the audit row in the same
 * transaction, then in the store. A store that may have lost its latest writes receives them again before it
 * serves requests.
 */
@Injectable()
export class SessionChanges {
  private readonly logger = new Logger('SessionChanges')

  constructor(
    private readonly database: Database,
    private readonly log: SessionChangeLog,
    private readonly store: SessionStore,
    private readonly userSessions: UserSessions,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Makes one change and returns how many live sessions it ended. Throws like {@link commit}. Safe to
   * repeat.
   */
  async commitChange(change: SessionChange, event: AuditEvent): Promise<number> {
    const { ended } = await this.commit(transaction => this.record(transaction, [change], event))
    return ended
  }

  /**
   * Runs `work` in a transaction, and after the commit applies what it recorded to the store; returns what
   * `work` returns. When the store is unreachable this throws `SESSION_STORE_UNAVAILABLE`, but the changes
   * are recorded: this replica serves none of those sessions before the store has the changes, and the other
   * replicas follow within 5 s.
   */
  commit<R extends RecordedChanges>(work: (transaction: Db) => Promise<R>): Promise<R> {
    return this.commitThen(work, recorded => this.apply(recorded))
  }

  /**
   * Like {@link commit}, but when the store is unreachable this only logs it. For work that cannot be
   * repeated, such as an answer that is given once.
   */
  commitToleratingOutage<R extends RecordedChanges>(work: (transaction: Db) => Promise<R>): Promise<R> {
    return this.commitThen(work, recorded => this.applyIfReachable(recorded))
  }

  /**
   * Records changes in a transaction: all of them, or none. {@link commit} applies them, or else the caller
   * does, with {@link apply}. `event` is null where the caller writes the audit row.
   */
  async record(
    transaction: Db,
    changes: readonly SessionChange[],
    event: AuditEvent | null,
  ): Promise<RecordedChanges> {
    const endings = changes.flatMap(change => (change.kind === 'end' ? [change] : []))
    const ended = endings.length > 0 ? await this.log.end(transaction, endings) : []
    const userEndings = changes.flatMap(change => (change.kind === 'end-all' ? [change] : []))
    if (userEndings.length > 0) ended.push(...(await this.log.endAll(transaction, userEndings)))
    const wanted = changes.flatMap(change => (change.kind === 'set-permissions' ? [change] : []))
    const grants = wanted.length > 0 ? await this.log.grant(transaction, wanted) : []
    await this.store.applyIn(transaction, { ended, grants })
    if (event && (ended.length > 0 || changes.some(auditsEvenIfNoneEnded)))
      await this.auditLog.record(transaction, event)
    // The store may still have sessions that ended earlier, if it was unreachable then.
    const named = endings.map(({ sid }) => sid)
    return { changes: { ended: [...new Set([...named, ...ended])], grants }, ended: ended.length }
  }

  /**
   * Applies to the store what {@link record} has recorded. Throws like {@link commit}, but only when every
   * part has been tried: the shards that are reachable, and the gates of the others, have to know.
   */
  async apply({ changes }: RecordedChanges): Promise<void> {
    let failure: unknown = null
    for (const part of partsOf(changes))
      await this.store.apply(part).catch(error => {
        failure ??= error
      })
    if (failure) throw failure
  }

  /**
   * Throws `SESSION_NOT_FOUND` once the end of the session has been recorded, even if the store does not know
   * yet: a request that was let in just before must not undo what the session was ended for. Call it with the
   * user's row locked.
   */
  async requireNotRevoked(transaction: Db, { sid }: Pick<Session, 'sid'>): Promise<void> {
    if (!(await this.userSessions.has(transaction, sid))) throw new ApiError('SESSION_NOT_FOUND')
  }

  /**
   * Ends the sessions that a browser still had when it logged in again. Throws when the database fails. A
   * failing store is no reason to refuse the login: it gets the change before it serves those sessions again.
   */
  async endReplaced(sessionIds: readonly SessionId[], client: Client): Promise<void> {
    if (sessionIds.length === 0) return
    const sids = [...new Set(sessionIds.map(handleOf))]
    await this.commitToleratingOutage(transaction => this.recordReplaced(transaction, sids, client))
  }

  /** Ends one session and, by default, its children; false when it no longer exists. */
  async end(
    { sid, userId, accountId }: Pick<Session, 'sid' | 'userId' | 'accountId'>,
    client: Client | null,
    reason: string,
    { keepsChildren = false, operator }: { keepsChildren?: boolean } & Pick<Actor, 'operator'> = {},
  ): Promise<boolean> {
    const ended = await this.commitChange(
      { kind: 'end', sid, keepsChildren },
      auditEvent({ userId, accountId, sid, client, ...(operator && { operator }) }, 'session.revoke', {
        reason,
      }),
    )
    return ended > 0
  }

  /** Tells the store and does what follows; neither keeps the other from happening. */
  private async commitThen<R extends RecordedChanges>(
    work: (transaction: Db) => Promise<R>,
    apply: (recorded: R) => Promise<void>,
  ): Promise<R> {
    const recorded = await this.database.transaction(work)
    const follow = async () => recorded.afterCommit?.()
    for (const done of await Promise.allSettled([follow(), apply(recorded)]))
      if (done.status === 'rejected') throw done.reason
    return recorded
  }

  private async applyIfReachable(recorded: RecordedChanges): Promise<void> {
    try {
      await this.apply(recorded)
    } catch (error) {
      const why = causeMessage(error)
      this.logger.warn(`Session changes are recorded but not yet applied to the session store: ${why}`)
    }
  }

  /** All at once, in the order in which sessions are always locked. */
  private async recordReplaced(
    transaction: Db,
    sids: readonly SessionHandle[],
    client: Client,
  ): Promise<RecordedChanges> {
    const owners = await this.userSessions.ownersOf(transaction, sids)
    if (owners.length === 0) return NOTHING_RECORDED
    const ended = await this.log.end(transaction, owners)
    await this.store.applyIn(transaction, { ended, grants: [] })
    for (const owner of owners.filter(({ sid }) => ended.includes(sid))) {
      const reason = 'replaced by a new login'
      await this.auditLog.record(transaction, auditEvent({ ...owner, client }, 'session.revoke', { reason }))
    }
    const named = owners.map(({ sid }) => sid)
    return { changes: { ended: [...new Set([...named, ...ended])], grants: [] }, ended: ended.length }
  }
}

/**
 * Ending a session that had already ended changes nothing, so repeating a logout twenty times writes one
 * audit row.
 */
function auditsEvenIfNoneEnded(change: SessionChange): boolean {
  return (
    change.kind === 'set-permissions' || (change.kind === 'end-all' && change.auditsEvenIfNoneEnded !== false)
  )
}

/** Few grants come one at a time, because their order may matter. */
function partsOf(changes: StoreChanges): StoreChanges[] {
  const { ended, grants } = changes
  if (grants.length > IN_ORDER_UP_TO) return [changes]
  return [{ ended, grants: [] }, ...grants.map(grant => ({ ended: [], grants: [grant] }))]
}
