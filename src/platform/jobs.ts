import { Global, Injectable, Module } from '@nestjs/common'
import { eq, gt, lt, or, type SQL, sql } from 'drizzle-orm'
import { Database } from './database/database.js'
import { leases } from './database/schema/platform.js'
import { causeMessage } from './errors/api-error.js'
import { Logger } from './log.js'
import { Clock } from './time.js'

/** Leases end by the database's clock, which all replicas share: clocks of two machines may differ by hours. */
const NOW = sql`clock_timestamp()`

function inSeconds(seconds: number): SQL {
  return sql`${NOW} + make_interval(secs => ${seconds})`
}

/** By how much a lease may seem too long: its end is rounded to milliseconds, and the clock may be adjusted a little. */
const TOLERANCE_SECONDS = 60

/**
 * Takes the lease `name` for `seconds`; false when another replica has it. It is not given back but expires. A
 * lease that ends later than one of `longestSeconds` can is taken too: the database's clock was set back since, and
 * no replica would have it until then.
 */
export async function takeLease(
  database: Database,
  name: string,
  { seconds, longestSeconds = seconds }: { seconds: number; longestSeconds?: number },
): Promise<boolean> {
  const until = inSeconds(seconds)
  const isTooFar = gt(leases.until, inSeconds(longestSeconds + TOLERANCE_SECONDS))
  const taken = await database.run(db =>
    db
      .insert(leases)
      .values({ name, until })
      .onConflictDoUpdate({
        target: leases.name,
        set: { until },
        setWhere: or(lt(leases.until, NOW), isTooFar),
      })
      .returning({ name: leases.name }),
  )
  return taken.length === 1
}

/** Extends a lease to `seconds` from now: the work is done, and no replica is to do it again before then. */
async function keepLease(database: Database, name: string, seconds: number): Promise<void> {
  await database.run(db =>
    db
      .update(leases)
      .set({ until: inSeconds(seconds) })
      .where(eq(leases.name, name)),
  )
}

/** Shorter than the interval, so that the lease is free again at the next run, whichever replica takes it. */
const LEASED_PART = 0.9

interface LeasedJob {
  /** Unique; also the name in the log. */
  readonly name: string
  readonly everyMs: number
  /** How long no replica runs it again after it has succeeded; by default until the next run. */
  readonly restSeconds?: number
}

/** Runs recurring work on one replica at a time. */
@Injectable()
export class LeasedJobs {
  private readonly logger = new Logger('LeasedJobs')

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * The result of `work`; null when another replica has run it within the interval, or when it failed
   * (logged). The next run continues, so `work` must consist of self-contained steps.
   */
  async run<T>(job: LeasedJob, work: (now: Date) => Promise<T>): Promise<T | null> {
    const { name, restSeconds } = job
    try {
      if (!(await this.take(job))) return null
      const result = await work(this.clock.now())
      if (restSeconds) await keepLease(this.database, name, restSeconds)
      return result
    } catch (error) {
      this.logger.error(`${name} did not finish; the next run continues: ${causeMessage(error)}`)
      return null
    }
  }

  private take({ name, everyMs, restSeconds = 0 }: LeasedJob): Promise<boolean> {
    const seconds = (LEASED_PART * everyMs) / 1000
    return takeLease(this.database, name, { seconds, longestSeconds: Math.max(seconds, restSeconds) })
  }
}

/**
 * Does `work` for each of these, one after the other; returns how often it was true. One that fails does not stop the
 * others: `task` says in the log what could not be done yet.
 */
export async function attemptEach<T>(
  all: readonly T[],
  work: (each: T) => Promise<unknown>,
  task: (each: T) => string,
  logger: Logger,
): Promise<number> {
  let done = 0
  for (const each of all)
    try {
      if ((await work(each)) === true) done++
    } catch (error) {
      logger.error(`Could not ${task(each)} yet; the next run retries: ${causeMessage(error)}`)
    }
  return done
}

@Global()
@Module({ providers: [LeasedJobs], exports: [LeasedJobs] })
export class JobsModule {}
