import { Injectable } from '@nestjs/common'
import { and, eq, inArray, ne, sql } from 'drizzle-orm'
import { ALL_IDS, type AuditRow } from '../audit/chain.js'
import { scanAuditLog } from '../audit/scan.js'
import { usersInRows } from '../audit/trail.js'
import { BillingInspection } from '../billing/operations.js'
import { FactorResets } from '../factors/factor-resets.js'
import { UserFactors } from '../factors/user-factors.js'
import { type AuditEvent, auditEvent, auditEventOf } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Database } from '../platform/database/database.js'
import { accounts, users } from '../platform/database/schema/accounts.js'
import { auditLog } from '../platform/database/schema/audit.js'
import { subscriptions } from '../platform/database/schema/billing.js'
import { ApiError } from '../platform/errors/api-error.js'
import { deviceName } from '../platform/http/request.js'
import type { RegisteredSatellite } from '../satellites/registered-satellites.js'
import { SatelliteAdministration } from '../satellites/registry.js'
import { ActiveSessions } from '../sessions/active-sessions.js'
import { Accounts } from '../users/accounts.js'
import type { User } from '../users/user.js'
import { type UserCursor, Users } from '../users/users.js'
import { type OperatorActor, withReason } from './operator.guard.js'
import { accountsOf, search, usersOf } from './search.js'

/** How many members one page of an account shows. */
const MEMBERS = 50
const WAITING_EVENTS = 20
const LATEST_ROWS = 20
const LAST_VIEWED = 8
/** Of the operator's views: many may be of the same person. */
const VIEWS_READ = 200

/** What operators see of accounts and users. Each view and search is recorded before it is answered. */
@Injectable()
export class Directory {
  private readonly billing: BillingInspection

  constructor(
    private readonly database: Database,
    private readonly auditLog: AuditLog,
    private readonly accounts: Accounts,
    private readonly users: Users,
    private readonly satellites: SatelliteAdministration,
    private readonly factors: UserFactors,
    private readonly resets: FactorResets,
    private readonly sessions: ActiveSessions,
  ) {
    this.billing = new BillingInspection(database)
  }

  /** A step of a search, from this block on (see `search`). What is looked for and who is found is recorded before it is answered. */
  async search(text: string, from: number, actor: OperatorActor) {
    await this.record(auditEvent(actor, 'operator.search', { text, ...(from > 0 && { from }) }))
    const found = await this.database.report(db => search(db, text, from))
    const detail = { list: 'search', users: idsOf(found.users), accounts: idsOf(found.accounts) }
    if (found.users.length + found.accounts.length > 0)
      await this.record(auditEvent(actor, 'operator.list', detail))
    return found
  }

  /** The accounts and users that this operator has viewed last and that still exist, newest first. Recorded like any list. */
  async lastViewed(actor: OperatorActor) {
    const views = await this.latestViewsOf(actor.operator.id)
    const userIds = views.flatMap(({ userId }) => userId ?? [])
    const accountIds = views.flatMap(({ userId, accountId }) => (userId ? [] : (accountId ?? [])))
    const [foundUsers, foundAccounts] = await Promise.all([
      this.database.run(db => usersOf(db, userIds)),
      this.database.run(db => accountsOf(db, accountIds)),
    ])
    const detail = { list: 'last viewed', users: userIds, accounts: accountIds }
    if (views.length > 0) await this.record(auditEvent(actor, 'operator.list', detail))
    const viewed = views.flatMap(({ at, userId, accountId }) => {
      const user = foundUsers.find(({ id }) => id === userId) ?? null
      const account = userId ? null : (foundAccounts.find(({ id }) => id === accountId) ?? null)
      return user || account ? [{ at, user, account }] : []
    })
    return { viewed }
  }

