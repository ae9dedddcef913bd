import { Injectable } from '@nestjs/common'
import { type Actor, type AuditEvent, auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import type { Db } from '../../platform/database/connection.js'
import { Database } from '../../platform/database/database.js'
import { ApiError, causeMessage } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/request.js'
import { Logger } from '../../platform/log.js'
import { handleOf, type Session, type SessionHandle, type SessionId } from '../session.js'
import { type SessionChange, SessionStore, type StoreChanges } from '../stores/session-store.js'
import { UserSessions } from '../user-sessions.js'
import { NOTHING_RECORDED, type RecordedChanges } from './recorded-changes.js'
import { SessionChangeLog } from './session-change-log.js'

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
   * are recorded: this replica serves none of those sessions before the store has been told, and the other
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
   * failing store is no reason to refuse the login: it is told before it serves those sessions again.
   */
  async endReplaced(sessionIds: readonly SessionId[], client: Client): Promise<void> {
    if (sessionIds.length === 0) return
    const sids = [...new Set(sessionIds.map(handleOf))]
    await this.commitToleratingOutage(transaction => this.recordReplaced(transaction, sids, client))
  }

  /** Ends one session and, unless told otherwise, its children; false when it no longer exists. */
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
