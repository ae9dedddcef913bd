import { Injectable } from '@nestjs/common'
import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../database/connection.js'
import { oneTimeTokens } from '../database/schema.js'
import { FactorResets } from '../factors/factor-resets.js'
import { UserFactors } from '../factors/user-factors.js'
import { OneTimeTokens } from '../links/one-time-tokens.js'
import { type Cancellation, PendingTransfers } from './pending-transfers.js'
import type { User } from './user.js'

/** What somebody with a user's login may have begun. */
@Injectable()
export class BegunChanges {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly transfers: PendingTransfers,
    private readonly factors: UserFactors,
    private readonly resets: FactorResets,
  ) {}

  /**
   * Cancels what was begun with a password that is no longer the user's, and would end in another address or
   * owner, or take the factors of somebody else. Remembered devices are forgotten.
   */
  async callOff(transaction: Db, user: User, cancellation: Cancellation): Promise<void> {
    await this.tokens.withdraw(transaction, 'email-change', user.id)
    await this.transfers.cancelOf(transaction, user, cancellation)
    await this.factors.forgetDevices(transaction, user.id)
    await this.resets.cancelRequestedBy(transaction, user.id, cancellation.reason)
  }

  /** Also links for another password, and the invitations that the user has sent. */
  async callOffAll(transaction: Db, user: User, cancellation: Cancellation): Promise<void> {
    await this.tokens.withdraw(transaction, 'password-reset', user.id)
    await this.withdrawInvitations(transaction, user)
    await this.callOff(transaction, user, cancellation)
  }

  private async withdrawInvitations(transaction: Db, { id, accountId }: User): Promise<void> {
    await transaction
      .delete(oneTimeTokens)
      .where(
        and(
          eq(oneTimeTokens.purpose, 'invitation'),
          eq(oneTimeTokens.accountId, accountId),
          sql`${oneTimeTokens.detail} ->> 'invitedBy' = ${id}`,
        ),
      )
  }
}
