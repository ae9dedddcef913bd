import { Global, Injectable, Module } from '@nestjs/common'
import { Clock } from '../clock/clock.js'
import { Database } from '../database/database.js'
import { keepLease, takeEndlessLease, takeLease } from '../database/lease.js'
import { Logger } from '../log/logger.js'

/** Shorter than the interval, so that the lease is free again at the next run, whichever replica takes it. */
const LEASED_PART = 0.9

export interface LeasedJob {
  /** Unique; also the name in the log. */
  readonly name: string
  readonly everyMs: number
  /** How long nobody runs it again after it has succeeded; by default until the next run. */
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
      const now = this.clock.now()
      if (!(await this.take(job, now))) return null
      const result = await work(now)
      if (restSeconds) await keepLease(this.database, name, now, restSeconds)
      return result
    } catch (error) {
      this.logger.error(`${name} did not finish; the next run continues: ${(error as Error).message}`)
      return null
    }
  }

  private async take({ name, everyMs, restSeconds = 0 }: LeasedJob, now: Date): Promise<boolean> {
    const seconds = (LEASED_PART * everyMs) / 1000
    if (await takeLease(this.database, name, now, seconds)) return true
    const longestSeconds = Math.max(seconds, restSeconds)
    const isTaken = await takeEndlessLease(this.database, name, now, { seconds, longestSeconds })
    if (isTaken) this.logger.warn(`${name} was leased too far ahead: a machine had or has the wrong time`)
    return isTaken
  }
}

@Global()
@Module({ providers: [LeasedJobs], exports: [LeasedJobs] })
export class JobsModule {}
