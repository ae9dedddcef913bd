import { Injectable } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { and, asc, count, eq, gt, inArray, isNull, lte, ne, not, type SQL, sql } from 'drizzle-orm'
import type { MailLanguage } from '../mail/language.js'
import type { Mail } from '../mail/mail.js'
import { SiteUrls } from '../mail/site-urls.js'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Settings } from '../platform/config/settings.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { accounts, users } from '../platform/database/schema/accounts.js'
import type { SecondFactorRequirement } from '../platform/database/schema/columns.js'
import { ApiError } from '../platform/errors/api-error.js'
import { attemptEach, LeasedJobs } from '../platform/jobs.js'
import { Logger } from '../platform/log.js'
import { RateLimiter } from '../platform/rate-limits/rate-limiter.js'
import { Clock, secondsAfter } from '../platform/time.js'
import { NOTHING_RECORDED, type RecordedChanges, SessionChanges } from '../sessions/changes.js'
import { Reauthentication } from '../sessions/reauthentication.js'
import type { Session } from '../sessions/session.js'
import type { SessionActor } from '../sessions/session-actor.js'
import { type Account, Accounts } from '../users/accounts.js'
import { ActorAuthority } from '../users/actor-authority.js'
import { AccountAdmins } from '../users/notices.js'
import type { User } from '../users/user.js'

/** What an account requires of its users. */
type SecondFactorPolicy = Pick<
  Account,
  'secondFactor' | 'secondFactorFrom' | 'secondFactorEnforced' | 'paymentStepUpMinutes'
>

/** A requested change of the policy. */
interface PolicyChange {
  readonly required: SecondFactorRequirement
  /** If left out, the date stays as long as the requirement is the same. */
  readonly graceDays?: number | undefined
  readonly paymentStepUpMinutes: number | null
}

/** How many enabled users a requirement concerns, and how many of them have a second factor. */
interface Coverage {
  readonly covered: number
  readonly enrolled: number
}

const USERS_A_PAGE = 500

/**
 * What an account requires of its users: administrators read and change it, and it is enforced at once or, after a
 * grace period, by {@link PolicyJob}.
 */
