import { Injectable } from '@nestjs/common'
import { KnownDevices } from '../../anomalies/known-devices.js'
import { AuditLog } from '../../audit/audit-log.js'
import { ApiError } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import { OneTimeTokens } from '../../links/one-time-tokens.js'
import { RateLimitedTokens } from '../../links/rate-limited-tokens.js'
import type { Email } from '../../users/email.js'
import { AccountRecovery } from '../../users/recovery/account-recovery.js'
import type { User } from '../../users/user.js'
import { Users } from '../../users/users.js'
import { PasswordSetter } from './password-setter.js'

@Injectable()
export class PasswordLinkReset {
  constructor(
    private readonly rateLimitedTokens: RateLimitedTokens,
    private readonly tokens: OneTimeTokens,
    private readonly users: Users,
    private readonly recovery: AccountRecovery,
    private readonly setter: PasswordSetter,
    private readonly knownDevices: KnownDevices,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Sets the password of the user whom the link was mailed to, ends all their sessions and tells them; nobody
   * is logged in. If the address has been changed since and that can be undone, it is changed back, because
   * somebody else may have changed it. Throws `INVALID_LINK`, also for a disabled user, and `WEAK_PASSWORD`,
   * after which the link still works. Of two calls at once one succeeds.
   */
  async reset(token: string, password: string, client: Client): Promise<void> {
    const user = await this.userOf(token, client)
    await this.setter.set(user, {
      password,
      event: { action: 'password.reset', outcome: 'ok', userId: user.id, accountId: user.accountId, client },
      permit: async (transaction, current) => {
        const { email, userId } = await this.tokens.consume(transaction, 'password-reset', token)
        if (!current || current.disabledAt || current.id !== userId) throw new ApiError('INVALID_LINK')
        const wayBack = await this.recovery.wayBackTo(transaction, current, email as Email)
        if (wayBack.turn !== null) await this.recovery.recover(transaction, current, wayBack, client)
        await this.tokens.withdraw(transaction, 'password-reset', userId, email)
        // Otherwise whoever guesses at the password from enough networks would keep them out with the new one
        // too.
        await this.knownDevices.rememberNetwork(transaction, userId, client.ip)
      },
    })
  }

  /** The user of a valid link, with the address that it was mailed to. */
  private async userOf(token: string, client: Client): Promise<User> {
    const found = await this.rateLimitedTokens.find('password-reset', token, client)
    const user = found?.userId ? await this.users.find(found.userId) : null
    if (found && user && !user.disabledAt) return { ...user, email: found.email as Email }
    this.auditLog.note({
      action: 'password.reset',
      outcome: 'failed',
      client,
      ...(user && { userId: user.id, accountId: user.accountId }),
      detail: { reason: user?.disabledAt ? 'disabled' : 'invalid link' },
    })
    throw new ApiError('INVALID_LINK')
  }
}
