import { Injectable } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { Database } from '../../platform/database/database.js'
import { rememberedDevices } from '../../platform/database/schema/factors.js'
import { removeExpiredRows } from '../../platform/database/sql.js'
import { LeasedJobs } from '../../platform/jobs.js'

const JOB = { name: 'remembered-device-cleanup', everyMs: 60 * 60 * 1000 }

/** Removes what has expired, on one replica at a time. */
@Injectable()
export class RememberedDeviceCleanup {
  constructor(
    private readonly database: Database,
    private readonly jobs: LeasedJobs,
  ) {}

  /** Returns how many were removed; null when the run did not finish here. */
  @Interval(JOB.everyMs)
  run(): Promise<number | null> {
    return this.jobs.run(JOB, now =>
      removeExpiredRows(this.database, rememberedDevices, rememberedDevices.expiresAt, now),
    )
  }
}
