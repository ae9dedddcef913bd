import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common'
import { and, asc, desc, eq, gt, isNotNull, lte } from 'drizzle-orm'
import type { AuditEvent } from '../audit/audit-event.js'
import { AuditLog } from '../audit/audit-log.js'
import { Clock, secondsAfter } from '../clock/clock.js'
import { Settings } from '../config/settings.js'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { sessionChanges } from '../database/schema.js'
import type { Client } from '../http/client.js'
import type { Session } from './session.js'
import { applyChange, type SessionChange } from './session-change.js'
import { handleOf, type SessionHandle, type SessionId } from './session-id.js'
import { SessionStore } from './session-store.js'

type Row = typeof sessionChanges.$inferSelect

const ROWS_A_PAGE = 1_000

/**
 * Ends sessions and changes their permissions so that it lasts: the database first, with the audit row in the same
 * transaction, then the store. A store that may have lost its newest writes is told again before it serves.
 */
@Injectable()
export class SessionChanges implements OnApplicationBootstrap {
  private readonly logger = new Logger('SessionChanges')

  constructor(
    private readonly database: Database,
    private readonly store: SessionStore,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  onApplicationBootstrap(): Promise<void> {
    return this.store.beforeServing(() => this.replay())
  }

  /**
   * Makes the change and returns how many sessions ended. `alongside` runs in the same transaction. When the store
   * is out of reach this throws `SESSION_STORE_UNAVAILABLE`, but the change is recorded and will be made before the
   * store serves again; repeating it is safe.
   */
  async make(
    change: SessionChange,
    event: AuditEvent,
    alongside: (transaction: Db) => Promise<void> = async () => {},
  ): Promise<number> {
    const at = this.clock.now()
    const [row] = await this.database.transaction(async transaction => {
      await alongside(transaction)
      const rows = await transaction.insert(sessionChanges).values(this.rowOf(change, at)).returning()
      await this.auditLog.record(transaction, event)
      return rows
    })
    const ended = await applyChange(this.store, change, at)
    if (change.kind === 'regrant') await this.applyLaterGrants(row as Row)
    return ended
  }

  /** Ends the sessions that a browser still carried when it logged in again. */
  async endPresented(sessionIds: readonly SessionId[], client: Client): Promise<void> {
    for (const sid of sessionIds.map(handleOf)) {
      const session = await this.store.find(sid, this.clock.now())
      if (session) await this.end(session, client, 'replaced by a new login')
    }
  }

  /** Ends one session. */
  async end(
    { sid, userId, accountId }: Pick<Session, 'sid' | 'userId' | 'accountId'>,
    client: Client | null,
    reason: string,
  ): Promise<void> {
    await this.make(
      { kind: 'end', sid },
      { action: 'session.revoke', outcome: 'ok', userId, accountId, sid, client, detail: { reason } },
    )
  }

  /** Makes all changes again that can still concern a live session, in the order in which they were made. */
  async replay(): Promise<void> {
    const now = this.clock.now()
    let count = 0
    for (
      let page = await this.pageAfter(0, now);
      page.length > 0;
      page = await this.pageAfter(lastId(page), now)
    ) {
      await this.replayPage(page)
      count += page.length
    }
    if (count > 0) this.logger.log(`Told the session store again of ${count} changes`)
  }

  /** Forgets changes that can concern no live session any more; says how many. */
  async removeExpired(now: Date): Promise<number> {
    const removed = await this.database.run(db =>
      db.delete(sessionChanges).where(lte(sessionChanges.until, now)).returning({ id: sessionChanges.id }),
    )
    return removed.length
  }

  private pageAfter(id: number, now: Date): Promise<Row[]> {
    const isNext = and(gt(sessionChanges.id, id), gt(sessionChanges.until, now))
    return this.database.run(db =>
      db.select().from(sessionChanges).where(isNext).orderBy(asc(sessionChanges.id)).limit(ROWS_A_PAGE),
    )
  }

  /** Single sessions end in any order, at once; what concerns all of a user's sessions keeps its order. */
  private async replayPage(page: readonly Row[]): Promise<void> {
    const ends = page.filter(row => row.sid !== null)
    await Promise.all(ends.map(row => applyChange(this.store, asChange(row), row.at)))
    for (const row of page.filter(row => row.sid === null))
      await applyChange(this.store, asChange(row), row.at)
  }

  /** A change made after `row` may have reached the store before it. Who comes last looks, so the newest one stays. */
  private async applyLaterGrants({ id, userId }: Row): Promise<void> {
    const isLater = and(
      gt(sessionChanges.id, id),
      eq(sessionChanges.userId, userId as string),
      isNotNull(sessionChanges.granted),
    )
    const [latest] = await this.database.run(db =>
      db.select().from(sessionChanges).where(isLater).orderBy(desc(sessionChanges.id)).limit(1),
    )
    if (!latest) return
    await applyChange(this.store, asChange(latest), latest.at)
    await this.applyLaterGrants(latest)
  }

  private rowOf(change: SessionChange, at: Date): typeof sessionChanges.$inferInsert {
    return {
      sid: change.kind === 'end' ? change.sid : null,
      userId: change.kind === 'end' ? null : change.userId,
      granted: change.kind === 'regrant' ? change.granted : null,
      at,
      until: secondsAfter(at, this.settings.sessionTtlSeconds),
    }
  }
}

function lastId(page: readonly Row[]): number {
  return page.at(-1)?.id ?? 0
}

function asChange({ sid, userId, granted }: Row): SessionChange {
  if (sid !== null) return { kind: 'end', sid: sid as SessionHandle }
  if (granted !== null) return { kind: 'regrant', userId: userId as string, granted }
  return { kind: 'end-all', userId: userId as string }
}
