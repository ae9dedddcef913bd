import { Injectable, Logger } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { LeasedJobs } from '../jobs/leased-jobs.js'
import { OneTimeTokens } from './one-time-tokens.js'

const JOB = { name: 'one-time-token-cleanup', everyMs: 60 * 60 * 1000 }

/** Clears away expired links, on one replica at a time: what they hold, such as the hash of a password, is nobody's any more. */
@Injectable()
export class OneTimeTokenCleanup {
  private readonly logger = new Logger('OneTimeTokenCleanup')

  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly jobs: LeasedJobs,
  ) {}

  /** Returns how many went; null when it did not run to its end here. */
  @Interval(JOB.everyMs)
  run(): Promise<number | null> {
    return this.jobs.run(JOB, async now => {
      const removed = await this.tokens.removeExpired(now)
      this.logger.log(`Removed ${removed} expired links`)
      return removed
    })
  }
}