@Injectable()
export class SecondFactorPolicyService {
  constructor(
    private readonly database: Database,
    private readonly accounts: Accounts,
    private readonly authority: ActorAuthority,
    private readonly reauthentication: Reauthentication,
    private readonly changes: SessionChanges,
    private readonly rateLimiter: RateLimiter,
    private readonly admins: AccountAdmins,
    private readonly urls: SiteUrls,
    private readonly auditLog: AuditLog,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  /** Throws `SESSION_NOT_FOUND` when the account has just gone. */
  async read({ accountId }: Pick<Session, 'accountId'>) {
    const [found] = await this.database.run(db =>
      db
        .select({
          required: accounts.secondFactor,
          requiredFrom: accounts.secondFactorFrom,
          paymentStepUpMinutes: accounts.paymentStepUpMinutes,
        })
        .from(accounts)
        .where(eq(accounts.id, accountId)),
    )
    if (!found) throw new ApiError('SESSION_NOT_FOUND')
    return { ...found, ...(await this.coverage(accountId, found.required)) }
  }

  private async coverage(accountId: string, required: SecondFactorRequirement): Promise<Coverage> {
    const isConcerned = and(eq(users.accountId, accountId), isNull(users.disabledAt), needs(required))
    const [row] = await this.database.run(db =>
      db
        .select({
          covered: count(),
          enrolled: sql<number>`(count(*) filter (where ${users.hasSecondFactor}))::int`,
        })
        .from(users)
        .where(isConcerned),
    )
    return row as Coverage
  }

  /**
   * Without a grace period the change applies at once. Throws like {@link ActorAuthority.lock}, `STEP_UP_REQUIRED`,
   * `TOO_MANY_ATTEMPTS`, and `SECOND_FACTOR_MISSING` (409) when it would concern the calling user, who has none: they
   * would lock themselves out of undoing it. Mails the account's administrators after the commit, unless everything
   * stays as it was.
   */
  async change(actor: SessionActor, change: PolicyChange) {
    // Counted per requirement, so that no administrator is refused for trying them out, and per user, so that an
    // administrator who relaxes the rules does not keep others from tightening them.
    const subject = `${actor.userId} ${change.required}`
    const counted = await this.rateLimiter.countMailBy(actor, subject, actor.client)
    const { afterCommit: mailing } = await counted.refundIfRejected(
      this.changes.commit(transaction => this.write(transaction, actor, change)),
    )
    if (!mailing) await counted.refund()
    return this.read(actor)
  }

  private async write(transaction: Db, actor: SessionActor, change: PolicyChange): Promise<RecordedChanges> {
    const { account, user } = await this.authority.lock(transaction, actor, 'accountSettings')
    this.requireStepUp(account, actor)
    const isConcerned = await concerns(transaction, change.required, user)
    if (isConcerned && !user.hasSecondFactor) throw new ApiError('SECOND_FACTOR_MISSING')
    const policy = policyAfter(account, change, this.clock.now())
    const { secondFactor, secondFactorFrom, secondFactorEnforced, paymentStepUpMinutes } = policy
    await transaction
      .update(accounts)
      .set({ secondFactor, secondFactorFrom, secondFactorEnforced, paymentStepUpMinutes })
      .where(eq(accounts.id, account.id))
    const detail = { step: 'set', required: secondFactor, from: secondFactorFrom, paymentStepUpMinutes }
    await this.auditLog.record(transaction, auditEvent(actor, 'second-factor.policy', detail))
    const recorded = changesWhoIsOverdue(account, policy)
      ? await this.apply(transaction, account.id)
      : NOTHING_RECORDED
    if (isSame(account, policy)) return recorded
    const afterCommit = await this.admins.notice(transaction, account.id, words =>
      changedMail(words, this.urls, policy),
    )
    return { ...recorded, afterCommit }
  }

  /**
   * Where the account asks for second factors, the user must have used one recently to change that: otherwise an
   * attacker with only the password could first remove what keeps them from the money.
   */
  private requireStepUp(account: Account, actor: SessionActor): void {
    const { secondFactor, paymentStepUpMinutes: minutes } = account
    if (secondFactor === 'off' && minutes === null) return
    const maxAgeSeconds = minutes === null ? this.settings.reauthenticationTtlSeconds : minutes * 60
    this.reauthentication.requireSecondFactorWithin(actor, maxAgeSeconds)
  }

  /** Accounts whose grace period is over, longest overdue first. */
  async listDue(): Promise<string[]> {
    const rows = await this.database.run(db =>
      db
        .select({ id: accounts.id })
        .from(accounts)
        .where(this.isDue())
        .orderBy(asc(accounts.secondFactorFrom)),
    )
    return rows.map(({ id }) => id)
  }

  /**
   * Begins to enforce the requirement of an account whose grace period is over. In one transaction, so that an
   * interrupted run has changed nothing; once, because the next run would not find it due. False when it is no
   * longer due.
   */
  async begin(accountId: string): Promise<boolean> {
    const { isBegun } = await this.changes.commit(async transaction => {
      const account = await this.accounts.lock(transaction, accountId)
      const enforced = await transaction
        .update(accounts)
        .set({ secondFactorEnforced: true })
        .where(and(eq(accounts.id, accountId), this.isDue()))
        .returning({ id: accounts.id })
      if (!account || enforced.length === 0) return { ...NOTHING_RECORDED, isBegun: false }
      const detail = { step: 'enforced', required: account.secondFactor }
      const event = auditEvent({ accountId, client: null }, 'second-factor.policy', detail)
      await this.auditLog.record(transaction, event)
      return { ...(await this.apply(transaction, accountId)), isBegun: true }
    })
    return isBegun
  }

  private isDue() {
    return and(
      ne(accounts.secondFactor, 'off'),
      sql`not ${accounts.secondFactorEnforced}`,
      lte(accounts.secondFactorFrom, this.clock.now()),
    )
  }

  /**
   * Takes all permissions from users who are now late, and gives them back to users who no longer are, in the
   * transaction that has locked the account and changed its requirement. Safe to repeat.
   */
  async apply(transaction: Db, accountId: string): Promise<RecordedChanges> {
    let changed = 0
    for (let page = await lockPage(transaction, accountId, null); page.length > 0; ) {
      changed += await this.applyTo(transaction, page)
      const last = page.length < USERS_A_PAGE ? undefined : page.at(-1)
      page = last ? await lockPage(transaction, accountId, last) : []
    }
    return this.changes.record(transaction, changed > 0 ? [{ kind: 'permissions', accountId }] : [], null)
  }

  /** Returns how many of these users it concerns. */
  private async applyTo(transaction: Db, userIds: readonly string[]): Promise<number> {
    // A trigger sets the right value.
    const changed = await transaction
      .update(users)
      .set({ mustEnrol: not(users.mustEnrol) })
      .where(and(inArray(users.id, [...userIds]), IS_OUTDATED))
      .returning({ id: users.id })
    return changed.length
  }
}

/**
 * Locks all of them, not only those who seem to be concerned: the lock waits for a grant in progress, and then
 * reads the user as the grant left them.
 */
async function lockPage(transaction: Db, accountId: string, after: string | null): Promise<string[]> {
  const rows = await transaction
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.accountId, accountId), after === null ? undefined : gt(users.id, after)))
    .orderBy(asc(users.id))
    .limit(USERS_A_PAGE)
    .for('no key update')
  return rows.map(({ id }) => id)
}

