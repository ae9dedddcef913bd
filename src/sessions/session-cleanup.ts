import { Injectable, Logger } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { Clock } from '../clock/clock.js'
import { Database } from '../database/database.js'
import { takeLease } from '../database/lease.js'
import { SessionChangeLog } from './session-change-log.js'
import { SessionStore } from './session-store.js'

const EVERY_MS = 10 * 60 * 1000
/** Shorter than the interval, so that the next run finds it free, whichever replica comes first. */
const LEASE_SECONDS = 9 * 60

/** Clears away expired sessions, on one replica at a time. */
@Injectable()
export class SessionCleanup {
  private readonly logger = new Logger('SessionCleanup')

  constructor(
    private readonly store: SessionStore,
    private readonly changes: SessionChangeLog,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Returns how many entries went; null when another replica is at it. */
  @Interval(EVERY_MS)
  async run(): Promise<number | null> {
    try {
      const now = this.clock.now()
      if (!(await takeLease(this.database, 'session-cleanup', now, LEASE_SECONDS))) return null
      const removed = (await this.store.removeExpired(now)) + (await this.changes.removeExpired(now))
      this.logger.log(`Removed ${removed} expired entries`)
      return removed
    } catch (error) {
      this.logger.error(`Cleanup did not finish, the next one will: ${(error as Error).message}`)
      return null
    }
  }
}
