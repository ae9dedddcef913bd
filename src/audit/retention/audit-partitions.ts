import { setTimeout as sleep } from 'node:timers/promises'
import { Injectable } from '@nestjs/common'
import { sql } from 'drizzle-orm'
import type { Db } from '../../platform/database/connection.js'
import { Database, rowsOf } from '../../platform/database/database.js'
import { isLockTimeout } from '../../platform/database/postgres.js'

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

  async list(): Promise<AuditPartition[]> {
    const found = await this.database.run(db =>
      db.execute(sql`select name, extract(epoch from until)::float8 as seconds from audit_partitions()`),
    )
    return rowsOf<{ name: string; seconds: number | null }>(found).map(({ name, seconds }) => ({
      name,
      until: seconds === null ? null : new Date(seconds * 1000),
    }))
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
}

function startOfMonth(time: Date, monthsLater: number): Date {
  return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + monthsLater))
}
