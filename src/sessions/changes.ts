import { Injectable } from '@nestjs/common'
import { and, asc, eq, inArray, notInArray, type SQL, sql } from 'drizzle-orm'
import { type Actor, type AuditEvent, auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { Database, rowsOf } from '../platform/database/database.js'
import { users } from '../platform/database/schema/accounts.js'
import { sessionChanges, sessionLinks, sessions } from '../platform/database/schema/sessions.js'
import { insertRows, isAnyOf } from '../platform/database/sql.js'
import { ApiError } from '../platform/errors/api-error.js'
import type { Client } from '../platform/http/request.js'
import { Clock } from '../platform/time.js'
import { isLive } from './database.session-store.js'
import { handleOf, type Session, type SessionHandle, type SessionId } from './session.js'
import { type ChangedSessions, type OwnedSession, SessionStore } from './session-store.js'

/** The changes that can be requested for live sessions. */
export type SessionChange =
  | {
      readonly kind: 'end'
      readonly sid: SessionHandle
      /** Whether the satellite sessions opened from it continue; false by default. */
      readonly keepsChildren?: boolean
    }
  | {
      readonly kind: 'end-all'
      readonly userId: string
      readonly keep?: SessionHandle
      /** Whether to write an audit row even when there is no session to end; true by default. */
      readonly auditsEvenIfNoneEnded?: boolean
    }
  /** The row of the user or account, which decides what sessions may do, has been changed in the same transaction. */
  | { readonly kind: 'permissions'; readonly userId: string }
  | { readonly kind: 'permissions'; readonly accountId: string }

/** Changes of sessions that a transaction has recorded. */
export interface RecordedChanges {
  readonly changed: ChangedSessions
  /** How many live sessions they end. */
  readonly ended: number
  /** What follows the commit, such as a mail that cannot be sent again; never when the transaction rolls back. */
  readonly afterCommit?: AfterCommit
}

export type AfterCommit = () => void | Promise<void>

/** For a change that affects no session. */
export const NOTHING_RECORDED: RecordedChanges = {
  changed: { sids: [], userIds: [], accountIds: [] },
  ended: 0,
}

/** What two steps of one change have recorded, the first one first. */
export function mergeRecorded(one: RecordedChanges, other: RecordedChanges): RecordedChanges {
  return {
    changed: {
      sids: [...one.changed.sids, ...other.changed.sids],
      userIds: [...new Set([...one.changed.userIds, ...other.changed.userIds])],
      accountIds: [...one.changed.accountIds, ...other.changed.accountIds],
    },
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

/**
 * Ends sessions, and makes known that permissions have changed: in one transaction with the audit row and a row that every
 * replica reads (see ChangeFeed). When a change has been answered, no replica issues a token that contradicts it.
 */
@Injectable()
export class SessionChanges {
  constructor(
    private readonly database: Database,
    private readonly store: SessionStore,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** Makes one change and returns how many live sessions it ended. Safe to repeat. */
  async commitChange(change: SessionChange, event: AuditEvent): Promise<number> {
    const { ended } = await this.commit(transaction => this.record(transaction, [change], event))
    return ended
  }

  /** Runs `work` in a transaction, does what follows the commit, and returns what `work` returns. */
  async commit<R extends RecordedChanges>(work: (transaction: Db) => Promise<R>): Promise<R> {
    const recorded = await this.database.transaction(work)
    const follow = async () => recorded.afterCommit?.()
    // Neither keeps the other from happening.
    const [followed] = await Promise.allSettled([follow(), this.store.forget(recorded.changed)])
    if (followed.status === 'rejected') throw followed.reason
    return recorded
  }

  /**
   * Records changes in a transaction: all of them, or none. The caller then commits with {@link commit}. `event` is null
   * where the caller writes the audit row.
   */
  async record(
    transaction: Db,
    changes: readonly SessionChange[],
    event: AuditEvent | null,
  ): Promise<RecordedChanges> {
    const endings = changes.filter(change => change.kind === 'end')
    const userEndings = changes.filter(change => change.kind === 'end-all')
    const ended = await this.endThese(transaction, endings)
    const endedOfUsers = await this.endAll(transaction, userEndings)
    const ofUsers = [...userEndings, ...changes.filter(change => change.kind === 'permissions')]
    const userIds = [...new Set(ofUsers.flatMap(change => ('userId' in change ? change.userId : [])))]
    const accountIds = ofUsers.flatMap(change => ('accountId' in change ? change.accountId : []))
    await note(transaction, { sids: ended, userIds, accountIds })
    const count = ended.length + endedOfUsers.length
    if (event && (count > 0 || changes.some(auditsEvenIfNoneEnded)))
      await this.auditLog.record(transaction, event)
    // What was named may have ended in a request that is still waiting for its copies to go.
    const sids = new Set([...endings.map(({ sid }) => sid), ...ended, ...endedOfUsers])
    return { changed: { sids: [...sids], userIds, accountIds }, ended: count }
  }

  /** Like {@link record}, for a user who is removed: their sessions end, and nothing is kept of those that had ended. */
  async recordRemoval(transaction: Db, userId: string, event: AuditEvent): Promise<RecordedChanges> {
    const recorded = await this.record(transaction, [{ kind: 'end-all', userId }], event)
    const removed = await transaction
      .delete(sessions)
      .where(eq(sessions.userId, userId))
      .returning({ sid: sessions.sid })
    // No store can look them up after the commit.
    const sids = removed.map(({ sid }) => sid as SessionHandle)
    return { ...recorded, changed: { ...recorded.changed, sids } }
  }

  /**
   * Throws `SESSION_NOT_FOUND` once the session has been ended: a request that was let in just before must not undo what
   * it was ended for. Call it with the user's row locked.
   */
  async requireNotRevoked(transaction: Db, { sid }: Pick<Session, 'sid'>): Promise<void> {
    if (!(await this.store.isOpen(transaction, sid))) throw new ApiError('SESSION_NOT_FOUND')
  }

  /** Ends the sessions that a browser still had when it logged in again. */
  async endReplaced(sessionIds: readonly SessionId[], client: Client): Promise<void> {
    if (sessionIds.length === 0) return
    const sids = [...new Set(sessionIds.map(handleOf))]
    await this.commit(async transaction => {
      const owners = await this.store.ownersOf(transaction, sids)
      return this.recordEach(transaction, owners, client, 'replaced by a new login')
    })
  }

  /** Ends these sessions of a user who has too many; those that were opened from them stay. */
  async endSurplus(surplus: readonly OwnedSession[], client: Client): Promise<void> {
    if (surplus.length === 0) return
    const endings = surplus.map(session => ({ ...session, keepsChildren: true }))
    await this.commit(transaction => this.recordEach(transaction, endings, client, 'too many sessions'))
  }

  /** Ends a session that has gone unused for its idle timeout; those opened from it have a use of their own. */
  async endIdle({ sid, userId, accountId }: OwnedSession, client: Client): Promise<void> {
    await this.commit(async transaction => {
      const ending = { sid, userId, accountId, keepsChildren: true }
      const recorded = await this.recordEach(transaction, [ending], client, 'not used for too long')
      if (recorded.ended > 0)
        await transaction.update(sessions).set({ endedIdle: true }).where(eq(sessions.sid, sid))
      return recorded
    })
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

  /** Ends several, with an audit row for each of those that were live. */
  private async recordEach(
    transaction: Db,
    endings: readonly (OwnedSession & { readonly keepsChildren?: boolean })[],
    client: Client,
    reason: string,
  ): Promise<RecordedChanges> {
    const ended = await this.endThese(transaction, endings)
    await note(transaction, { sids: ended, userIds: [], accountIds: [] })
    const events = endings
      .filter(({ sid }) => ended.includes(sid))
      .map(({ keepsChildren: _, ...owned }) => auditEvent({ ...owned, client }, 'session.revoke', { reason }))
    await this.auditLog.recordAll(transaction, events)
    const named = endings.map(({ sid }) => sid)
    const sids = [...new Set([...named, ...ended])]
    return { changed: { sids, userIds: [], accountIds: [] }, ended: ended.length }
  }

  /** Ends these sessions and, by default, their children; returns those that were live. */
  private async endThese(
    transaction: Db,
    endings: readonly { readonly sid: SessionHandle; readonly keepsChildren?: boolean }[],
  ): Promise<SessionHandle[]> {
    if (endings.length === 0) return []
    const sids = endings.map(({ sid }) => sid)
    const ended = await this.endWhere(transaction, isAnyOf(sessions.sid, sids))
    const parents = endings.filter(({ keepsChildren }) => !keepsChildren).map(({ sid }) => sid)
    if (parents.length === 0) return ended
    // A second statement also sees what was linked while the first one waited; from now on nothing more can
    // be linked.
    const children = transaction
      .select({ sid: sessionLinks.childSid })
      .from(sessionLinks)
      .where(isAnyOf(sessionLinks.parentSid, parents))
    return [...ended, ...(await this.endWhere(transaction, inArray(sessions.sid, children)))]
  }

  /**
   * Ends all sessions of these users except those to `keep`; returns those that were live. Waits for a login
   * that is being recorded. Children belong to the same user as their parent, so they are included.
   */
  private async endAll(
    transaction: Db,
    endings: readonly { readonly userId: string; readonly keep?: SessionHandle }[],
  ): Promise<SessionHandle[]> {
    if (endings.length === 0) return []
    const userIds = endings.map(({ userId }) => userId)
    const kept = endings.flatMap(({ keep }) => keep ?? [])
    await transaction
      .select({ id: users.id })
      .from(users)
      .where(isAnyOf(users.id, userIds))
      .orderBy(asc(users.id))
      .for('no key update')
    const isOther = kept.length > 0 ? notInArray(sessions.sid, kept) : undefined
    return this.endWhere(transaction, and(isAnyOf(sessions.userId, userIds), isOther))
  }

  private async endWhere(transaction: Db, which: SQL | undefined): Promise<SessionHandle[]> {
    // Always in the same order, so that two transactions that end the same sessions cannot deadlock: the
    // order of login, in which parents come before their children.
    const now = this.clock.now()
    const locked = transaction
      .select({ sid: sessions.sid })
      .from(sessions)
      .where(and(which, isLive(now)))
      .orderBy(asc(sessions.position))
      .for('update')
    // An ended session says how it ended, and nothing of where its user was.
    const ended = await transaction.execute(sql`
      with chosen as (${locked}),
      unlinked as (delete from ${sessionLinks} where child_sid in (select sid from chosen))
      update ${sessions} set ended_at = ${sql.param(now, sessions.endedAt)}, ip = '', user_agent = null
      where sid in (select sid from chosen) returning sid`)
    return rowsOf<{ sid: SessionHandle }>(ended).map(({ sid }) => sid)
  }
}

/** Makes the change known to every replica. */
async function note(transaction: Db, { sids, userIds, accountIds }: ChangedSessions): Promise<void> {
  const { sid, userId, accountId } = sessionChanges
  const rows = [
    ...sids.map(each => ({ sid: each })),
    ...userIds.map(each => ({ userId: each })),
    ...accountIds.map(each => ({ accountId: each })),
  ]
  await insertRows(transaction, sessionChanges, { sid, userId, accountId }, rows)
}

/**
 * Ending a session that had already ended changes nothing, so repeating a logout twenty times writes one
 * audit row.
 */
function auditsEvenIfNoneEnded(change: SessionChange): boolean {
  return (
    change.kind === 'permissions' || (change.kind === 'end-all' && change.auditsEvenIfNoneEnded !== false)
  )
}
