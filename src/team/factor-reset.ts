import { Injectable } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { type FactorReset, FactorResets } from '../factors/factor-resets.js'
import { UserFactors } from '../factors/user-factors.js'
import { Mailer } from '../mail/mailer.js'
import { SiteUrls } from '../mail/site-urls.js'
import { type Actor, auditEventOf, SERVICE, type TargetUser } from '../platform/audit/audit-event.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { ApiError } from '../platform/errors/api-error.js'
import type { Client } from '../platform/http/request.js'
import { attemptEach, LeasedJobs } from '../platform/jobs.js'
import { Logger } from '../platform/log.js'
import { withdrawTokens } from '../platform/one-time-tokens.js'
import { RateLimiter } from '../platform/rate-limits/rate-limiter.js'
import { Clock } from '../platform/time.js'
import { mergeRecorded, NOTHING_RECORDED, type RecordedChanges, SessionChanges } from '../sessions/changes.js'
import type { SessionActor } from '../sessions/session-actor.js'
import { Accounts } from '../users/accounts.js'
import { UserEmails } from '../users/email-addresses.js'
import { type FollowedLink, MailedLinks } from '../users/mailed-links.js'
import { type EntitledUser, effectiveGrant, isDisabledByOperator, type User } from '../users/user.js'
import { Users } from '../users/users.js'
import {
  newlyGranted,
  requireCanGrant,
  requireNotOwner,
  requireNotSelf,
  TeamAuthority,
} from './team-authority.js'

// A manager or an operator requests the reset of a user's factors. The user is mailed a link with which they can stop
// it or do it at once; otherwise the job does it a day later, if nothing stands in the way by then.

/** A pending reset, and the link to it that is to be mailed to its user. */
interface RequestedReset {
  readonly reset: FactorReset
  readonly user: User
  readonly token: string
}

/** Requests of resets that the user does not make. */
@Injectable()
export class FactorResetRequests {
  constructor(
    private readonly database: Database,
    private readonly authority: TeamAuthority,
    private readonly users: Users,
    private readonly userEmails: UserEmails,
    private readonly resets: FactorResets,
    private readonly rateLimiter: RateLimiter,
    private readonly mailer: Mailer,
    private readonly urls: SiteUrls,
  ) {}

  /**
   * Mails the member, and returns when the reset happens: a day from now or, if it was requested before, at
   * the time set then; the earlier link stops working. Throws `OWN_RIGHTS` for oneself and for members who may do
   * more than the manager, `LAST_OWNER`, `NOT_FOUND` for users of other accounts, disabled ones and those without a
   * second factor, `EMAIL_UNDO_OPEN` while a change of the member's address can be undone, `TOO_MANY_ATTEMPTS`, and
   * `MAIL_UNAVAILABLE`. With `only` it also throws `NOT_FOUND` when none is pending, for example because it has been
   * stopped.
   */
  request(actor: SessionActor, userId: string, only?: 'pending'): Promise<Date> {
    return this.mailed(actor, userId, actor.client, async transaction => {
      const { manager, member } = await this.authority.lockBoth(transaction, actor, userId)
      this.authority.auditRefusals(actor, 'factors.reset', userId, () => {
        requireNotSelf(manager, member)
        // Resetting a member's factors is a step towards impersonating them.
        requireHasAllOf(manager, member)
      })
      const requested = only
        ? await this.renew(transaction, member, actor)
        : await this.open(transaction, member, actor)
      if (!requested) throw new ApiError('NOT_FOUND')
      return requested
    })
  }

  /**
   * For operators, with the same delay, and for any user, owners included; asking again only mails a new link. Counted
   * as a mail unless `client` is null, at the command line. Throws `NOT_FOUND` for users who are gone, without a second
   * factor, or disabled by their account, and `EMAIL_UNDO_OPEN`, `TOO_MANY_ATTEMPTS` and `MAIL_UNAVAILABLE` like
   * {@link request}.
   */
  requestByOperator(operator: Actor, userId: string, client: Client | null): Promise<Date> {
    return this.mailed(operator, userId, client, async transaction => {
      const user = await this.users.lock(transaction, userId)
      if (!user) throw new ApiError('NOT_FOUND')
      return this.open(transaction, user, operator)
    })
  }

