import { Injectable } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { causeMessage } from '../platform/errors/api-error.js'
import { LeasedJobs } from '../platform/jobs.js'
import { Logger } from '../platform/log.js'
import { SecondFactorPolicyService } from './policy.js'

const JOB = { name: 'second-factor-policies', everyMs: 60_000 }

/** Begins to enforce requirements whose grace period is over, on one replica at a time. */
@Injectable()
export class PolicyJob {
  private readonly logger = new Logger('PolicyJob')

  constructor(
    private readonly policies: SecondFactorPolicyService,
    private readonly jobs: LeasedJobs,
  ) {}

  /** Returns for how many accounts enforcement began; null when the run did not finish here. */
  @Interval(JOB.everyMs)
  run(): Promise<number | null> {
    return this.jobs.run(JOB, async () => {
      let begun = 0
      for (const accountId of await this.policies.listDue()) if (await this.attempt(accountId)) begun++
      return begun
    })
  }

  /** One that fails does not stop the others. */
  private async attempt(accountId: string): Promise<boolean> {
    try {
      return await this.policies.begin(accountId)
    } catch (error) {
      this.logger.error(
        `Could not apply the policy of account ${accountId} yet; the next run retries: ${causeMessage(error)}`,
      )
      return false
    }
  }
}
