import { Injectable } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { Database } from '../database/database.js'
import { refusalCounts } from '../database/schema/audit.js'
import { hourlyBudgets } from '../database/schema/platform.js'
import { removeExpiredRows } from '../database/sql.js'
import { LeasedJobs } from '../jobs.js'
import { Logger } from '../log.js'
import { secondsAfter } from '../time.js'

const JOB = { name: 'refusal-cleanup', everyMs: 60 * 60 * 1000 }
/** Long enough to investigate an attack; not longer, because addresses belong to people. */
const KEEP_SECONDS = 30 * 24 * 60 * 60

/** Removes old counts of refusals, on one replica at a time. */
@Injectable()
export class RefusalCleanup {
  private readonly logger = new Logger('RefusalCleanup')

  constructor(
    private readonly database: Database,
    private readonly jobs: LeasedJobs,
  ) {}

  /** Returns how many counts were removed; null when the run did not finish here. */
  @Interval(JOB.everyMs)
  run(): Promise<number | null> {
    return this.jobs.run(JOB, async now => {
      const before = secondsAfter(now, -KEEP_SECONDS)
      await removeExpiredRows(this.database, hourlyBudgets, hourlyBudgets.hour, before)
      const removed = await removeExpiredRows(this.database, refusalCounts, refusalCounts.minute, before)
      this.logger.log(`Removed ${removed} old counts of refusals`)
      return removed
    })
  }
}
