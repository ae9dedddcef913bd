import { Injectable } from '@nestjs/common'
import { FactorResets } from '../../factors/factor-resets.js'
import type { Actor } from '../../platform/audit/audit-event.js'
import type { Db } from '../../platform/database/connection.js'
import { Database } from '../../platform/database/database.js'
import { ApiError } from '../../platform/errors/api-error.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import { isDisabledByOperator, type User } from '../../users/user.js'
import { UserEmails } from '../../users/user-emails.js'
import {
  newlyGranted,
  requireCanGrant,
  requireNotOwner,
  requireSomebodyElse,
  TeamAuthority,
} from '../team-authority.js'
import { FactorResetRequests, type RequestedReset } from './factor-reset-requests.js'

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
