import { Injectable } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { Settings } from '../../platform/config/settings.js'
import { DatabaseClock } from '../../platform/database/database-clock.js'
import { LeasedJobs } from '../../platform/jobs.js'
import { Logger } from '../../platform/log.js'
import { AuditPartitions } from './audit-partitions.js'
import { AuditRetention, type Expired } from './audit-retention.js'

const JOB = { name: 'audit-upkeep', everyMs: 60 * 60 * 1000 }
const DAY_MS = 24 * 60 * 60 * 1000
/** Clocks that are kept by NTP differ by far less. */
const MAX_SECONDS_AHEAD = 60

/** Partitions the audit log ahead of time and removes what is older than the settings say, on one replica at a time. */
@Injectable()
export class AuditUpkeep {
  private readonly logger = new Logger('AuditUpkeep')
  private readonly keptDays: number | null

  constructor(
    private readonly partitions: AuditPartitions,
    private readonly retention: AuditRetention,
    private readonly jobs: LeasedJobs,
    private readonly databaseClock: DatabaseClock,
    { auditRetentionDays }: Settings,
  ) {
    this.keptDays = auditRetentionDays
  }

  /** Returns what was removed, if the log is not kept forever; null also when the run did not finish here. */
  @Interval(JOB.everyMs)
  run(): Promise<Expired | null> {
    return this.jobs.run(JOB, async now => {
      const created = await this.partitions.prepare(now)
      if (created > 0) this.logger.log(`Created ${created} partitions of the audit log`)
      if (this.keptDays === null) return null
      await this.requireNotAhead()
      const expired = await this.retention.expire(startOfDay(now, -this.keptDays))
      const { partitions, rows, seals } = expired
      if (partitions + rows + seals > 0)
        this.logger.log(
          `Removed ${partitions} partitions and ${rows} other rows of the audit log, and ${seals} seals`,
        )
      return expired
    })
  }

  /** A machine with the wrong time must not remove what cannot be restored. */
  private async requireNotAhead(): Promise<void> {
    const seconds = await this.databaseClock.secondsAhead()
    if (seconds > MAX_SECONDS_AHEAD)
      throw new Error(
        `nothing is removed while this machine is ${Math.round(seconds)} s ahead of the database`,
      )
  }
}

/** In UTC, so that a log is cut once a day. */
function startOfDay(time: Date, daysLater: number): Date {
  return new Date(Math.floor(time.getTime() / DAY_MS + daysLater) * DAY_MS)
}
