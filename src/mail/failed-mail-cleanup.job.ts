import { Injectable } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { Database } from '../platform/database/database.js'
import { removeExpiredRows } from '../platform/database/remove-expired-rows.js'
import { failedMails } from '../platform/database/schema/mail.js'
import { LeasedJobs } from '../platform/jobs/leased-jobs.js'

const JOB = { name: 'failed-mail-cleanup', everyMs: 60 * 60 * 1000 }

/** Removes failed mails that can no longer be resent, on one replica at a time. */
@Injectable()
export class FailedMailCleanup {
  constructor(
    private readonly database: Database,
    private readonly jobs: LeasedJobs,
  ) {}

  /** Returns how many were removed; null when it did not run to completion here. */
  @Interval(JOB.everyMs)
  run(): Promise<number | null> {
    return this.jobs.run(JOB, now =>
      removeExpiredRows(this.database, failedMails, failedMails.expiresAt, now),
    )
  }
}
