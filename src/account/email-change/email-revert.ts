import { Injectable } from '@nestjs/common'
import { PasswordMails } from '../../auth/password/password-mails.js'
import type { Db } from '../../database/connection.js'
import { ApiError } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import type { Email } from '../../users/email.js'
import { UndoTokens } from '../../users/links/undo-tokens.js'
import { AccountRecovery } from '../../users/recovery/account-recovery.js'
import type { User } from '../../users/user.js'
import { Users } from '../../users/users.js'

/** A restored address, and the token of the reset link that goes there; null for a disabled user. */
export interface RevertedEmail {
  readonly email: Email
  readonly resetToken: string | null
}

/** Undoes changes of e-mail addresses in the database. */
@Injectable()
export class EmailRevert {
  constructor(
    private readonly users: Users,
    private readonly undoTokens: UndoTokens,
    private readonly recovery: AccountRecovery,
    private readonly mails: PasswordMails,
  ) {}

  /** Throws `INVALID_LINK`, and `EMAIL_TAKEN`, after which the link still works. */
  async restore(
    transaction: Db,
    { id, accountId }: User,
    text: string,
    client: Client,
  ): Promise<RevertedEmail> {
    await this.users.lockAccount(transaction, accountId)
    const user = await this.users.lock(transaction, id)
    const wayBack = await this.undoTokens.consume(transaction, text)
    if (!user) throw new ApiError('INVALID_LINK')
    await this.recovery.recover(transaction, user, wayBack, client)
    const email = wayBack.address
    if (user.disabledAt) return { email, resetToken: null }
    return { email, resetToken: await this.mails.issueResetLink(transaction, { ...user, email }) }
  }
}
