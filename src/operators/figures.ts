import { Injectable } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { desc, gte, lt, min, sql } from 'drizzle-orm'
import type { Db } from '../platform/database/connection.js'
import { Database, rowsOf } from '../platform/database/database.js'
import { auditLog, refusalCounts } from '../platform/database/schema/audit.js'
import { hourlyFigures } from '../platform/database/schema/operators.js'
import { LeasedJobs } from '../platform/jobs.js'
import { Clock } from '../platform/time.js'

const JOB = { name: 'operator-figures', everyMs: 10 * 60 * 1000 }

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS
/** Today among them. */
const DAYS = 30
/** Rows about failures are written a moment later, their counts after a minute, and the clocks of replicas differ. */
const SETTLED_AFTER_MS = 5 * 60 * 1000
/** Of what the job has not counted yet, as after a first start. Usually it is an hour. */
const COUNTED_AT_ONCE_MS = DAY_MS

type Hour = typeof hourlyFigures.$inferSelect

/** Counts of a day in UTC. */
interface DayFigures extends Omit<Hour, 'hour'> {
  /** Such as `2026-11-30`. */
  readonly day: string
}

/**
 * How many logged in, failed to, and signed up. The log of a month may have many millions of rows, so a job counts
 * each hour once, and a reader only what has happened since.
 */
@Injectable()
export class Figures {
  constructor(
    private readonly database: Database,
    private readonly jobs: LeasedJobs,
    private readonly clock: Clock,
  ) {}

  /** The last 30 days, oldest first, up to now; throws `TOO_BUSY` where counting takes too long. */
  async byDay(): Promise<DayFigures[]> {
    const now = this.clock.now().getTime()
    const today = startOf(now, DAY_MS)
    const days = Array.from({ length: DAYS }, (_, index) => dayOf(today - (DAYS - 1 - index) * DAY_MS))
    const hours = await this.database.report(async db => {
      const counted = await countedSince(db, today - (DAYS - 1) * DAY_MS)
      const latest: Hour[] = []
      const from = Math.max(endOf(counted), startOf(now - COUNTED_AT_ONCE_MS, HOUR_MS))
      for (let hour = from; hour <= now; hour += HOUR_MS) latest.push(await count(db, hour))
      return [...counted, ...latest]
    })
    return days.map(day => sumOf(day, hours))
  }

  /**
   * Counts the hours that are over, on one replica at a time; returns how many, or null when the run did not finish
   * here.
   */
  @Interval(JOB.everyMs)
  run(): Promise<number | null> {
    return this.jobs.run(JOB, async now => {
      const first = startOf(now.getTime(), DAY_MS) - (DAYS - 1) * DAY_MS
      const counted = await this.database.run(db => countedSince(db, first))
      const from = Math.max(first, counted.length > 0 ? endOf(counted) : await this.startOfLog(now))
      const until = startOf(now.getTime() - SETTLED_AFTER_MS, HOUR_MS)
      for (let hour = from; hour < until; hour += HOUR_MS) {
        const figures = await this.database.report(db => count(db, hour))
        await this.database.run(db => db.insert(hourlyFigures).values(figures).onConflictDoNothing())
      }
      await this.database.run(db => db.delete(hourlyFigures).where(lt(hourlyFigures.hour, new Date(first))))
      return Math.max(0, (until - from) / HOUR_MS)
    })
  }

  /** The hour of its first row. */
  private async startOfLog(now: Date): Promise<number> {
    const [row] = await this.database.report(db => db.select({ first: min(auditLog.at) }).from(auditLog))
    return startOf((row?.first ?? now).getTime(), HOUR_MS)
  }
}

/** Newest first. */
function countedSince(db: Db, time: number): Promise<Hour[]> {
  const { hour } = hourlyFigures
  return db
    .select()
    .from(hourlyFigures)
    .where(gte(hour, new Date(time)))
    .orderBy(desc(hour))
}

/** Where the latest hour ended, in milliseconds since 1970; 0 if there is none. */
function endOf([latest]: readonly Hour[]): number {
  return latest ? latest.hour.getTime() + HOUR_MS : 0
}

/** Reads the rows of one hour. A failure that has no row of its own was counted when it happened. */
async function count(db: Db, hour: number): Promise<Hour> {
  const from = sql`${new Date(hour).toISOString()}::timestamptz`
  const to = sql`${new Date(hour + HOUR_MS).toISOString()}::timestamptz`
  const { at, action, outcome, detail } = auditLog
  const isLogin = sql`${action} = 'login' and ${outcome} = 'ok'`
  const query = sql`
    select count(*) filter (where ${isLogin})::int as logins,
      count(*) filter (where ${isLogin} and ${detail} -> 'methods' <> '["pwd"]')::int as "secondFactors",
      count(*) filter (where ${action} = 'login' and ${outcome} = 'failed')::int + (
        select coalesce(sum(${refusalCounts.count}), 0)::int from ${refusalCounts}
        where ${refusalCounts.minute} >= ${from} and ${refusalCounts.minute} < ${to}
          and ${refusalCounts.kind} like 'login failed%') as "failedLogins",
      count(*) filter (where ${action} = 'account.create' and ${detail} ->> 'operator' is null)::int as "signUps"
    from ${auditLog} where ${at} >= ${from} and ${at} < ${to}`
  const [figures] = rowsOf<Omit<Hour, 'hour'>>(await db.execute(query))
  return { ...(figures as Omit<Hour, 'hour'>), hour: new Date(hour) }
}

function sumOf(day: string, hours: readonly Hour[]): DayFigures {
  const own = hours.filter(({ hour }) => dayOf(hour.getTime()) === day)
  const sum = (name: Exclude<keyof Hour, 'hour'>) => own.reduce((total, figures) => total + figures[name], 0)
  return {
    day,
    logins: sum('logins'),
    secondFactors: sum('secondFactors'),
    failedLogins: sum('failedLogins'),
    signUps: sum('signUps'),
  }
}

function startOf(time: number, length: number): number {
  return Math.floor(time / length) * length
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
