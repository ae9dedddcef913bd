import { Injectable } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { FactorResets } from '../factors/factor-resets.js'
import type { TargetUser } from '../platform/audit/audit-event.js'
import { causeMessage } from '../platform/errors/api-error.js'
import { LeasedJobs } from '../platform/jobs.js'
import { Logger } from '../platform/log.js'
import { FactorResetCompletion } from './factor-reset.js'

const JOB = { name: 'factor-resets', everyMs: 5 * 60_000 }

/** Carries out the resets that are due, on one replica at a time. */
@Injectable()
export class FactorResetJob {
  private readonly logger = new Logger('FactorResetJob')

  constructor(
    private readonly resets: FactorResets,
    private readonly completion: FactorResetCompletion,
    private readonly jobs: LeasedJobs,
  ) {}

  /** Returns how many were carried out; null when the run did not finish here. */
  @Interval(JOB.everyMs)
  run(): Promise<number | null> {
    return this.jobs.run(JOB, async () => {
      let done = 0
      for (const user of await this.resets.listDue()) if (await this.attempt(user)) done++
      return done
    })
  }

  /** A failed reset does not stop the others. */
  private async attempt(user: TargetUser): Promise<boolean> {
    try {
      return (await this.completion.complete(user, null)) === 'done'
    } catch (error) {
      this.logger.error(
        `Could not reset the factors of user ${user.id} yet; the next run retries: ${causeMessage(error)}`,
      )
      return false
    }
  }
}
