import { Injectable } from '@nestjs/common'
import { FactorRemoval } from '../factors/factor-removal.js'
import { type FactorReset, FactorResets } from '../factors/factor-resets.js'
import { Mailer } from '../mail/mailer.js'
import { SiteUrls } from '../mail/site-urls.js'
import { type Actor, SERVICE, type TargetUser } from '../platform/audit/actor.js'
import { Clock } from '../platform/clock/clock.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { ApiError } from '../platform/errors/api-error.js'
import type { Client } from '../platform/http/client.js'
import { RateLimiter } from '../platform/rate-limits/rate-limiter.js'
import { NOTHING_RECORDED } from '../sessions/revocation/recorded-changes.js'
import { SessionChanges } from '../sessions/revocation/session-changes.js'
import type { SessionActor } from '../sessions/session-actor.js'
import { Accounts } from '../users/accounts.js'
import { type FollowedLink, MailedLinks } from '../users/mailed-links.js'
import { effectiveGrant, isDisabledByOperator, type User } from '../users/user.js'
import { UserEmails } from '../users/user-emails.js'
import { Users } from '../users/users.js'
import {
  newlyGranted,
  requireCanGrant,
  requireNotOwner,
  requireSomebodyElse,
  TeamAuthority,
} from './team-authority.js'

/** Users without a password need one once their passkeys are gone. */
export type UserOfReset = Pick<User, 'email' | 'language' | 'passwordHash' | 'disabledAt'>

interface ResetToMail {
  readonly user: UserOfReset
  /** Of the link. */
  readonly token: string
  readonly reset: Pick<FactorReset, 'resetAt' | 'requestedBy'>
}

/** Mails to users whose factors somebody else resets. */
@Injectable()
export class FactorResetMails {
  constructor(
    private readonly mailer: Mailer,
    private readonly urls: SiteUrls,
  ) {}

  /** Throws `MAIL_UNAVAILABLE` where mail is not configured: without a mail nobody could stop the reset. */
  require(): void {
    this.mailer.requireMail()
  }