  /**
   * Managers may cancel any that they could have requested. Throws `NOT_FOUND` when none is pending, and like
   * {@link request}.
   */
  async cancel(actor: SessionActor, userId: string): Promise<void> {
    await this.database.transaction(async transaction => {
      const { manager, member } = await this.authority.lockBoth(transaction, actor, userId)
      this.authority.auditRefusals(actor, 'factors.reset', userId, () => {
        // An attacker with the manager's session could keep them from being helped.
        requireNotSelf(manager, member)
        requireHasAllOf(manager, member)
      })
      if (!(await this.resets.cancel(transaction, member, actor, 'cancelled')))
        throw new ApiError('NOT_FOUND')
    })
  }

  /** For operators, who may cancel any. Throws `NOT_FOUND` when none is pending. */
  async cancelByOperator(operator: Actor, userId: string): Promise<void> {
    await this.database.transaction(async transaction => {
      const user = await this.users.lock(transaction, userId)
      const isCancelled = user && (await this.resets.cancel(transaction, user, operator, 'cancelled'))
      if (!isCancelled) throw new ApiError('NOT_FOUND')
    })
  }

  /** Opens a reset, and mails its user: without mail the user could not stop it, so that is refused first. */
  private async mailed(
    actor: Actor,
    userId: string,
    client: Client | null,
    open: (transaction: Db) => Promise<RequestedReset>,
  ): Promise<Date> {
    this.mailer.requireMail()
    const counted = client && (await this.rateLimiter.countMailBy(actor, userId, client))
    const opened = this.database.transaction(open)
    const requested = await (counted ? counted.refundIfRejected(opened) : opened)
    this.mailLink(requested)
    return requested.reset.resetAt
  }

  /** The pending reset with a new link, because the mail with the earlier one may have been lost, or a new reset. */
  private async open(transaction: Db, user: User, actor: Actor): Promise<RequestedReset> {
    const renewed = await this.renew(transaction, user, actor)
    return renewed ?? { user, ...(await this.resets.open(transaction, user, actor)) }
  }

  /**
   * The pending reset with a new link; null when there is none. Throws `NOT_FOUND` for users without a second factor and
   * for disabled ones, unless it is operators who have disabled them and reset them, and `EMAIL_UNDO_OPEN`.
   */
  private async renew(transaction: Db, user: User, actor: Actor): Promise<RequestedReset | null> {
    const isOfOperators = actor.userId === undefined && isDisabledByOperator(user)
    if ((user.disabledAt && !isOfOperators) || !user.hasSecondFactor) throw new ApiError('NOT_FOUND')
    if (await this.userEmails.areAnyOpen(transaction, [user.id])) throw new ApiError('EMAIL_UNDO_OPEN')
    await this.resets.lock(transaction, user.id)
    const reset = await this.resets.find(transaction, user.id)
    return reset && { reset, user, token: await this.resets.renewLink(transaction, user, actor, reset) }
  }

  private mailLink({ user, token, reset: { resetAt, requestedBy } }: RequestedReset): void {
    const site = this.urls.siteName
    const url = this.urls.toMainSite('/factor-reset', token)
    const byOperator = user.disabledAt ? 'factorReset.whileDisabled' : 'factorReset.byOperator'
    const claim = requestedBy === null ? byOperator : 'factorReset.byManager'
    this.mailer.post(user, words =>
      words.mail('factorResetRequested', {
        site,
        url,
        claim: words.phrase(claim, { site }),
        day: words.day(resetAt),
        time: words.time(resetAt),
        login: words.phrase(user.passwordHash ? 'factorReset.passwordAlone' : 'factorReset.noPassword'),
      }),
    )
  }
}

