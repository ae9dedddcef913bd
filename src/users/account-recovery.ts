import { Injectable } from '@nestjs/common'
import { and, eq, sql } from 'drizzle-orm'
import type { TargetUser } from '../audit/actor.js'
import type { Db } from '../database/connection.js'
import { oneTimeTokens } from '../database/schema.js'
import { ApiError } from '../errors/api-error.js'
import type { Client } from '../http/client.js'
import { OneTimeTokens } from '../links/one-time-tokens.js'
import { Accounts } from './accounts.js'
import type { Email } from './email.js'
import { type Cancellation, PendingTransfers } from './pending-transfers.js'
import type { User } from './user.js'
import { UserEmails } from './user-emails.js'
import { Users } from './users.js'

/** The address that a user goes back to. `turn` is the change that left it; null when it was never left. */
export interface WayBack {
  readonly address: Email
  readonly turn: number | null
}

/**
 * Gives users back what somebody with their password may have taken. Call {@link lock} before every
 * other method.
 */
@Injectable()
export class AccountRecovery {
  constructor(
    private readonly accounts: Accounts,
    private readonly users: Users,
    private readonly tokens: OneTimeTokens,
    private readonly userEmails: UserEmails,
    private readonly transfers: PendingTransfers,
  ) {}

  /** The user as last committed, locked after their account; null when they no longer exist. */
  async lock(transaction: Db, target: TargetUser): Promise<User | null> {
    return (await this.users.lockWithAccount(transaction, target)).user
  }

  /**
   * Whether a link that was mailed to `address` may still act for the user: it is their address, or a change
   * that left it can be undone. Throws `INVALID_LINK` otherwise: the mailbox may be a thief's.
   */
  async wayBackTo(transaction: Db, user: User, address: Email): Promise<WayBack> {
    const turn = await this.userEmails.turnOf(transaction, user.id, address)
    if (turn === null && user.email !== address) throw new ApiError('INVALID_LINK')
    return { address, turn }
  }

  /**
   * Gives the user the address, removes the password and cancels whatever may have been begun with it: other
   * addresses, other passwords, invitations and, for an owner, a transfer or the deletion of the account. The
   * caller has to end the sessions. Throws `EMAIL_TAKEN`.
   */
  async recover(transaction: Db, user: User, { address, turn }: WayBack, client: Client): Promise<void> {
    if (user.email !== address) await this.userEmails.set(transaction, user.id, address)
    await this.users.setPassword(transaction, user.id, null)
    if (turn !== null) await this.userEmails.closeFrom(transaction, user.id, turn)
    await this.tokens.withdraw(transaction, 'password-reset', user.id)
    await this.withdrawInvitations(transaction, user)
    await this.callOffChanges(transaction, user, { client, reason: 'recovered' })
    if (user.role !== 'owner') return
    const actor = { userId: user.id, accountId: user.accountId, client }
    await this.accounts.cancelDeletion(transaction, actor, { reason: 'recovered' })
  }

  /** {@link recover} to the address of a mailed link back, which it uses up. Throws `INVALID_LINK` too. */
  async recoverByLink(transaction: Db, user: User, text: string, client: Client): Promise<Email> {
    const wayBack = await this.userEmails.consume(transaction, text)
    await this.recover(transaction, user, wayBack, client)
    return wayBack.address
  }

  /**
   * What was begun with a password that is no longer the user's, and would end in another address or owner.
   */
  async callOffChanges(transaction: Db, user: User, cancellation: Cancellation): Promise<void> {
    await this.tokens.withdraw(transaction, 'email-change', user.id)
    await this.transfers.cancelOf(transaction, user, cancellation)
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
