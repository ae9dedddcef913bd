import { Injectable } from '@nestjs/common'
import { and, eq, sql } from 'drizzle-orm'
import { KnownDevices } from '../anomalies/known-devices.js'
import { FactorResets } from '../factors/factor-resets.js'
import { UserFactors } from '../factors/user-factors.js'
import type { Actor, TargetUser } from '../platform/audit/audit-event.js'
import type { Db } from '../platform/database/connection.js'
import { users } from '../platform/database/schema/accounts.js'
import {
  withdrawAllTokens,
  withdrawInvitationsBy,
  withdrawTokensOfUsers,
} from '../platform/one-time-tokens.js'

/** What exists of a user besides their row. */
@Injectable()
export class UserTraces {
  constructor(
    private readonly knownDevices: KnownDevices,
    private readonly factors: UserFactors,
    private readonly resets: FactorResets,
  ) {}

  /**
   * Somebody else may have requested these, and be the reason why the users are disabled; once enabled, they
   * can request new ones. Factors stay.
   */
  async ofDisabled(transaction: Db, disabled: readonly TargetUser[], actor: Actor): Promise<void> {
    const ids = disabled.map(({ id }) => id)
    await withdrawTokensOfUsers(transaction, ['email-change', 'password-reset', 'second-factor'], ids)
    await withdrawInvitationsBy(transaction, disabled)
    await this.factors.forgetDevices(transaction, ...ids)
    await this.resets.cancelAll(transaction, disabled, actor, 'disabled')
    await this.resets.cancelRequestedBy(transaction, ids, 'disabled')
  }

  /**
   * Factors are deleted with the user's row. Whoever they invited counts as invited by their own inviter from now on:
   * otherwise a thief could hide whom they brought in by removing those in between. The account must be locked.
   */
  async ofRemoved(transaction: Db, user: TargetUser): Promise<void> {
    const { id, accountId } = user
    const invitedBy = sql`(select ${users.invitedBy} from ${users} where ${users.id} = ${id})`
    const isInvited = and(eq(users.accountId, accountId), eq(users.invitedBy, id))
    await transaction.update(users).set({ invitedBy }).where(isInvited)
    await withdrawInvitationsBy(transaction, [user])
    await withdrawAllTokens(transaction, id)
    await this.knownDevices.forgetUsers(transaction, [id])
    await this.resets.cancelRequestedBy(transaction, [id], 'removed')
  }
}