/** Throws `LAST_OWNER` for the owner, and `OWN_RIGHTS` for members who may do more than the manager. */
function requireHasAllOf(manager: User, member: User): void {
  requireNotOwner(member)
  requireCanGrant(manager, newlyGranted(null, member.granted))
}

/** `not-due`: it is too early, or an earlier address of the user can still be restored. */
type ResetOutcome = 'done' | 'not-due' | 'gone'

type Checked =
  | { readonly outcome: 'ready'; readonly user: User; readonly reset: FactorReset }
  | { readonly outcome: Exclude<ResetOutcome, 'done'> }

/** Carries out requested resets, for their users and for the job. */
@Injectable()
export class FactorResetCompletion {
  constructor(
    private readonly changes: SessionChanges,
    private readonly accounts: Accounts,
    private readonly users: Users,
    private readonly userEmails: UserEmails,
    private readonly resets: FactorResets,
    private readonly factors: UserFactors,
    private readonly mailer: Mailer,
    private readonly urls: SiteUrls,
    private readonly clock: Clock,
  ) {}

  /**
   * Removes everything in one transaction, and tells the user. Once: the link is used up. `confirmedBy`: the user,
   * if they followed the mailed link.
   */
  async complete(target: TargetUser, confirmedBy: Actor | null): Promise<ResetOutcome> {
    const { outcome } = await this.changes.commit(async transaction => {
      const checked = await this.lockAndCheck(transaction, target, confirmedBy !== null)
      if (checked.outcome !== 'ready') return { ...NOTHING_RECORDED, outcome: checked.outcome }
      const { user, reset } = checked
      const actor = confirmedBy ?? { userId: reset.requestedBy ?? undefined, client: null }
      const removed = await this.removeAll(transaction, user, actor as Actor, reset)
      return { ...removed, outcome: 'done' as const, afterCommit: () => this.mailDone(user) }
    })
    return outcome
  }

  /**
   * The user, locked after their account and together with the manager who requested the reset; or why it may not be
   * carried out now: much may have happened since. Cancels one whose requester may no longer request it.
   * A user who confirms need not wait.
   */
  private async lockAndCheck(
    transaction: Db,
    { id: userId, accountId }: TargetUser,
    isConfirmed: boolean,
  ): Promise<Checked> {
    // A recovery of the manager's login locks the manager first, and the user only later.
    await this.accounts.lock(transaction, accountId)
    const read = await this.resets.find(transaction, userId)
    const ids = [userId, ...(read?.requestedBy ? [read.requestedBy] : [])]
    const locked = await this.users.lockAll(transaction, ids)
    const reset = await this.resets.find(transaction, userId)
    const user = locked.get(userId)
    if (!reset || !user || reset.requestedBy !== read?.requestedBy) return { outcome: 'gone' }
    if (!mayStillRequest(reset, locked, user)) {
      await this.resets.cancel(transaction, user, SERVICE, 'who requested it may not any more')
      return { outcome: 'gone' }
    }
    if (isConfirmed) return { outcome: 'ready', user, reset }
    const isDue = reset.resetAt <= this.clock.now()
    if (!isDue || (await this.userEmails.areAnyOpen(transaction, [userId]))) return { outcome: 'not-due' }
    return { outcome: 'ready', user, reset }
  }

  /**
   * Removes all factors, recovery codes and remembered devices of the user, who is locked, and ends their sessions and
   * logins in progress. The password stays.
   */
  private async removeAll(
    transaction: Db,
    user: User,
    actor: Actor,
    { requestedBy }: FactorReset,
  ): Promise<RecordedChanges> {
    const regranted = await this.factors.removeAll(transaction, user.id)
    await withdrawTokens(transaction, ['factor-reset', 'second-factor'], user.id)
    const event = auditEventOf(user, actor, 'factors.reset', { requestedBy, step: 'done' })
    const ended = await this.changes.record(transaction, [{ kind: 'end-all', userId: user.id }], event)
    return mergeRecorded(regranted, ended)
  }

