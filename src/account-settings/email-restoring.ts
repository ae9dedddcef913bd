import { Injectable } from '@nestjs/common'
import type { Email } from '../accounts/email.js'
import { Users } from '../accounts/users.js'
import { PasswordReset } from '../auth/password-reset.service.js'
import type { Db } from '../database/connection.js'
import { ApiError } from '../errors/api-error.js'
import { OneTimeTokens } from '../one-time-tokens/one-time-tokens.js'
import { UndoTokens } from './undo-tokens.js'

/** An address that is back, and the token of the link for a new password that goes there. */
export interface Restored {
  readonly email: Email
  readonly resetToken: string
}

/** The undoing in the database. */
@Injectable()
export class EmailRestoring {
  constructor(
    private readonly users: Users,
    private readonly tokens: OneTimeTokens,
    private readonly undoTokens: UndoTokens,
    private readonly passwordReset: PasswordReset,
  ) {}

  async restore(transaction: Db, userId: string, text: string): Promise<Restored> {
    const user = await this.users.lock(transaction, userId)
    const token = await this.undoTokens.consume(transaction, text)
    if (!user || user.disabledAt) throw new ApiError('INVALID_LINK')
    const email = token.email as Email
    await this.users.setEmail(transaction, userId, email)
    await this.users.setPassword(transaction, userId, null)
    await this.tokens.withdraw(transaction, 'email-change', userId)
    return { email, resetToken: await this.passwordReset.issue(transaction, { ...user, email }) }
  }
}
