import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common'
import type { AuditEvent } from '../audit/audit-event.js'
import { AuditLog } from '../audit/audit-log.js'
import { Clock, secondsAfter } from '../clock/clock.js'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { ApiError } from '../errors/api-error.js'
import type { Client } from '../http/client.js'
import type { Session } from './session.js'
import { applyChange, type SessionChange } from './session-change.js'
import { type RecordedChange, SessionChangeLog } from './session-change-log.js'
import { handleOf, type SessionId } from './session-id.js'
import { SessionStore } from './session-store.js'

/** Clocks of two machines may differ by so much; a session of just now may say that it is from then. */
const CLOCK_SKEW_SECONDS = 60

/** Changes that are in the database, for the store. */
export interface RecordedChanges {
  readonly at: Date
  /** `row` is null for what had been recorded before. */
  readonly steps: readonly { readonly change: SessionChange; readonly row: RecordedChange | null }[]
}

/**
 * Ends sessions and changes their permissions so that it lasts: the database first, with the audit row in the same
 * transaction, then the store. A store that may have lost its newest writes is told again before it serves.
 */
@Injectable()
export class SessionChanges implements OnApplicationBootstrap {
  private readonly logger = new Logger('SessionChanges')

  constructor(
    private readonly database: Database,
    private readonly log: SessionChangeLog,
    private readonly store: SessionStore,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): Promise<void> {
    return this.store.beforeServing(() => this.replay())
  }

  /**
   * Makes the change and returns how many sessions ended. `alongside` runs in the same transaction, before it. When
   * the store is out of reach this throws `SESSION_STORE_UNAVAILABLE`, but the change is recorded and this process
   * makes it before it lets the store serve again; repeating it is safe.
   */
  make(
    change: SessionChange,
    event: AuditEvent,
    alongside?: (transaction: Db) => Promise<void>,
  ): Promise<number> {
    return this.makeAll([change], event, alongside)
  }

  /** {@link make} for changes that belong together: all of them are recorded, or none. */
  async makeAll(
    changes: readonly SessionChange[],
    event: AuditEvent,
    alongside: (transaction: Db) => Promise<void> = async () => {},
  ): Promise<number> {
    const recorded = await this.database.transaction(async transaction => {
      await alongside(transaction)
      return this.record(transaction, changes, event)
    })
    return this.apply(recorded)
  }

  /** The first half of {@link makeAll} in a transaction that is somebody else's; {@link apply} it when that is committed. */
  async record(
    transaction: Db,
    changes: readonly SessionChange[],
    event: AuditEvent,
  ): Promise<RecordedChanges> {
    // Now, not before: who calls has waited for logins of the user that are being recorded, which are to be ended too.
    const at = this.clock.now()
    const steps: RecordedChanges['steps'][number][] = []
    for (const change of changes) {
      const row = await this.log.add(transaction, change, at)
      steps.push({ change: row?.change ?? change, row })
    }
    if (steps.some(({ row }) => row)) await this.auditLog.record(transaction, event)
    return { at, steps }
  }

  /** Makes in the store what {@link record} has recorded; returns how many sessions ended. Throws as {@link make} does. */
  async apply({ at, steps }: RecordedChanges): Promise<number> {
    let ended = 0
    for (const { change, row } of steps) {
      ended += await applyChange(this.store, change, secondsAfter(at, CLOCK_SKEW_SECONDS))
      if (row && change.kind === 'regrant') await this.applyLaterGrant(row.id, change.userId)
    }
    return ended
  }

  /**
   * Throws `SESSION_NOT_FOUND` when it has been decided that the session ends, though the store may not know of it yet: a
   * request that was let in just before must not undo what its session was ended for. Call it once the user's row is locked.
   */
  async requireStanding(transaction: Db, session: Session): Promise<void> {
    if (await this.log.hasEnded(transaction, session)) throw new ApiError('SESSION_NOT_FOUND')
  }

  /** Ends the sessions that a browser still carried when it logged in again. */
  async endPresented(sessionIds: readonly SessionId[], client: Client): Promise<void> {
    for (const sid of sessionIds.map(handleOf)) {
      const session = await this.store.find(sid, this.clock.now())
      if (session) await this.end(session, client, 'replaced by a new login')
    }
  }

  /** Ends one session; false when there was none any more. */
  async end(
    { sid, userId, accountId }: Pick<Session, 'sid' | 'userId' | 'accountId'>,
    client: Client | null,
    reason: string,
  ): Promise<boolean> {
    const ended = await this.make(
      { kind: 'end', sid },
      { action: 'session.revoke', outcome: 'ok', userId, accountId, sid, client, detail: { reason } },
    )
    return ended > 0
  }

  /** Makes all changes again that can still concern a live session. */
  async replay(): Promise<void> {
    const now = this.clock.now()
    let count = 0
    for (let page = await this.log.pageAfter(0, now); page.length > 0; ) {
      await this.replayPage(page)
      count += page.length
      page = await this.log.pageAfter(page.at(-1)?.id as number, now)
    }
    if (count > 0) this.logger.log(`Told the session store again of ${count} changes`)
  }

  /** Single sessions end in any order, at once; what concerns all of a user's sessions keeps its order. */
  private async replayPage(page: readonly RecordedChange[]): Promise<void> {
    const ends = page.filter(({ change }) => change.kind === 'end')
    await Promise.all(ends.map(({ change, at }) => applyChange(this.store, change, at)))
    for (const { id, change, at } of page) {
      if (change.kind !== 'end') await applyChange(this.store, change, at)
      if (change.kind === 'regrant') await this.applyLaterGrant(id, change.userId)
    }
  }

  /** A grant made after this one may have reached the store before it. Who comes last looks, so the newest stays. */
  private async applyLaterGrant(id: number, userId: string): Promise<void> {
    const later = await this.log.grantAfter(id, userId)
    if (!later) return
    await applyChange(this.store, later.change, later.at)
    await this.applyLaterGrant(later.id, userId)
  }
}