  /** Users without a password need one once their passkeys are gone. */
  private mailDone(to: User): void {
    const [login, otherwise] = to.passwordHash
      ? (['factorReset.logIn', 'factorReset.changePassword'] as const)
      : (['factorReset.choosePassword', 'factorReset.setPassword'] as const)
    this.mailer.post(to, words =>
      words.mail('factorResetDone', {
        ...this.urls.mainSite,
        login: words.phrase(login),
        otherwise: words.phrase(otherwise),
      }),
    )
  }
}

/**
 * An operator may, as long as the account has not disabled the user. No login is possible for one whom an operator has
 * disabled, so an attacker with a factor cannot stop it.
 */
function mayStillRequest(
  { requestedBy }: FactorReset,
  locked: ReadonlyMap<string, EntitledUser>,
  user: User,
): boolean {
  if (requestedBy === null) return !user.disabledAt || isDisabledByOperator(user)
  const manager = locked.get(requestedBy)
  if (!manager || manager.disabledAt || manager.accountId !== user.accountId) return false
  const hasAll = newlyGranted(null, user.granted).every(name => manager.granted[name])
  return effectiveGrant(manager).teamManagement && user.role !== 'owner' && hasAll
}

/** What users can do with the link that is mailed to them. */
@Injectable()
export class FactorResetLinks {
  constructor(
    private readonly database: Database,
    private readonly links: MailedLinks,
    private readonly users: Users,
    private readonly resets: FactorResets,
    private readonly completion: FactorResetCompletion,
  ) {}

  /**
   * Resets the factors now. Throws `INVALID_LINK`, also for a link to an address that is no longer the
   * user's, and for a link from the previous release, which can only stop what an operator was about to do.
   */
  async confirm(text: string, client: Client): Promise<void> {
    const { user, token } = await this.links.find(linkOf(text, client))
    if (token.email !== user.email || token.detail.operator) throw new ApiError('INVALID_LINK')
    const outcome = await this.completion.complete(user, { userId: user.id, client })
    if (outcome !== 'done') throw new ApiError('INVALID_LINK')
  }

  /** Stops the reset. Throws `INVALID_LINK`. */
  async stop(text: string, client: Client): Promise<void> {
    const { user, token } = await this.links.find(linkOf(text, client))
    if (token.detail.operator === 'code') throw new ApiError('INVALID_LINK')
    await this.database.transaction(async transaction => {
      await this.users.lock(transaction, user.id)
      await this.resets.lock(transaction, user.id)
      // Of two concurrent requests, only one succeeds.
      await this.links.consume(transaction, linkOf(text, client))
      await this.resets.stop(transaction, user, { userId: user.id, client })
    })
  }
}

function linkOf(text: string, client: Client): FollowedLink {
  return { purpose: 'factor-reset', text, action: 'factors.reset', client }
}

const JOB = { name: 'factor-resets', everyMs: 5 * 60_000 }

/** Carries out the resets that are due, on one replica at a time. */
@Injectable()
export class FactorResetJob {
  private readonly logger = new Logger('FactorResetJob')

  constructor(
    private readonly resets: FactorResets,
    private readonly completion: FactorResetCompletion,
    private readonly jobs: LeasedJobs,
  ) {}

  /** Returns how many were carried out; null when the run did not finish here. */
  @Interval(JOB.everyMs)
  run(): Promise<number | null> {
    const reset = async (user: TargetUser) => (await this.completion.complete(user, null)) === 'done'
    return this.jobs.run(JOB, async () =>
      attemptEach(
        await this.resets.listDue(),
        reset,
        ({ id }) => `reset the factors of user ${id}`,
        this.logger,
      ),
    )
  }
}
