import { Injectable } from '@nestjs/common'
import type { Db } from '../../database/connection.js'
import { Database } from '../../database/database.js'
import { OneTimeTokens } from '../../links/one-time-tokens.js'
import type { User } from '../../users/user.js'
import { PasswordMails } from './password-mails.js'

/** Long enough for a slow mail server; while it lasts, the link is as good as a password. */
const LIFETIME_SECONDS = 30 * 60

/** The user's id and the address that the link goes to: the stored one. */
type Receiver = Pick<User, 'id' | 'accountId' | 'email'>

/** Sends users the link with which they choose a new password. */
@Injectable()
export class PasswordReset {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly database: Database,
    private readonly mails: PasswordMails,
  ) {}

  /**
   * Mails the user a reset link; earlier links to this address stop working. Call {@link Mailer.requireMail}
   * first.
   */
  async startReset(user: Receiver): Promise<void> {
    const token = await this.database.transaction(transaction => this.issue(transaction, user))
    this.mails.sendResetLink(user.email, token)
  }

  /**
   * The token of a new link, kept in the transaction, to be mailed after the commit. Earlier links to this
   * address stop working. Links to other addresses stay valid: the user may still go back to one, and a
   * thief's request must not invalidate its link.
   */
  async issue(transaction: Db, { id: userId, accountId, email }: Receiver): Promise<string> {
    await this.tokens.withdraw(transaction, 'password-reset', userId, email)
    return this.tokens.issue(transaction, {
      purpose: 'password-reset',
      email,
      userId,
      accountId,
      lifetimeSeconds: LIFETIME_SECONDS,
    })
  }
}
