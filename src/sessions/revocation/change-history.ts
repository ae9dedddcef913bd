import { Injectable } from '@nestjs/common'
import { and, asc, eq, gt, sql } from 'drizzle-orm'
import { Clock } from '../../clock/clock.js'
import { Database } from '../../database/database.js'
import { rowsOf } from '../../database/rows-of.js'
import { sessionChanges, userSessions } from '../../database/schema.js'
import type { Permissions } from '../../permissions/permissions.js'
import type { StoreChanges } from '../session-change.js'
import type { SessionHandle } from '../session-id.js'

/** Some of the recorded changes in the order of their ids. */
export interface ChangePage {
  readonly changes: StoreChanges
  /** The id of the last one; null when there was none. */
  readonly lastId: number | null
  /** How many there were. */
  readonly count: number
}

/** So long a change is applied again and again, whoever was to do it: its server may have died, or been replaced. */
const UNSETTLED_SECONDS = 60

/** More than any id. */
const AFTER_ALL = Number.MAX_SAFE_INTEGER

/** The recorded changes, read to be applied again. */
@Injectable()
export class ChangeHistory {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** At most `limit` changes after the one of this id that can still concern a live session, with the sessions of each now. */
  async pageAfter(id: number, limit: number): Promise<ChangePage> {
    const sidsNow = sql<SessionHandle[] | null>`case when ${sessionChanges.granted} is not null then array(
      select ${userSessions.sid} from ${userSessions} where ${eq(userSessions.userId, sessionChanges.userId)}) end`
    const rows = await this.database.run(db =>
      db
        .select({
          id: sessionChanges.id,
          sid: sessionChanges.sid,
          granted: sessionChanges.granted,
          sids: sidsNow,
        })
        .from(sessionChanges)
        .where(and(gt(sessionChanges.id, id), gt(sessionChanges.until, this.clock.now())))
        .orderBy(asc(sessionChanges.id))
        .limit(limit),
    )
    return {
      changes: {
        ended: rows.flatMap(({ sid }) => (sid === null ? [] : [sid as SessionHandle])),
        grants: rows.flatMap(({ id: version, granted, sids }) =>
          granted === null ? [] : [{ version, granted: granted as Permissions, sids: sids ?? [] }],
        ),
      },
      lastId: rows.at(-1)?.id ?? null,
      count: rows.length,
    }
  }

  /**
   * The greatest id up to which every change was recorded more than `seconds` ago: none will appear below it any more.
   * Ids are given before they are committed, so one of a transaction that is still open may be missing between others;
   * nothing is settled from the start of the oldest such transaction on. It is the id of a change that can be seen: the
   * one just below a change that is too new may be the missing one. At least `settled`, which was settled before.
   */
  async settledId(settled = 0, seconds = UNSETTLED_SECONDS): Promise<number> {
    // A statement of its own and first: what is committed after it is seen by the second one.
    const [horizon] = rowsOf<{ at: string }>(
      await this.database.run(db =>
        db.execute(sql`
          select least(clock_timestamp() - make_interval(secs => ${seconds}), min(xact_start))::text as at
          from pg_stat_activity
          where datname = current_database() and backend_xid is not null and pid <> pg_backend_pid()`),
      ),
    )
    const [last] = rowsOf<{ id: string | null }>(
      await this.database.run(db =>
        db.execute(sql`
          with newer as materialized (
            select id, recorded_at from ${sessionChanges} where ${gt(sessionChanges.id, settled)}
          )
          select max(id)::text as id from newer
          where id < coalesce((select min(id) from newer where recorded_at >= ${horizon?.at}::timestamptz), ${AFTER_ALL})`),
      ),
    )
    return Math.max(settled, Number(last?.id ?? 0))
  }

  /** The id that was given out last, whatever became of the change. */
  async newestId(): Promise<number> {
    const [sequence] = rowsOf<{ id: string }>(
      await this.database.run(db =>
        db.execute(sql`
          select coalesce(pg_sequence_last_value(pg_get_serial_sequence('session_changes', 'id')::regclass), 0)::text as id`),
      ),
    )
    return Number(sequence?.id ?? 0)
  }
}
