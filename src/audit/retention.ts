import { setTimeout as sleep } from 'node:timers/promises'
import { Injectable } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { sql } from 'drizzle-orm'
import { auditEvent, SERVICE } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Settings } from '../platform/config/settings.js'
import type { Db } from '../platform/database/connection.js'
import { Database, rowsOf } from '../platform/database/database.js'
import { isLockTimeout } from '../platform/database/postgres-errors.js'
import { auditChain, auditLog, auditRemovedIds, auditRetention } from '../platform/database/schema/audit.js'
import { LeasedJobs } from '../platform/jobs.js'
import { Logger } from '../platform/log.js'
import { Clock } from '../platform/time.js'

const JOB = { name: 'audit-upkeep', everyMs: 60 * 60 * 1000 }
const DAY_MS = 24 * 60 * 60 * 1000
/** Clocks that are kept by NTP differ by far less. */
const MAX_SECONDS_AHEAD = 60

/** Inserts and reads queue behind a waiting lock, so it must not wait for long. */
const LOCK_TIMEOUT = sql.raw(`set local lock_timeout = '500ms'`)
const LOCK_ATTEMPTS = 10
const BETWEEN_ATTEMPTS_MS = 1_000
/** If the job does not run for this long, new rows go to the default partition. */
const MONTHS_AHEAD = 3

/** Well within the time that a statement may take. */
const ROWS_A_STATEMENT = 5_000
/** A run ends after this many; the next one continues. */
const STATEMENTS_A_RUN = 200
/** Replicas' clocks differ and transactions overlap, so ids and times are only roughly in the same order. */
const ROWS_AROUND_THE_CUT = 10_000

/** One month of the log, or several. */
interface AuditPartition {
  readonly name: string
  /** When the rows of the next partition begin; null for the default partition. */
  readonly until: Date | null
}

/** What one run has removed. */
export interface Expired {
  readonly partitions: number
  /** Rows other than those of whole partitions. */
  readonly rows: number
  readonly seals: number
}

/**
 * Partitions the audit log ahead of time, removes what is older than the settings say with its seals, and keeps what is
 * needed to verify the rest. All of this can run while replicas write to the log.
 */
@Injectable()
export class AuditRetention {
  private readonly logger = new Logger('AuditRetention')
  private readonly keptDays: number | null

  constructor(
    private readonly database: Database,
    private readonly auditLog: AuditLog,
    private readonly jobs: LeasedJobs,
    private readonly clock: Clock,
    { auditRetentionDays }: Settings,
  ) {
    this.keptDays = auditRetentionDays
  }

