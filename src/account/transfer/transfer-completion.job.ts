import { Injectable } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { causeMessage } from '../../platform/errors/api-error.js'
import { LeasedJobs } from '../../platform/jobs.js'
import { Logger } from '../../platform/log.js'
import { PendingTransfers } from '../../users/pending/pending-transfers.js'
import { OwnerChange } from './owner-change.js'
import { TransferCancellation } from './transfer-cancellation.js'

const JOB = { name: 'ownership-transfers', everyMs: 10 * 60 * 1000 }

/** Completes transfers that are due and cancels void ones, on one replica at a time. */
@Injectable()
export class TransferCompletion {
  private readonly logger = new Logger('TransferCompletion')

  constructor(
    private readonly transfers: PendingTransfers,
    private readonly change: OwnerChange,
    private readonly cancellation: TransferCancellation,
    private readonly jobs: LeasedJobs,
  ) {}

  /** Returns how many accounts got a new owner; null when the run did not finish here. */
  @Interval(JOB.everyMs)
  run(): Promise<number | null> {
    return this.jobs.run(JOB, async () => {
      for (const { accountId } of await this.transfers.listInvalid())
        await this.attempt(() => this.cancellation.ofVoid(accountId), accountId)
      let done = 0
      for (const transfer of await this.transfers.listReady())
        if (await this.attempt(() => this.change.complete(transfer), transfer.accountId)) done++
      return done
    })
  }

  /** Null when it cannot be completed now, which does not stop the others. */
  private async attempt<T>(work: () => Promise<T>, accountId: string): Promise<T | null> {
    try {
      return await work()
    } catch (error) {
      this.logger.error(
        `Could not complete the transfer of account ${accountId} yet; the next run retries: ${causeMessage(error)}`,
      )
      return null
    }
  }
}
