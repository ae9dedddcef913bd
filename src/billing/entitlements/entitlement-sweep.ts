import { Injectable } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { gt, isNotNull, isNull, lt, lte, or } from 'drizzle-orm'
import { Database } from '../../database/database.js'
import { accounts } from '../../database/schema.js'
import { LeasedJobs } from '../../jobs/leased-jobs.js'
import { Plans } from '../../permissions/plans.js'
import { Entitlements } from './entitlements.js'
import { UserEntitlements } from './user-entitlements.js'

const JOB = { name: 'entitlements', everyMs: 60_000 }
/** So few that their rows are held for a fraction of a second only. */
const ACCOUNTS_A_PAGE = 500

/**
 * Notices what no event tells: that the grace period of an account is over, that the plans file is another, and that
 * somebody was cut off before all users had what their account is entitled to. What is due stands in the database, so a run
 * that is cut off is gone on with by the next, and two at once share the work.
 */
@Injectable()
export class EntitlementSweep {
  constructor(
    private readonly database: Database,
    private readonly entitlements: Entitlements,
    private readonly userEntitlements: UserEntitlements,
    private readonly plans: Plans,
    private readonly jobs: LeasedJobs,
  ) {}

  /** Returns how many accounts were looked at; null when it did not run to its end here. */
  @Interval(JOB.everyMs)
  run(): Promise<number | null> {
    return this.jobs.run(JOB, async now => {
      let count = 0
      for (let page = await this.bringPage(now); page > 0; page = await this.bringPage(now)) count += page
      await this.userEntitlements.bringToAll()
      return count
    })
  }

  /** Returns how many accounts there were. */
  private bringPage(now: Date): Promise<number> {
    return this.database.transaction(async transaction => {
      const due = await transaction
        .select({ id: accounts.id })
        .from(accounts)
        .where(or(lte(accounts.entitledUntil, now), this.isByOtherRules()))
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
