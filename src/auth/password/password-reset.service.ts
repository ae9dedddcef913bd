import { Injectable } from '@nestjs/common'
import { KnownDevices } from '../../anomalies/known-devices.js'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { ApiError } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/request.js'
import { OneTimeTokens, withdrawTokens } from '../../platform/one-time-tokens.js'
import { NOTHING_RECORDED } from '../../sessions/revocation/recorded-changes.js'
import type { Email } from '../../users/email.js'
import { MailedLinks } from '../../users/mailed-links.js'
import { AccountRecovery } from '../../users/recovery/account-recovery.js'
import type { User } from '../../users/user.js'
import { PasswordSetter } from './password-setter.js'

@Injectable()
export class PasswordResetService {
  constructor(
    private readonly links: MailedLinks,
    private readonly tokens: OneTimeTokens,
    private readonly recovery: AccountRecovery,
    private readonly setter: PasswordSetter,
    private readonly knownDevices: KnownDevices,
  ) {}

  /**
   * Sets the password of the user whom the link was mailed to, ends all their sessions and tells them; nobody is
   * logged in. Returns where the user may log in. If the address has been changed since and that can be undone,
   * it is changed back, because somebody else may have changed it. Throws `INVALID_LINK`, also for a disabled
   * user, and `WEAK_PASSWORD`, after which the link still works. Of two concurrent calls, only one succeeds.
   */
  async reset(text: string, password: string, client: Client): Promise<Pick<User, 'satellites'>> {
    const link = { purpose: 'password-reset', text, action: 'password.reset', client } as const
    const { user, token } = await this.links.find(link)
    const recipient = { ...user, email: token.email as Email }
    await this.setter.set(recipient, {
      password,
      client,
      event: auditEvent({ userId: user.id, accountId: user.accountId, client }, 'password.reset'),
      requireAllowed: async (transaction, current) => {
        const { email, userId } = await this.tokens.consume(transaction, 'password-reset', text)
        if (!current || current.disabledAt || current.id !== userId) throw new ApiError('INVALID_LINK')
        const target = await this.recovery.restoreTargetFor(transaction, current, email as Email)
        const recovered =
          target.sequence === null
            ? NOTHING_RECORDED
            : await this.recovery.recover(transaction, current, target, client)
        await withdrawTokens(transaction, 'password-reset', userId, email)
        // Otherwise an attacker who guesses from enough networks would lock them out even with the new password.
        await this.knownDevices.rememberNetwork(transaction, userId, client.ip)
        return recovered
      },
    })
    return { satellites: user.satellites }
  }
}
