import { setTimeout as sleep } from 'node:timers/promises'
import { Injectable } from '@nestjs/common'
import { max, sql } from 'drizzle-orm'
import type { Db } from '../../database/connection.js'
import { Database, rowsOf } from '../../database/database.js'
import { isLockTimeout } from '../../database/postgres/postgres-outage.js'
import { auditLog } from '../../database/schema/audit.js'

/** One month of the log, or several. */
export interface AuditPartition {
  readonly name: string
  /** When the rows of the next partition begin; null for the default partition. */
  readonly until: Date | null
}

/** Inserts and reads queue behind a waiting lock, so it must not wait for long. */
const LOCK_TIMEOUT = sql.raw(`set local lock_timeout = '500ms'`)
const LOCK_ATTEMPTS = 10
const BETWEEN_ATTEMPTS_MS = 1_000
/** If the job does not run for this long, new rows go to the default partition. */
const MONTHS_AHEAD = 3

/** The partitions of the audit log. All of this can run while replicas write to the log. */
@Injectable()
export class AuditPartitions {
  constructor(private readonly database: Database) {}

  /** All partitions; none while the log is not partitioned. */
  async list(): Promise<AuditPartition[]> {
    const found = await this.database.run(db =>
      db.execute(sql`select name, extract(epoch from until)::float8 as seconds from audit_partitions()`),
    )
    return rowsOf<{ name: string; seconds: number | null }>(found).map(({ name, seconds }) => ({
      name,
      until: seconds === null ? null : new Date(seconds * 1000),
    }))
  }

  /** Partitions a log that is still one table, in steps that never lock it for long; does nothing when that is done. */
  async partition(now: Date): Promise<void> {
    if (await this.isPartitioned()) return
    const boundary = await this.boundaryFrom(now)
    await this.withShortLock(db => addRangeCheck(db, boundary))
    try {
      // Reads every row, without blocking readers or writers.
      await this.database.maintain(db =>
        db.execute(sql`alter table audit_log validate constraint audit_log_before`),
      )
      await this.withShortLock(db =>
        db.execute(sql`select partition_audit_log(${boundary.toISOString()}::timestamptz)`),
      )
    } catch (error) {
      // Otherwise it would reject rows of later months.
      await this.withShortLock(dropRangeCheck)
      throw error
    }
  }

  /** Creates the partitions of this month and the next three; returns how many did not exist yet. */
  async prepare(now: Date): Promise<number> {
    let created = 0
    for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead += 1) {
      const month = startOfMonth(now, ahead)
      const create = sql`select create_audit_partition(${month.toISOString()}::timestamptz) as "isNew"`
      const [answer] = rowsOf<{ isNew: boolean }>(await this.withShortLock(db => db.execute(create)))
      if (answer?.isNew) created += 1
    }
    return created
  }

  /** Runs a transaction that locks the table, and tries again when it does not get the lock soon. */
  async withShortLock<T>(work: (transaction: Db) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await this.database.maintain(async db => {
          await db.execute(LOCK_TIMEOUT)
          return work(db)
        })
      } catch (error) {
        if (attempt === LOCK_ATTEMPTS || !isLockTimeout(error)) throw error
        await sleep(BETWEEN_ATTEMPTS_MS)
      }
  }

  private async isPartitioned(): Promise<boolean> {
    const kind = sql`select relkind = 'p' as "isPartitioned" from pg_class where oid = 'audit_log'::regclass`
    const [table] = rowsOf<{ isPartitioned: boolean }>(await this.database.run(db => db.execute(kind)))
    return table?.isPartitioned === true
  }

  /** The start of a month that no row has reached yet, and none will before the log is partitioned. */
  private async boundaryFrom(now: Date): Promise<Date> {
    const [row] = await this.database.run(db => db.select({ at: max(auditLog.at) }).from(auditLog))
    const last = row?.at ?? now
    return startOfMonth(last > now ? last : now, 2)
  }
}

async function addRangeCheck(db: Db, boundary: Date): Promise<void> {
  await dropRangeCheck(db)
  const check = sql.raw(`check (at < '${boundary.toISOString()}')`)
  await db.execute(sql`alter table audit_log add constraint audit_log_before ${check} not valid`)
}

async function dropRangeCheck(db: Db): Promise<void> {
  await db.execute(sql`alter table audit_log drop constraint if exists audit_log_before`)
}

function startOfMonth(time: Date, monthsLater: number): Date {
  return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + monthsLater))
}
