import { Injectable, Logger } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { Clock } from '../clock/clock.js'
import { Database } from '../database/database.js'
import { takeLease } from '../database/lease.js'
import { OneTimeTokens } from './one-time-tokens.js'

const EVERY_MS = 60 * 60 * 1000
/** Shorter than the interval, so that the next run finds it free, whichever replica comes first. */
const LEASE_SECONDS = 59 * 60

/** Clears away expired links, on one replica at a time: what they hold, such as the hash of a password, is nobody's any more. */
@Injectable()
export class OneTimeTokenCleanup {
  private readonly logger = new Logger('OneTimeTokenCleanup')

  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Returns how many went; null when another replica is at it. */
  @Interval(EVERY_MS)
  async run(): Promise<number | null> {
    try {
      const now = this.clock.now()
      if (!(await takeLease(this.database, 'one-time-token-cleanup', now, LEASE_SECONDS))) return null
      const removed = await this.tokens.removeExpired(now)
      this.logger.log(`Removed ${removed} expired links`)
      return removed
    } catch (error) {
      this.logger.error(`Cleanup did not finish, the next one will: ${(error as Error).message}`)
      return null
    }
  }
}
