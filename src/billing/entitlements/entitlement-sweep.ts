import { Injectable, Logger } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { gt, isNotNull, isNull, lt, lte, or } from 'drizzle-orm'
import { Clock } from '../../clock/clock.js'
import { Database } from '../../database/database.js'
import { takeLease } from '../../database/lease.js'
import { accounts } from '../../database/schema.js'
import { Plans } from '../../permissions/plans.js'
import { Entitlements } from './entitlements.js'
import { UserEntitlements } from './user-entitlements.js'

const EVERY_MS = 60_000
/** Shorter than the interval, so that the next run finds it free, whichever replica comes first. */
const LEASE_SECONDS = 50
/** So few that their rows are held for a fraction of a second only. */
const ACCOUNTS_A_PAGE = 500

/**
 * Notices what no event tells: that the grace period of an account is over, that the plans file is another, and that
 * somebody was cut off before all users had what their account is entitled to. What is due stands in the database, so a run
 * that is cut off is gone on with by the next, and two at once share the work.
 */
@Injectable()
export class EntitlementSweep {
  private readonly logger = new Logger('Billing')

  constructor(
    private readonly database: Database,
    private readonly entitlements: Entitlements,
    private readonly userEntitlements: UserEntitlements,
    private readonly plans: Plans,
    private readonly clock: Clock,
  ) {}

  /** Returns how many accounts were looked at; null when another replica is at it, or it could not be done. */
  @Interval(EVERY_MS)
  async run(): Promise<number | null> {
    try {
      const now = this.clock.now()
      if (!(await takeLease(this.database, 'entitlements', now, LEASE_SECONDS))) return null
      let count = 0
      for (let page = await this.bringPage(); page > 0; page = await this.bringPage()) count += page
      await this.userEntitlements.bringToAll()
      return count
    } catch (error) {
      this.logger.error(`Entitlements wait, the next run goes on: ${(error as Error).message}`)
      return null
    }
  }

  /** Returns how many accounts there were. */
  private bringPage(): Promise<number> {
    return this.database.transaction(async transaction => {
      const due = await transaction
        .select({ id: accounts.id })
        .from(accounts)
        .where(or(lte(accounts.entitledUntil, this.clock.now()), this.isByOtherRules()))
        .limit(ACCOUNTS_A_PAGE)
        .for('no key update', { skipLocked: true })
      await this.entitlements.bring(
        transaction,
        due.map(({ id }) => id),
      )
      return due.length
    })
  }

  /** Less or greater, not unequal: an index can find that. */
  private isByOtherRules() {
    const { version } = this.plans
    if (version === null) return isNotNull(accounts.entitledBy)
    return or(isNull(accounts.entitledBy), lt(accounts.entitledBy, version), gt(accounts.entitledBy, version))
  }
}
