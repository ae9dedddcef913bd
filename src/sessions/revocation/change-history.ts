import { Injectable } from '@nestjs/common'
import { and, asc, eq, gt, sql } from 'drizzle-orm'
import { Database, rowsOf } from '../../platform/database/database.js'
import { sessionChanges, userSessions } from '../../platform/database/schema/sessions.js'
import type { Permissions } from '../../platform/permissions.js'
import { Clock } from '../../platform/time.js'
import type { SessionHandle } from '../session.js'
import type { StoreChanges } from '../stores/session-store.js'

/** A page of the recorded changes, in the order of their ids. */
export interface ChangePage {
  readonly changes: StoreChanges
  /** How many changes there are. */
  readonly count: number
  readonly isLast: boolean
}

const ROWS_A_PAGE = 10_000

/** How long a change is applied repeatedly: the server that was told may have died or been replaced. */
const UNSETTLED_SECONDS = 60

/** Higher than any id. */
const AFTER_ALL = Number.MAX_SAFE_INTEGER

/** Reads the recorded changes, so that they can be applied again. */
@Injectable()
export class ChangeHistory {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** The changes after this id that may still concern a live session, each with the sessions that it concerns now. */
  async *pagesAfter(id: number): AsyncGenerator<ChangePage> {
    for (let after = id, isLast = false; !isLast; ) {
      const { lastId, ...page } = await this.pageAfter(after)
      yield page
      after = lastId
      isLast = page.isLast
    }
  }

  /**
   * The highest id up to which every change was recorded more than `seconds` ago, so that no lower one can
   * appear later. Ids are assigned before commit, so an open transaction may leave a gap; nothing since the
   * start of the oldest open one counts as settled. It is the id of a visible change, because the id just
   * below a change that is too new may be the missing one. At least `settled`, which was settled before.
   */
  async settledId(settled = 0, seconds = UNSETTLED_SECONDS): Promise<number> {
    // A separate statement, and first, so that the second one sees what is committed after it.
    const [horizon] = rowsOf<{ seconds: number }>(
      await this.database.run(db =>
        db.execute(sql`
          select extract(epoch from least(clock_timestamp() - make_interval(secs => ${seconds}), min(xact_start)))::float8 as seconds
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
          where id < coalesce((select min(id) from newer where recorded_at >= to_timestamp(${horizon?.seconds}::float8)), ${AFTER_ALL})`),
      ),
    )
    return Math.max(settled, Number(last?.id ?? 0))
  }

  /** The last assigned id, even if its change was rolled back. */
  async newestId(): Promise<number> {
    return (await this.newest()).assigned
  }

  /**
   * The last assigned id, and the highest id of a committed change; 0 if there is none. The assigned id is
   * never lower than one committed before, whatever server takes over, unless commits are lost.
   */
  async newest(): Promise<{ readonly assigned: number; readonly committed: number }> {
    const [row] = rowsOf<{ assigned: string; committed: string }>(
      await this.database.run(db =>
        db.execute(sql`
          select coalesce(max(id), 0)::text as committed,
            coalesce(pg_sequence_last_value(pg_get_serial_sequence('session_changes', 'id')::regclass), 0)::text as assigned
          from ${sessionChanges}`),
      ),
    )
    return { assigned: Number(row?.assigned ?? 0), committed: Number(row?.committed ?? 0) }
  }

  private async pageAfter(id: number): Promise<ChangePage & { readonly lastId: number }> {
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
        .limit(ROWS_A_PAGE),
    )
    return {
      changes: {
        ended: rows.flatMap(({ sid }) => (sid === null ? [] : [sid as SessionHandle])),
        grants: rows.flatMap(({ id: version, granted, sids }) =>
          granted === null ? [] : [{ version, granted: granted as Permissions, sids: sids ?? [] }],
        ),
      },
      count: rows.length,
      isLast: rows.length < ROWS_A_PAGE,
      lastId: rows.at(-1)?.id ?? id,
    }
  }
}
