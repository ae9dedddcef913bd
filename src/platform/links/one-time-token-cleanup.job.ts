import { Injectable } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { LeasedJobs } from '../jobs/leased-jobs.js'
import { Logger } from '../log/logger.js'
import { OneTimeTokens } from './one-time-tokens.js'

const JOB = { name: 'one-time-token-cleanup', everyMs: 60 * 60 * 1000 }

/** Removes expired tokens, on one replica at a time: what they hold, such as a password hash, is no longer needed. */
@Injectable()
export class OneTimeTokenCleanup {
  private readonly logger = new Logger('OneTimeTokenCleanup')

  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly jobs: LeasedJobs,
  ) {}

  /** Returns how many were removed; null when it did not run to completion here. */
  @Interval(JOB.everyMs)
  run(): Promise<number | null> {
    return this.jobs.run(JOB, async now => {
      const removed = await this.tokens.removeExpired(now)
      this.logger.log(`Removed ${removed} expired tokens`)
      return removed
    })
  }
}