  /**
   * On one replica at a time. Returns what was removed, if the log is not kept forever; null also when the run did not
   * finish here.
   */
  @Interval(JOB.everyMs)
  run(): Promise<Expired | null> {
    return this.jobs.run(JOB, async now => {
      const created = await this.prepare(now)
      if (created > 0) this.logger.log(`Created ${created} partitions of the audit log`)
      if (this.keptDays === null) return null
      await this.requireNotAhead()
      const expired = await this.expire(startOfDay(now, -this.keptDays))
      const { partitions, rows, seals } = expired
      if (partitions + rows + seals > 0)
        this.logger.log(
          `Removed ${partitions} partitions and ${rows} other rows of the audit log, and ${seals} seals`,
        )
      return expired
    })
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

  /**
   * Removes the rows from before `before`: partitions as a whole, the rest in small statements, a limited number
   * in each run. An `audit.expire` row announces it first. Safe to repeat.
   */
  async expire(before: Date): Promise<Expired> {
    const partitions = await this.partitions()
    if (partitions.length === 0) return { partitions: 0, rows: 0, seals: 0 }
    if (await this.hasRowsBefore(before)) await this.announce(before)
    const isOver = ({ until }: AuditPartition) => until !== null && until <= before
    const whole = partitions.filter(isOver)
    for (const { name } of whole) await this.drop(name)
    let rows = 0
    for (const { name } of partitions.filter(partition => !isOver(partition)))
      rows += await repeat(() => this.deleteSome(name, before))
    const seals = await repeat(() => this.deleteSomeSeals())
    await this.database.run(db => db.execute(FORGET_IDS))
    return { partitions: whole.length, rows, seals }
  }

  async partitions(): Promise<AuditPartition[]> {
    const found = await this.database.run(db =>
      db.execute(sql`select name, extract(epoch from until)::float8 as seconds from audit_partitions()`),
    )
    return rowsOf<{ name: string; seconds: number | null }>(found).map(({ name, seconds }) => ({
      name,
      until: seconds === null ? null : new Date(seconds * 1000),
    }))
  }

  /** A machine with the wrong time must not remove what cannot be restored. The transit time counts against it. */
  private async requireNotAhead(): Promise<void> {
    const databaseTime = await this.database.now()
    const seconds = (this.clock.now().getTime() - databaseTime.getTime()) / 1000
    if (seconds > MAX_SECONDS_AHEAD)
      throw new Error(
        `nothing is removed while this machine is ${Math.round(seconds)} s ahead of the database`,
      )
  }

  private async hasRowsBefore(before: Date): Promise<boolean> {
    const found = sql`select at from ${auditLog} where ${auditLog.at} < ${iso(before)} order by at limit 1`
    return rowsOf(await this.database.report(db => db.execute(found))).length > 0
  }

  private async announce(before: Date): Promise<void> {
    const belowId = await this.database.report(db => lowestIdFrom(db, before))
    await this.database.transaction(async db => {
      const said = await db
        .insert(auditRetention)
        .values({ before, belowId })
        .onConflictDoUpdate({
          target: auditRetention.id,
          set: { before, belowId: sql`greatest(${auditRetention.belowId}, excluded.below_id)` },
          setWhere: sql`${auditRetention.before} < excluded.before`,
        })
        .returning({ id: auditRetention.id })
      const event = auditEvent(SERVICE, 'audit.expire', { before: before.toISOString() })
      // What an earlier run left over was announced by that run.
      if (said.length > 0) await this.auditLog.record(db, event)
    })
  }

  private async drop(name: string): Promise<void> {
    const partition = sql.identifier(name)
    await this.withShortLock(async db => {
      await db.execute(sql`
        insert into ${auditRemovedIds} select id from ${partition} where id >= (select below_id from ${auditRetention})`)
      await db.execute(sql`drop table ${partition}`)
    })
  }

  private async deleteSome(name: string, before: Date): Promise<number> {
    const partition = sql.identifier(name)
    const statement = sql`
      with expired as (select id from ${partition} where at < ${iso(before)} order by at limit ${ROWS_A_STATEMENT}),
      gone as (delete from ${partition} where id = any (array(select id from expired)) returning id),
      beyond as (insert into ${auditRemovedIds}
        select id from gone where id >= (select below_id from ${auditRetention}) returning id)
      select count(*)::int as count from gone`
    return countOf(await this.database.run(db => db.execute(statement)))
  }

  /**
   * From the start of the chain up to the first seal whose row still exists, except the seal before it, from
   * which the rest is verified.
   */
  private async deleteSomeSeals(): Promise<number> {
    return countOf(await this.database.run(db => db.execute(DELETE_SEALS)))
  }

  /** Runs a transaction that locks the table, and tries again when it does not get the lock soon. */
  private async withShortLock<T>(work: (transaction: Db) => Promise<T>): Promise<T> {
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

/** In UTC, so that a log is cut once a day. */
function startOfDay(time: Date, daysLater: number): Date {
  return new Date(Math.floor(time.getTime() / DAY_MS + daysLater) * DAY_MS)
}

const DELETE_SEALS = sql`
  with first as materialized (
    select position, audit_id from ${auditChain} order by position limit ${ROWS_A_STATEMENT}),
  present as materialized (
    select id from ${auditLog}
    where id between (select min(audit_id) from first) and (select max(audit_id) from first)),
  staying as (
    select min(position) as position from first
    where audit_id in (select id from present)
      or (audit_id >= (select coalesce(max(below_id), 0) from ${auditRetention})
        and not exists (select from ${auditRemovedIds} removed where removed.id = audit_id))),
  gone as (
    delete from ${auditChain} where position < coalesce(
      (select position - 1 from staying where position is not null), (select max(position) from first))
    returning 1)
  select count(*)::int as count from gone`

/** The ids of removed rows whose seals are gone as well. */
const FORGET_IDS = sql`delete from ${auditRemovedIds} where id < (select below_id from ${auditRetention})`

/** The lowest id of the rows that stay; if none does, an id that no row has had. */
async function lowestIdFrom(db: Db, before: Date): Promise<number> {
  const staying = sql`select id from ${auditLog} where at >= ${iso(before)} order by at limit ${ROWS_AROUND_THE_CUT}`
  const lowest = sql`
    select coalesce(min(id), (select coalesce(max(id), 0) + 1 from ${auditLog}))::text as id from (${staying}) staying`
  const [row] = rowsOf<{ id: string }>(await db.execute(lowest))
  return Number(row?.id)
}

async function repeat(remove: () => Promise<number>): Promise<number> {
  let removed = 0
  for (let statement = 0; statement < STATEMENTS_A_RUN; statement += 1) {
    const count = await remove()
    removed += count
    // With seals, each statement leaves one.
    if (count < ROWS_A_STATEMENT - 1) break
  }
  return removed
}

function countOf(result: unknown): number {
  return rowsOf<{ count: number }>(result)[0]?.count ?? 0
}

function iso(time: Date) {
  return sql`${time.toISOString()}::timestamptz`
}
