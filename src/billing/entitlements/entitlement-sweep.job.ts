import { Injectable } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { gt, isNotNull, isNull, lt, lte, or } from 'drizzle-orm'
import { inOrder, type SendMails } from '../../mail/mail.js'
import { Database } from '../../platform/database/database.js'
import { accounts } from '../../platform/database/schema/accounts.js'
import { LeasedJobs } from '../../platform/jobs.js'
import { PlansFile } from '../../platform/plans.js'
import { GRACE_ENDED, PlanMails } from '../subscription/plan-mails.js'
import { Entitlements } from './entitlements.js'
import { UserEntitlements } from './user-entitlements.js'

const JOB = { name: 'entitlements', everyMs: 60_000 }
/** Few enough that their rows are locked for a fraction of a second. */
const ACCOUNTS_A_PAGE = 500

/**
 * Handles what no event announces: the end of a grace period, a changed plans file, and an interrupted update of
 * users. What is due is in the database, so the next run continues after an interruption, and two concurrent runs
 * share the work.
 */
@Injectable()
export class EntitlementSweep {
  constructor(
    private readonly database: Database,
    private readonly entitlements: Entitlements,
    private readonly userEntitlements: UserEntitlements,
    private readonly planMails: PlanMails,
    private readonly plans: PlansFile,
    private readonly jobs: LeasedJobs,
  ) {}

  /** Returns how many accounts were checked; null when the run did not finish here. */
  @Interval(JOB.everyMs)
  run(): Promise<number | null> {
    return this.jobs.run(JOB, async now => {
      let count = 0
      for (let page = await this.decidePage(now); page > 0; page = await this.decidePage(now)) count += page
      await this.userEntitlements.applyToAll()
      return count
    })
  }

  /** Returns how many accounts there were. */
  private async decidePage(now: Date): Promise<number> {
    const { count, sendMails } = await this.database.transaction(async transaction => {
      const due = await transaction
        .select({ id: accounts.id, until: accounts.entitledUntil })
        .from(accounts)
        .where(or(lte(accounts.entitledUntil, now), this.isByOtherRules()))
        .limit(ACCOUNTS_A_PAGE)
        .for('no key update', { skipLocked: true })
      await this.entitlements.decideFor(
        transaction,
        due.map(({ id }) => id),
      )
      const ended = due.filter(({ until }) => until !== null && until <= now)
      const mails: SendMails[] = []
      for (const { id } of ended) mails.push(await this.planMails.aboutChange(transaction, id, GRACE_ENDED))
      return { count: due.length, sendMails: inOrder(...mails) }
    })
    sendMails()
    return count
  }

  /** `<` or `>`, not `<>`: an index can find those. */
  private isByOtherRules() {
    const { version } = this.plans
    if (version === null) return isNotNull(accounts.entitledBy)
    return or(isNull(accounts.entitledBy), lt(accounts.entitledBy, version), gt(accounts.entitledBy, version))
  }
}
