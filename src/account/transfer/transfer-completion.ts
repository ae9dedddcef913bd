import { Injectable } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { LeasedJobs } from '../../jobs/leased-jobs.js'
import { Logger } from '../../log/logger.js'
import { CompletedTransfers } from './completed-transfers.js'
import { DueTransfers } from './due-transfers.js'
import { TransferCancellation } from './transfer-cancellation.js'

const JOB = { name: 'ownership-transfers', everyMs: 10 * 60 * 1000 }

/**
 * Completes transfers that are due and cancels those that were not accepted in time, on one replica at a
 * time.
 */
@Injectable()
export class TransferCompletion {
  private readonly logger = new Logger('TransferCompletion')

  constructor(
    private readonly due: DueTransfers,
    private readonly completed: CompletedTransfers,
    private readonly cancellation: TransferCancellation,
    private readonly jobs: LeasedJobs,
  ) {}

  /** Returns how many accounts got another owner; null when the run did not finish here. */
  @Interval(JOB.everyMs)
  run(): Promise<number | null> {
    return this.jobs.run(JOB, async () => {
      for (const { accountId } of await this.due.expired()) await this.end(accountId, 'not accepted in time')
      let done = 0
      for (const transfer of await this.due.ready()) {
        const outcome = await this.attempt(() => this.completed.complete(transfer), transfer.accountId)
        if (outcome === 'done') done++
        if (outcome === 'void') await this.end(transfer.accountId, 'one of the two is gone')
      }
      return done
    })
  }

  private async end(accountId: string, reason: string): Promise<void> {
    const cancellation = { client: null, reason }
    await this.attempt(() => this.cancellation.ofAccount(accountId, cancellation, async () => {}), accountId)
  }

  /** Null when it cannot be completed now, which does not stop the others. */
  private async attempt<T>(work: () => Promise<T>, accountId: string): Promise<T | null> {
    try {
      return await work()
    } catch (error) {
      this.logger.error(`The transfer of account ${accountId} has to wait: ${(error as Error).message}`)
      return null
    }
  }
}
