import { Injectable, Logger } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { lt } from 'drizzle-orm'
import { Clock, secondsAfter } from '../../clock/clock.js'
import { Database } from '../../database/database.js'
import { takeLease } from '../../database/lease.js'
import { hourlyBudgets, refusalCounts } from '../../database/schema.js'

const EVERY_MS = 60 * 60 * 1000
/** Shorter than the interval, so that the next run finds it free, whichever replica comes first. */
const LEASE_SECONDS = 59 * 60
/** Long enough to look into an attack, and the addresses are people's. */
const KEEP_SECONDS = 30 * 24 * 60 * 60

/** Clears away old counts of refusals, on one replica at a time. */
@Injectable()
export class RefusalCleanup {
  private readonly logger = new Logger('RefusalCleanup')

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Returns how many counts went; null when another replica is at it or the database does not answer. */
  @Interval(EVERY_MS)
  async run(): Promise<number | null> {
    try {
      const now = this.clock.now()
      if (!(await takeLease(this.database, 'refusal-cleanup', now, LEASE_SECONDS))) return null
      const before = secondsAfter(now, -KEEP_SECONDS)
      await this.database.run(db => db.delete(hourlyBudgets).where(lt(hourlyBudgets.hour, before)))
      const removed = await this.database.run(db =>
        db
          .delete(refusalCounts)
          .where(lt(refusalCounts.minute, before))
          .returning({ kind: refusalCounts.kind }),
      )
      this.logger.log(`Removed ${removed.length} old counts of refusals`)
      return removed.length
    } catch (error) {
      this.logger.error(`Cleanup did not finish, the next one will: ${(error as Error).message}`)
      return null
    }
  }
}
