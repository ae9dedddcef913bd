import { Global, Injectable, Module } from '@nestjs/common'
import { Database } from '../database/database.js'
import { keepLease, takeLease } from '../database/lease.js'
import { causeMessage } from '../errors/cause-message.js'
import { Logger } from '../log.js'
import { Clock } from '../time.js'

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

@Global()
@Module({ providers: [LeasedJobs], exports: [LeasedJobs] })
export class JobsModule {}