const IS_OUTDATED = sql`${users.mustEnrol} <> (not ${users.hasSecondFactor} and exists (
  select from ${accounts} where ${accounts.id} = ${users.accountId} and ${accounts.secondFactorEnforced}
    and needs_second_factor(${accounts.secondFactor}, ${users.role}, ${users.granted})
))`

/** Whether the requirement would concern the user. */
async function concerns(
  db: Db,
  required: SecondFactorRequirement,
  { id }: Pick<User, 'id'>,
): Promise<boolean> {
  const [row] = await db
    .select({ needs: needs(required) })
    .from(users)
    .where(eq(users.id, id))
  return row?.needs ?? false
}

function needs(required: SecondFactorRequirement): SQL<boolean> {
  return sql<boolean>`needs_second_factor(${required}, ${users.role}, ${users.granted})`
}

const DAY_SECONDS = 24 * 60 * 60

/** What is required after a change made at `now`. */
function policyAfter(before: SecondFactorPolicy, change: PolicyChange, now: Date): SecondFactorPolicy {
  const { required, graceDays, paymentStepUpMinutes } = change
  if (required === 'off')
    return { secondFactor: 'off', secondFactorFrom: null, secondFactorEnforced: false, paymentStepUpMinutes }
  if (required === before.secondFactor && graceDays === undefined) return { ...before, paymentStepUpMinutes }
  const from = secondsAfter(now, (graceDays ?? 0) * DAY_SECONDS)
  return {
    secondFactor: required,
    secondFactorFrom: from,
    secondFactorEnforced: from <= now,
    paymentStepUpMinutes,
  }
}

/** Whether both ask the same of users, from the same time on. */
function isSame(before: SecondFactorPolicy, after: SecondFactorPolicy): boolean {
  return (
    before.secondFactor === after.secondFactor &&
    before.secondFactorFrom?.getTime() === after.secondFactorFrom?.getTime() &&
    before.paymentStepUpMinutes === after.paymentStepUpMinutes
  )
}

/** Whether the change may make other users overdue. */
function changesWhoIsOverdue(before: SecondFactorPolicy, after: SecondFactorPolicy): boolean {
  const requiredNow = (policy: SecondFactorPolicy) =>
    policy.secondFactorEnforced ? policy.secondFactor : 'off'
  return requiredNow(before) !== requiredNow(after)
}

function changedMail(words: MailLanguage, { mainSite }: SiteUrls, policy: SecondFactorPolicy): Mail {
  const { secondFactor, secondFactorFrom, paymentStepUpMinutes: minutes } = policy
  const from = secondFactorFrom ? words.phrase('policy.from', { day: words.day(secondFactorFrom) }) : ''
  const payments =
    minutes === null ? words.phrase('policy.payWithout') : words.phrase('policy.payWith', { minutes })
  return words.mail('policyChanged', {
    ...mainSite,
    whom: words.phrase(`policy.${secondFactor}`, { from }),
    payments,
  })
}

const JOB = { name: 'second-factor-policies', everyMs: 60_000 }

/** Begins to enforce requirements whose grace period is over, on one replica at a time. */
@Injectable()
export class PolicyJob {
  private readonly logger = new Logger('PolicyJob')

  constructor(
    private readonly policies: SecondFactorPolicyService,
    private readonly jobs: LeasedJobs,
  ) {}

  /** Returns for how many accounts enforcement began; null when the run did not finish here. */
  @Interval(JOB.everyMs)
  run(): Promise<number | null> {
    return this.jobs.run(JOB, async () =>
      attemptEach(
        await this.policies.listDue(),
        accountId => this.policies.begin(accountId),
        accountId => `apply the policy of account ${accountId}`,
        this.logger,
      ),
    )
  }
}
