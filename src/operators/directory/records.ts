import { Injectable } from '@nestjs/common'
import { eq, ne } from 'drizzle-orm'
import { auditEventOf } from '../../audit/audit-event.js'
import type { AuditRow } from '../../audit/audit-hash.js'
import { AuditLog } from '../../audit/audit-log.js'
import { scanAuditLog } from '../../audit/audit-scan.js'
import { ALL_IDS } from '../../audit/id-range.js'
import { BillingInspection } from '../../billing/operations/billing-inspection.js'
import { Database } from '../../database/database.js'
import { auditLog } from '../../database/schema/audit.js'
import { subscriptions } from '../../database/schema/billing.js'
import { ApiError } from '../../errors/api-error.js'
import { FactorResets } from '../../factors/factor-resets.js'
import { UserFactors } from '../../factors/user-factors.js'
import { deviceName } from '../../http/client.js'
import { SatelliteAdministration } from '../../satellite-registry/satellite-administration.js'
import { ActiveSessions } from '../../sessions/active/active-sessions.js'
import { Accounts } from '../../users/accounts.js'
import type { UserCursor } from '../../users/lists/user-cursor.js'
import type { User } from '../../users/user.js'
import { Users } from '../../users/users.js'
import { shownSatellite } from '../operations/shown-satellite.js'
import { because, type OperatorActor } from '../operator.guard.js'

/** How many members one page of an account shows. */
const MEMBERS = 50
const LATEST_ROWS = 20
const WAITING_EVENTS = 20

/** What operators see of an account or a person. Each look is recorded before it is answered. */
@Injectable()
export class Records {
  private readonly billing: BillingInspection

  constructor(
    private readonly accounts: Accounts,
    private readonly users: Users,
    private readonly factors: UserFactors,
    private readonly resets: FactorResets,
    private readonly sessions: ActiveSessions,
    private readonly satellites: SatelliteAdministration,
    private readonly auditLog: AuditLog,
    private readonly database: Database,
  ) {
    this.billing = new BillingInspection(database)
  }

  /** The account with a page of its users, oldest first, after `after`. Throws `NOT_FOUND`. */
  async account(id: string, after: UserCursor | null, actor: OperatorActor) {
    const account = await this.accounts.find(id)
    if (!account) throw new ApiError('NOT_FOUND')
    await this.recordView({ accountId: id }, actor)
    const [members, subscription, satellites, waiting, latest] = await Promise.all([
      this.users.listByAccount(id, after, MEMBERS + 1),
      this.subscriptionOf(id),
      this.satellites.list(id),
      this.billing.listEvents({ accountId: id }, WAITING_EVENTS),
      this.latestOf({ accountId: id }),
    ])
    const { name, createdAt, deleteAt, secondFactor, handoffRequired } = account
    return {
      ...{ id, name, createdAt, deleteAt, secondFactor, handoffRequired },
      subscription,
      members: members.slice(0, MEMBERS).map(shownUser),
      hasMore: members.length > MEMBERS,
      satellites: satellites.map(shownSatellite),
      waitingEvents: waiting,
      latest,
    }
  }

  /** Throws `NOT_FOUND`. */
  async user(id: string, actor: OperatorActor) {
    const user = await this.users.find(id)
    if (!user) throw new ApiError('NOT_FOUND')
    await this.recordView(user, actor)
    const [account, factors, resets, sites, latest] = await Promise.all([
      this.accounts.find(user.accountId),
      this.factors.find(id),
      this.resets.timesOf([id]),
      this.sitesOf(id, actor),
      this.latestOf({ userId: id }),
    ])
    return {
      ...shownUser(user),
      accountName: account?.name ?? null,
      granted: user.granted,
      allowedSatellites: user.satellites,
      hasPassword: user.passwordHash !== null,
      mustEnrol: user.mustEnrol,
      factors,
      resetAt: resets.get(id) ?? null,
      sites,
      latest,
    }
  }

  /** Null while the session store is down: the rest is still worth seeing. */
  private async sitesOf(userId: string, { client }: OperatorActor) {
    try {
      return (await this.sessions.list(userId, null, { language: client.acceptLanguage })).sites
    } catch (error) {
      if (error instanceof ApiError && error.code === 'SESSION_STORE_UNAVAILABLE') return null
      throw error
    }
  }

  private recordView(
    target: { readonly accountId: string; readonly id?: string },
    actor: OperatorActor,
  ): Promise<void> {
    const { accountId, id } = target
    const event = auditEventOf({ accountId, ...(id && { id }) }, because(actor, null), 'operator.view')
    return this.database.transaction(transaction => this.auditLog.record(transaction, event))
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

  /** The newest audit log rows about them. */
  private async latestOf({ accountId, userId }: { readonly accountId?: string; readonly userId?: string }) {
    // Looks at them are frequent, and say nothing about them.
    const where = ne(auditLog.action, 'operator.view')
    const selection = { accountId: accountId ?? null, ...(userId && { user: userId }), where }
    const step = { range: ALL_IDS, order: 'newest first', limit: LATEST_ROWS } as const
    const { rows } = await this.database.report(db => scanAuditLog(db, selection, step))
    return rows.map(shownRow)
  }
}

function shownUser(user: User) {
  const { id, accountId, email, name, role, createdAt, disabledAt, hasSecondFactor } = user
  // An earlier release, during an upgrade, enables somebody without removing it.
  const disabledBy = disabledAt && user.disabledBy
  return { id, accountId, email, name, role, createdAt, disabledAt, disabledBy, hasSecondFactor }
}

function shownRow({ id, at, action, outcome, userId, ip, userAgent, detail }: AuditRow) {
  return { id, at, action, outcome, userId, ip, device: ip === null ? null : deviceName(userAgent), detail }
}