  sendRequested({ user, token, reset: { resetAt, requestedBy } }: ResetToMail): void {
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

  notifyReset(to: UserOfReset): void {
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

/** A pending reset, and the link to it that is to be mailed to its user. */
export interface RequestedReset {
  readonly reset: FactorReset
  readonly user: User
  readonly token: string
}

/** Requests of resets that somebody else makes, each mailed to its user, who can stop it or do it at once. */
@Injectable()
export class FactorResetRequests {
  constructor(
    private readonly rateLimiter: RateLimiter,
    private readonly mails: FactorResetMails,
  ) {}

  /**
   * Mails what `open` commits, and returns when the reset will happen. Counted as a mail, unless `client` is null,
   * at the command line. Throws `MAIL_UNAVAILABLE`, `TOO_MANY_ATTEMPTS`, and what `open` throws.
   */
  async request(
    actor: Actor,
    userId: string,
    client: Client | null,
    open: () => Promise<RequestedReset>,
  ): Promise<Date> {
    this.mails.require()
    const counted = client && (await this.rateLimiter.countMailBy(actor, userId, client))
    const opened = open()
    const requested = await (counted ? counted.refundIfRejected(opened) : opened)
    this.mails.sendRequested(requested)
    return requested.reset.resetAt
  }
}

/** Resets of members' factors, as managers request them. */
@Injectable()
export class FactorResetService {
  constructor(
    private readonly database: Database,
    private readonly authority: TeamAuthority,
    private readonly resets: FactorResets,
    private readonly userEmails: UserEmails,
    private readonly mailed: FactorResetRequests,
  ) {}

  /**
   * Mails the member, and returns when the reset happens: a day from now or, if it was requested before, at
   * the time set then; the earlier link stops working. Throws `OWN_RIGHTS` for oneself and for members who may do
   * more than the manager, `LAST_OWNER`, `NOT_FOUND` for users of other accounts, disabled ones and those without a
   * second factor, `EMAIL_UNDO_OPEN` while a change of the member's address can be undone, and `TOO_MANY_ATTEMPTS`.
   * With `only` it also throws `NOT_FOUND` when none is pending, for example because it has been stopped.
   */
  request(actor: SessionActor, userId: string, only?: 'pending'): Promise<Date> {
    return this.mailed.request(actor, userId, actor.client, () =>
      this.database.transaction(async transaction => {
        const { manager, member } = await this.authority.lockBoth(transaction, actor, userId)
        this.authority.auditRefusals(actor, 'factors.reset', userId, () => {
          requireSomebodyElse(manager, member)
          // Resetting somebody's factors is a step towards impersonating them.
          requireHasAllOf(manager, member)
        })
        const requested = only
          ? await this.renew(transaction, member, actor)
          : await this.open(transaction, member, actor)
        if (!requested) throw new ApiError('NOT_FOUND')
        return requested
      }),
    )
  }

  /**
   * For a user who is locked and whom the actor may reset: the pending reset with a new link, because the mail
   * with the earlier one may have been lost, or a new reset. Throws `NOT_FOUND` for those without a second
   * factor and for disabled users, unless it is operators who have disabled them and reset them, and `EMAIL_UNDO_OPEN`.
   */
  async open(transaction: Db, user: User, actor: Actor): Promise<RequestedReset> {
    const renewed = await this.renew(transaction, user, actor)
    return renewed ?? { user, ...(await this.resets.open(transaction, user, actor)) }
  }

  /**
   * Managers may cancel one that they could request, whoever did. Throws `NOT_FOUND` when none is pending, and like
   * {@link request}.
   */
  async cancel(actor: SessionActor, userId: string): Promise<void> {
    await this.database.transaction(async (transaction: Db) => {
      const { manager, member } = await this.authority.lockBoth(transaction, actor, userId)
      this.authority.auditRefusals(actor, 'factors.reset', userId, () => {
        // Somebody who has stolen their session could keep them from being helped.
        requireSomebodyElse(manager, member)
        requireHasAllOf(manager, member)
      })
      if (!(await this.resets.cancel(transaction, member, actor, 'cancelled')))
        throw new ApiError('NOT_FOUND')
    })
  }

  /** The pending reset with a new link; null when there is none. Throws like {@link open}. */
  private async renew(transaction: Db, user: User, actor: Actor): Promise<RequestedReset | null> {
    const isOfOperators = actor.userId === undefined && isDisabledByOperator(user)
    if ((user.disabledAt && !isOfOperators) || !user.hasSecondFactor) throw new ApiError('NOT_FOUND')
    if (await this.userEmails.areAnyOpen(transaction, [user.id])) throw new ApiError('EMAIL_UNDO_OPEN')
    await this.resets.lock(transaction, user.id)
    const reset = await this.resets.find(transaction, user.id)
    return reset && { reset, user, token: await this.resets.renewLink(transaction, user, actor, reset) }
  }
}

/** Throws `LAST_OWNER` for the owner, and `OWN_RIGHTS` for members who may do more than the manager. */
function requireHasAllOf(manager: User, member: User): void {
  requireNotOwner(member)
  requireCanGrant(manager, newlyGranted(null, member.granted))
}

/** `not-due`: it is too early, or an earlier address of the member can still be restored. */
export type ResetOutcome = 'done' | 'not-due' | 'gone'

type Checked =
  | { readonly outcome: 'ready'; readonly member: User; readonly reset: FactorReset }
  | { readonly outcome: Exclude<ResetOutcome, 'done'> }

/** Whether a requested reset may be carried out now; much may have happened since. */
@Injectable()
export class ResetPreconditions {
  constructor(
    private readonly accounts: Accounts,
    private readonly users: Users,
    private readonly userEmails: UserEmails,
    private readonly resets: FactorResets,
    private readonly clock: Clock,
  ) {}

  /**
   * The member, locked after their account and together with the manager who requested it; or why not. Cancels a
   * reset that whoever requested it may not request any more. A member who confirms need not wait.
   */
  async lockAndCheck(
    transaction: Db,
    { id: userId, accountId }: TargetUser,
    isConfirmed: boolean,
  ): Promise<Checked> {
    // Whoever recovers the manager's login locks that first, and the member only later.
    await this.accounts.lock(transaction, accountId)
    const read = await this.resets.find(transaction, userId)
    const ids = [userId, ...(read?.requestedBy ? [read.requestedBy] : [])]
    const locked = await this.users.lockAll(transaction, ids)
    const reset = await this.resets.find(transaction, userId)
    const member = locked.get(userId)
    if (!reset || !member || reset.requestedBy !== read?.requestedBy) return { outcome: 'gone' }
    if (!mayStillRequest(reset, locked, member)) {
      await this.resets.cancel(transaction, member, SERVICE, 'who requested it may not any more')
      return { outcome: 'gone' }
    }
    if (isConfirmed) return { outcome: 'ready', member, reset }
    const isDue = reset.resetAt <= this.clock.now()
    if (!isDue || (await this.userEmails.areAnyOpen(transaction, [userId]))) return { outcome: 'not-due' }
    return { outcome: 'ready', member, reset }
  }
}

/**
 * An operator may, as long as the account has not disabled the user. For one whom an operator has disabled, nobody can
 * log in, so a thief with a factor cannot stop it.
 */
function mayStillRequest(
  { requestedBy }: FactorReset,
  locked: ReadonlyMap<string, User>,
  member: User,
): boolean {
  if (requestedBy === null) return !member.disabledAt || isDisabledByOperator(member)
  const manager = locked.get(requestedBy)
  if (!manager || manager.disabledAt || manager.accountId !== member.accountId) return false
  const hasAll = newlyGranted(null, member.granted).every(name => manager.granted[name])
  return effectiveGrant(manager).teamManagement && member.role !== 'owner' && hasAll
}

/** Carries out requested resets. */
@Injectable()
export class FactorResetCompletion {
  constructor(
    private readonly preconditions: ResetPreconditions,
    private readonly removal: FactorRemoval,
    private readonly changes: SessionChanges,
    private readonly mails: FactorResetMails,
  ) {}

  /**
   * Removes everything in one transaction, and tells the user. Once: the link is used up. `confirmedBy`: the user,
   * if they followed the mailed link.
   */
  async complete(user: TargetUser, confirmedBy: Actor | null): Promise<ResetOutcome> {
    const { outcome } = await this.changes.commitToleratingOutage(async transaction => {
      const checked = await this.preconditions.lockAndCheck(transaction, user, confirmedBy !== null)
      if (checked.outcome !== 'ready') return { ...NOTHING_RECORDED, outcome: checked.outcome }
      const { member, reset } = checked
      const actor = confirmedBy ?? { userId: reset.requestedBy ?? undefined, client: null }
      const removed = await this.removal.removeAll(transaction, member, actor as Actor, {
        requestedBy: reset.requestedBy,
      })
      return { ...removed, outcome: 'done' as const, afterCommit: () => this.mails.notifyReset(member) }
    })
    return outcome
  }
}

const linkOf = (text: string, client: Client): FollowedLink => ({
  purpose: 'factor-reset',
  text,
  action: 'factors.reset',
  client,
})

/** What users can do with the link that is mailed to them when somebody wants to reset their factors. */
@Injectable()
export class FactorResetLinksService {
  constructor(
    private readonly links: MailedLinks,
    private readonly users: Users,
    private readonly resets: FactorResets,
    private readonly completion: FactorResetCompletion,
    private readonly database: Database,
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
