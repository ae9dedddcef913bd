import { isDeepStrictEqual } from 'node:util'
import { Injectable } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { asc, eq, gt, isNotNull, isNull, lt, lte, or, sql } from 'drizzle-orm'
import type { MailLanguage } from '../mail/language.js'
import { inOrder, type Mail, NO_MAILS, type SendMails } from '../mail/mail.js'
import { SiteUrls } from '../mail/site-urls.js'
import { type AuditEvent, auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Settings } from '../platform/config/settings.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { accounts } from '../platform/database/schema/accounts.js'
import { isAnyOf } from '../platform/database/sql.js'
import { LeasedJobs } from '../platform/jobs.js'
import { HourlyLog, Logger } from '../platform/log.js'
import { PERMISSIONS, type Permissions, withinLimit } from '../platform/permissions.js'
import { type PlanLimits, PlansFile } from '../platform/plans.js'
import { Clock } from '../platform/time.js'
import { NOTHING_RECORDED, type RecordedChanges, SessionChanges } from '../sessions/changes.js'
import { isClosing } from '../users/accounts.js'
import { AccountAdmins } from '../users/notices.js'
import {
  isPaidFor,
  type KnownSubscription,
  nextChangeOf,
  type SubscriptionRow,
  type SubscriptionState,
  Subscriptions,
  stateOf,
} from './subscriptions.js'

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
    private readonly changes: SessionChanges,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
    private readonly hourlyLog: HourlyLog,
  ) {}

  /**
   * Works out what these accounts are entitled to now, with a few statements however many there are. Where the result
   * differs, all sessions of the account have it from their next refresh. Safe to repeat.
   */
  async decideFor(transaction: Db, accountIds: readonly string[]): Promise<RecordedChanges> {
    const { version } = this.plans
    const locked = await lockAccounts(transaction, accountIds)
    const governed = locked.filter(({ by }) => version !== null || by !== null)
    if (governed.length === 0) return NOTHING_RECORDED
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
    const changes = withNewEntitlement.map(({ accountId }) => ({ kind: 'permissions', accountId }) as const)
    return this.changes.record(transaction, changes, null)
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
      entitled_until = decided.until
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as decided(id uuid, entitled jsonb, limits jsonb, "by" text, until timestamptz)
    where ${accounts.id} = decided.id`)
}

function eventOf({ accountId, entitled, why }: Decision): AuditEvent {
  const names = entitled && PERMISSIONS.filter(name => entitled[name])
  return auditEvent({ accountId, client: null }, 'entitlements.change', { ...why, entitled: names })
}

/** How an account stands before a change, as far as its users have been mailed. */
interface Standing {
  readonly state: SubscriptionState
  /** Whether it has its plan, or had it until a grace period that has just ended. */
  readonly hadPlan: boolean
}

/** An account whose grace period has just ended. */
const GRACE_ENDED: Standing = { state: 'past_due', hadPlan: true }

/**
 * Mails those who may pay for an account when a payment has failed and when its plan is gone. What is mailed follows from
 * our record before and after a change, under the lock of the account: a sync that sees the same again mails nothing.
 */
@Injectable()
export class PlanMails {
  constructor(
    private readonly admins: AccountAdmins,
    private readonly urls: SiteUrls,
    private readonly subscriptions: Subscriptions,
    private readonly clock: Clock,
  ) {}

  /** To be asked before the change, in a transaction that has locked the account. */
  async standingOf(transaction: Db, accountId: string): Promise<Standing> {
    const now = this.clock.now()
    const state = stateOf(await this.subscriptions.find(accountId, transaction), now)
    const [account] = await transaction
      .select({ until: accounts.entitledUntil })
      .from(accounts)
      .where(eq(accounts.id, accountId))
    const until = account?.until ?? null
    return { state, hadPlan: isPaidFor(state) || (until !== null && until <= now) }
  }

  /** The mails that the change since `before` is worth; none for an account that is being deleted. */
  async aboutChange(transaction: Db, accountId: string, before: Standing): Promise<SendMails> {
    const known = await this.subscriptions.find(accountId, transaction)
    const state = stateOf(known, this.clock.now())
    const hasFailed = state === 'past_due' && before.state !== 'past_due'
    const isLost = before.hadPlan && !isPaidFor(state)
    if ((!hasFailed && !isLost) || (await isClosing(transaction, accountId))) return NO_MAILS
    const write = (words: MailLanguage) =>
      hasFailed ? failedMail(words, this.urls, known) : lostMail(words, this.urls, known)
    return this.admins.notice(transaction, accountId, write, 'payments')
  }
}

function failedMail(words: MailLanguage, urls: SiteUrls, { graceUntil }: KnownSubscription): Mail {
  const until = new Date(graceUntil as string)
  const values = { day: words.day(until), time: words.time(until) }
  return words.mail('paymentFailed', { site: urls.siteName, url: urls.billingPage(), ...values })
}

function lostMail(words: MailLanguage, urls: SiteUrls, { status, graceUntil }: KnownSubscription): Mail {
  const reason = graceUntil ? 'unpaid' : status === 'paused' ? 'paused' : 'ended'
  const why = words.phrase(`planLost.${reason}`, { site: urls.siteName })
  return words.mail('planLost', { site: urls.siteName, url: urls.billingPage(), why })
}

const JOB = { name: 'entitlements', everyMs: 60_000 }
/** Few enough that their rows are locked for a fraction of a second. */
const DECIDED_AT_ONCE = 500

/**
 * Handles what no event announces: the end of a grace period, and a changed plans file. What is due is in the database,
 * so the next run continues after an interruption, and two concurrent runs share the work.
 */
@Injectable()
export class EntitlementSweep {
  constructor(
    private readonly database: Database,
    private readonly entitlements: Entitlements,
    private readonly planMails: PlanMails,
    private readonly plans: PlansFile,
    private readonly settings: Settings,
    private readonly jobs: LeasedJobs,
  ) {}

  /** Returns how many accounts were checked; null when the run did not finish here. */
  @Interval(JOB.everyMs)
  run(): Promise<number | null> {
    return this.jobs.run(JOB, async now => {
      let count = 0
      for (let page = await this.decidePage(now); page > 0; page = await this.decidePage(now)) count += page
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
        .limit(DECIDED_AT_ONCE)
        .for('no key update', { skipLocked: true })
      await this.entitlements.decideFor(
        transaction,
        due.map(({ id }) => id),
      )
      // Where nothing is sold, nobody has lost what they paid for.
      const ended = this.settings.stripe ? due.filter(({ until }) => until !== null && until <= now) : []
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
