import { isDeepStrictEqual } from 'node:util'
import { Injectable } from '@nestjs/common'
import { asc, sql } from 'drizzle-orm'
import { type AuditEvent, auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import type { Db } from '../../platform/database/connection.js'
import { accounts } from '../../platform/database/schema/accounts.js'
import { isAnyOf } from '../../platform/database/sql.js'
import { HourlyLog, Logger } from '../../platform/log.js'
import { PERMISSIONS, type Permissions, withinLimit } from '../../platform/permissions.js'
import { type PlanLimits, PlansFile } from '../../platform/plans.js'
import { Clock } from '../../platform/time.js'
import {
  isPaidFor,
  nextChangeOf,
  type SubscriptionRow,
  type SubscriptionState,
  stateOf,
} from '../subscription/subscription-rules.js'
import { Subscriptions } from '../subscription/subscriptions.js'

/** The entitlement columns of an account. */
interface Entitlement {
  /** Null: no limit. */
  readonly entitled: Permissions | null
  /** Null: no limit. */
  readonly limits: PlanLimits | null
  /** The version of the rules. */
  readonly by: string | null
  /** When to work it out again; null when only an event can change it. */
  readonly until: Date | null
}

interface Decision extends Entitlement {
  readonly accountId: string
  readonly before: Entitlement
  /** Whether it ever had what a plan allows, which it keeps when its price is in none any more. */
  readonly hasHadPlan: boolean
  readonly why: { readonly state: SubscriptionState; readonly plan: string | null }
}

/** What becomes of those who pay for a price that is in no plan. */
const KEEPS = { one: 'keeps what they had', several: 'keep what they had' }
const HAS_NOTHING = { one: 'has paid and has nothing', several: 'have paid and have nothing' }

/** What each account may do, given what it pays for. */
@Injectable()
export class Entitlements {
  private readonly logger = new Logger('Billing')

  constructor(
    private readonly plans: PlansFile,
    private readonly subscriptions: Subscriptions,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
    private readonly hourlyLog: HourlyLog,
  ) {}

  /**
   * Works out what these accounts are entitled to now, with a few statements however many there are. Where
   * the result differs, the account is marked until UserEntitlements has given it to all its users. Returns
   * the accounts that are marked. Safe to repeat.
   */
  async decideFor(transaction: Db, accountIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { version } = this.plans
    const locked = await lockAccounts(transaction, accountIds)
    const marked = new Set(locked.filter(({ isBehind }) => isBehind).map(({ id }) => id))
    const governed = locked.filter(({ by }) => version !== null || by !== null)
    if (governed.length === 0) return marked
    const rows = await this.subscriptions.rows(
      transaction,
      governed.map(({ id }) => id),
    )
    const decisions = governed.map(({ id, entitled, limits, by, until }) =>
      this.decide(id, { entitled, limits, by, until }, rows.get(id) ?? null),
    )
    const changed = decisions.filter(({ entitled, limits, by, until, before }) => {
      return !isDeepStrictEqual(before, { entitled, limits, by, until })
    })
    this.reportUnknownPrices(decisions)
    await write(transaction, changed)
    await this.subscriptions.saveEntitled(transaction, this.entitledByPlan(rows))
    const withNewEntitlement = changed.filter(
      ({ entitled, before }) => !isDeepStrictEqual(before.entitled, entitled),
    )
    await this.auditLog.recordAll(transaction, withNewEntitlement.map(eventOf))
    return new Set([...marked, ...withNewEntitlement.map(({ accountId }) => accountId)])
  }

  private decide(accountId: string, before: Entitlement, row: SubscriptionRow | null): Decision {
    const now = this.clock.now()
    const known = this.subscriptions.known(row)
    const { version, withoutPlan } = this.plans
    const state = stateOf(known, now)
    return {
      accountId,
      before,
      entitled: row && isPaidFor(state) ? this.paidFor(row, state) : withoutPlan,
      limits: this.plans.limitsOf(row && isPaidFor(state) ? row.priceId : null),
      by: version,
      until: version ? nextChangeOf(known, now) : null,
      hasHadPlan: row !== null && row.lastEntitled !== null,
      why: { state, plan: known.plan },
    }
  }

  /**
   * What the plan allows. An account whose price is no longer in any plan keeps what its last plan allowed: a
   * missing line in a file must not take away what people pay for. While a payment is due, another plan gives
   * nothing more, because it has not been paid for.
   */
  private paidFor({ priceId, lastEntitled }: SubscriptionRow, state: SubscriptionState): Permissions | null {
    if (this.plans.version === null) return null
    const plan = this.plans.of(priceId)
    if (!plan) return lastEntitled ?? this.plans.withoutPlan
    return state === 'past_due' ? withinLimit(plan.entitled, lastEntitled) : plan.entitled
  }

  /** Every sweep and every event of such an account comes here, so there is only one line for each price, or two. */
  private reportUnknownPrices(decisions: readonly Decision[]): void {
    if (this.plans.version === null) return
    const unknown = decisions.filter(({ why: { state, plan } }) => isPaidFor(state) && !this.plans.of(plan))
    for (const price of new Set(unknown.map(({ why }) => why.plan))) {
      const payers = unknown.filter(({ why }) => why.plan === price)
      this.reportUnknownPrice(
        price,
        payers.filter(({ hasHadPlan }) => hasHadPlan),
        KEEPS,
      )
      this.reportUnknownPrice(
        price,
        payers.filter(({ hasHadPlan }) => !hasHadPlan),
        HAS_NOTHING,
      )
    }
  }

  private reportUnknownPrice(price: string | null, payers: readonly Decision[], has: typeof KEEPS): void {
    const [first] = payers
    if (!first) return
    this.hourlyLog.report(`price ${price} ${has.one}`, payers.length, count => {
      const who =
        count === 1 ? `${first.accountId} ${has.one}` : `${first.accountId} and others ${has.several}`
      this.logger.error(`${price} is in no plan of PLANS_FILE: account ${who} (${count} found)`)
    })
  }

  /** What the plans allow accounts that have paid for one, where that is not on record yet. */
  private entitledByPlan(rows: ReadonlyMap<string, SubscriptionRow>): ReadonlyMap<string, Permissions> {
    const found = new Map<string, Permissions>()
    for (const [accountId, row] of rows) {
      const plan = this.plans.of(row.priceId)
      const state = stateOf(this.subscriptions.known(row), this.clock.now())
      const isPaid = isPaidFor(state) && state !== 'past_due'
      if (plan && isPaid && !isDeepStrictEqual(plan.entitled, row.lastEntitled))
        found.set(accountId, plan.entitled)
    }
    return found
  }
}

function lockAccounts(transaction: Db, accountIds: readonly string[]) {
  return transaction
    .select({
      id: accounts.id,
      entitled: accounts.entitled,
      limits: accounts.limits,
      by: accounts.entitledBy,
      until: accounts.entitledUntil,
      isBehind: accounts.usersBehind,
    })
    .from(accounts)
    .where(isAnyOf(accounts.id, accountIds))
    .orderBy(asc(accounts.id))
    .for('no key update')
}

async function write(transaction: Db, decisions: readonly Decision[]): Promise<void> {
  if (decisions.length === 0) return
  const rows = decisions.map(({ accountId: id, entitled, limits, by, until }) => {
    return { id, entitled, limits, by, until }
  })
  await transaction.execute(sql`
    update ${accounts} set
      entitled = decided.entitled,
      limits = decided.limits,
      entitled_by = decided.by,
      entitled_until = decided.until,
      users_behind = ${accounts.usersBehind} or ${accounts.entitled} is distinct from decided.entitled
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as decided(id uuid, entitled jsonb, limits jsonb, "by" text, until timestamptz)
    where ${accounts.id} = decided.id`)
}

function eventOf({ accountId, entitled, why }: Decision): AuditEvent {
  const names = entitled && PERMISSIONS.filter(name => entitled[name])
  return auditEvent({ accountId, client: null }, 'entitlements.change', { ...why, entitled: names })
}