  /**
   * The account with its owner, who is null only while it has none, and a page of its users, oldest first, after `after`.
   * Throws `NOT_FOUND`.
   */
  async account(id: string, after: UserCursor | null, actor: OperatorActor) {
    const account = await this.accounts.find(id)
    if (!account) throw new ApiError('NOT_FOUND')
    await this.recordView({ accountId: id }, actor)
    const [owner, members, subscription, satellites, waiting, log] = await Promise.all([
      this.ownerOf(id),
      this.users.listByAccount(id, after, MEMBERS + 1),
      this.subscriptionOf(id),
      this.satellites.list(id),
      this.billing.listEvents({ accountId: id }, WAITING_EVENTS),
      this.latestOf({ accountId: id }),
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

  /** What a user may do, logs in with and did last. Throws `NOT_FOUND`. */
  async user(id: string, actor: OperatorActor) {
    const user = await this.users.find(id)
    if (!user) throw new ApiError('NOT_FOUND')
    await this.recordView(user, actor)
    const [account, login, log] = await Promise.all([
      this.accounts.find(user.accountId),
      this.loginOf(user, actor),
      this.latestOf(user),
    ])
    return {
      ...shownUser(user),
      accountName: account?.name ?? null,
      granted: user.granted,
      allowedSatellites: user.satellites,
      ...login,
      ...log,
    }
  }

  /** One for each account or user, among the latest rows of all operators. */
  private async latestViewsOf(operatorId: string): Promise<AuditRow[]> {
    const where = and(
      eq(auditLog.action, 'operator.view'),
      sql`${auditLog.detail} ->> 'operator' = ${operatorId}`,
    )
    const selection = { accountId: null, isByOperator: true, where } as const
    const step = { range: ALL_IDS, order: 'newest first', limit: VIEWS_READ } as const
    const { rows } = await this.database.report(db => scanAuditLog(db, selection, step))
    const newest = new Map(rows.toReversed().map(row => [row.userId ?? row.accountId, row]))
    return rows.filter(row => newest.get(row.userId ?? row.accountId) === row).slice(0, LAST_VIEWED)
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

  /** What the user logs in with, and where they are logged in. */
  private async loginOf({ id, passwordHash, mustEnrol }: User, actor: OperatorActor) {
    const [factors, resets, sites] = await Promise.all([
      this.factors.find(id),
      this.resets.timesOf([id]),
      this.sitesOf(id, actor),
    ])
    const hasPassword = passwordHash !== null
    return { hasPassword, mustEnrol, factors, resetAt: resets.get(id) ?? null, sites }
  }

  private async sitesOf(userId: string, { client }: OperatorActor) {
    return (await this.sessions.list(userId, null, { language: client.acceptLanguage })).sites
  }

  /** Call it before answering, so that nothing is shown unrecorded. */
  private recordView(
    target: { readonly accountId: string; readonly id?: string },
    actor: OperatorActor,
  ): Promise<void> {
    const { accountId, id } = target
    return this.record(
      auditEventOf({ accountId, ...(id && { id }) }, withReason(actor, null), 'operator.view'),
    )
  }

  private record(event: AuditEvent): Promise<void> {
    return this.database.transaction(transaction => this.auditLog.record(transaction, event))
  }

  /**
   * The newest rows about an account or a user of it, but none about who viewed them; and the addresses of the users of
   * the account who are named there, by their ids.
   */
  private async latestOf({ accountId, id }: { readonly accountId: string; readonly id?: string }) {
    // Those are frequent, and say nothing about the account or user.
    const where = ne(auditLog.action, 'operator.view')
    const selection = { accountId: id ? null : accountId, ...(id && { user: id }), where }
    const step = { range: ALL_IDS, order: 'newest first', limit: LATEST_ROWS } as const
    const { rows } = await this.database.report(db => scanAuditLog(db, selection, step))
    const { emails } = await usersInRows(this.database, accountId, rows)
    return { latest: rows.map(shownRow), people: Object.fromEntries(emails) }
  }
}

/** What the console shows of a user, in the list of an account and on a page of their own. */
function shownUser(user: User) {
  const { id, accountId, email, name, role, createdAt, disabledAt, disabledBy, hasSecondFactor } = user
  return { id, accountId, email, name, role, createdAt, disabledAt, disabledBy, hasSecondFactor }
}

function shownRow({ id, at, action, outcome, userId, ip, userAgent, detail }: AuditRow) {
  return { id, at, action, outcome, userId, ip, device: ip === null ? null : deviceName(userAgent), detail }
}

/** A satellite as the console shows it. */
export function shownSatellite({ satellite, proof }: RegisteredSatellite) {
  const { id, accountId, origin, name, kind, state, suspendedBy, createdAt } = satellite
  const { provenAt, checkedAt, failingSince } = proof
  return {
    id,
    accountId,
    origin,
    name,
    kind,
    state,
    suspendedBy,
    createdAt,
    provenAt,
    checkedAt,
    failingSince,
  }
}

/** The same rows, each with `accountName`: null when there is no account, or it has no name. */
export async function withAccountNames<Row extends { readonly accountId: string | null }>(
  database: Database,
  rows: readonly Row[],
): Promise<(Row & { readonly accountName: string | null })[]> {
  const names = await accountNamesOf(
    database,
    rows.flatMap(({ accountId }) => accountId ?? []),
  )
  return rows.map(row => ({ ...row, accountName: names.get(row.accountId ?? '') ?? null }))
}

async function accountNamesOf(
  database: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (ids.length === 0) return new Map()
  const { id, name } = accounts
  const rows = await database.run(db =>
    db
      .select({ id, name })
      .from(accounts)
      .where(inArray(id, [...new Set(ids)])),
  )
  return new Map(rows.map(row => [row.id, row.name]))
}

function idsOf(found: readonly { readonly id: string }[]): string[] {
  return found.map(({ id }) => id)
}
