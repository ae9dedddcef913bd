import { Injectable } from '@nestjs/common'
import { and, eq, sql } from 'drizzle-orm'
import { KnownDevices } from '../anomalies/known-devices.js'
import type { Actor, TargetUser } from '../audit/actor.js'
import type { Db } from '../database/connection.js'
import { users } from '../database/schema.js'
import { FactorResets } from '../factors/factor-resets.js'
import { UserFactors } from '../factors/user-factors.js'
import { withdrawAllTokens, withdrawInvitationsBy, withdrawTokens } from '../links/withdraw-tokens.js'

/** What exists of a user besides their row. */
@Injectable()
export class UserTraces {
  constructor(
    private readonly knownDevices: KnownDevices,
    private readonly factors: UserFactors,
    private readonly resets: FactorResets,
  ) {}

  /**
   * Somebody else may have requested these, and be the reason why the user is disabled; once enabled, the
   * user can request new ones. Factors stay.
   */
  async ofDisabled(transaction: Db, user: TargetUser, actor: Actor): Promise<void> {
    await withdrawTokens(transaction, 'email-change', user.id)
    await withdrawTokens(transaction, 'password-reset', user.id)
    await withdrawTokens(transaction, 'second-factor', user.id)
    await withdrawInvitationsBy(transaction, user)
    await this.factors.forgetDevices(transaction, user.id)
    await this.resets.cancel(transaction, user, actor, 'disabled')
    await this.resets.cancelRequestedBy(transaction, user.id, 'disabled')
  }

  /**
   * Factors are deleted with the user's row. Whoever they invited counts as invited by their own inviter from now on:
   * otherwise a thief could hide whom they brought in by removing those in between.
   */
  async ofRemoved(transaction: Db, { id, accountId }: TargetUser): Promise<void> {
    const invitedBy = sql`(select ${users.invitedBy} from ${users} where ${users.id} = ${id})`
    const isInvited = and(eq(users.accountId, accountId), eq(users.invitedBy, id))
    await transaction.update(users).set({ invitedBy }).where(isInvited)
    await withdrawAllTokens(transaction, id)
    await this.knownDevices.forgetUsers(transaction, [id])
    await this.resets.cancelRequestedBy(transaction, id, 'removed')
  }
}
