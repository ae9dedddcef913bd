import { Injectable } from '@nestjs/common'
import { and, eq } from 'drizzle-orm'
import { BillingInspection } from '../../billing/operations/billing-inspection.js'
import { Database } from '../../platform/database/database.js'
import { users } from '../../platform/database/schema/accounts.js'
import { subscriptions } from '../../platform/database/schema/billing.js'
import { ApiError } from '../../platform/errors/api-error.js'
import { SatelliteAdministration } from '../../satellites/satellite-administration.js'
import { Accounts } from '../../users/accounts.js'
import type { UserCursor } from '../../users/lists/user-cursor.js'
import { Users } from '../../users/users.js'
import { shownSatellite } from '../operations/shown-satellite.js'
import type { OperatorActor } from '../operator.guard.js'
import { DirectoryAudit } from './directory-audit.js'
import { shownUser } from './shown-user.js'

/** How many members one page of an account shows. */
const MEMBERS = 50
const WAITING_EVENTS = 20

/** What operators see of an account. */
@Injectable()
export class AccountInspection {
  private readonly billing: BillingInspection

  constructor(
    private readonly accounts: Accounts,
    private readonly users: Users,
    private readonly satellites: SatelliteAdministration,
    private readonly audit: DirectoryAudit,
    private readonly database: Database,
  ) {
    this.billing = new BillingInspection(database)
  }

  /**
   * The account with its owner, who is null only while it has none, and a page of its users, oldest first, after `after`.
   * Throws `NOT_FOUND`.
   */
  async show(id: string, after: UserCursor | null, actor: OperatorActor) {
    const account = await this.accounts.find(id)
    if (!account) throw new ApiError('NOT_FOUND')
    await this.audit.recordView({ accountId: id }, actor)
    const [owner, members, subscription, satellites, waiting, log] = await Promise.all([
      this.ownerOf(id),
      this.users.listByAccount(id, after, MEMBERS + 1),
      this.subscriptionOf(id),
      this.satellites.list(id),
      this.billing.listEvents({ accountId: id }, WAITING_EVENTS),
      this.audit.latestOf({ accountId: id }),
    ])
    const { name, createdAt, deleteAt, secondFactor, handoffRequired } = account
    return {
      id,
      name,
      createdAt,
      deleteAt,
      secondFactor,
      handoffRequired,
      owner,
      subscription,
      members: members.slice(0, MEMBERS).map(shownUser),
      hasMore: members.length > MEMBERS,
      satellites: satellites.map(shownSatellite),
      waitingEvents: waiting,
      ...log,
    }
  }

  private async ownerOf(accountId: string) {
    const { id, email } = users
    const isOwner = and(eq(users.accountId, accountId), eq(users.role, 'owner'))
    const [owner] = await this.database.run(db => db.select({ id, email }).from(users).where(isOwner))
    return owner ?? null
  }

  private async subscriptionOf(accountId: string) {
    const { status, priceId, quantity, currentPeriodEnd, endsAt, pastDueSince } = subscriptions
    const [row] = await this.database.run(db =>
      db
        .select({ status, priceId, quantity, currentPeriodEnd, endsAt, pastDueSince })
        .from(subscriptions)
        .where(eq(subscriptions.accountId, accountId)),
    )
    return row ?? null
  }
}
