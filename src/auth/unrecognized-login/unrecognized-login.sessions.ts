import { Injectable } from '@nestjs/common'
import { KnownDevices } from '../../anomalies/known-devices.js'
import type { UnrecognizedLoginDetail } from '../../anomalies/not-me-tokens.js'
import { auditEvent } from '../../audit/audit-event.js'
import type { Db } from '../../database/connection.js'
import type { Client } from '../../http/client.js'
import { type OneTimeToken, OneTimeTokens } from '../../links/one-time-tokens.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import type { Email } from '../../users/email.js'
import { AccountRecovery } from '../../users/recovery/account-recovery.js'
import { Users } from '../../users/users.js'
import { PasswordReset } from '../password/password-reset.service.js'

/** Where a reset link goes, and its token. */
export interface StartedReset {
  readonly email: string
  readonly token: string
}

@Injectable()
export class UnrecognizedLoginSessions {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly users: Users,
    private readonly recovery: AccountRecovery,
    private readonly knownDevices: KnownDevices,
    private readonly changes: SessionChanges,
    private readonly passwordReset: PasswordReset,
  ) {}

  /**
   * Ends all sessions of the user, not only the suspicious one: somebody has the password and may have used
   * it before. The same transaction uses the link up, removes the password, restores the address that the
   * link went to, and starts a reset; null for a user who cannot log in anyway. Throws `INVALID_LINK`,
   * `EMAIL_TAKEN`.
   */
  async end(link: OneTimeToken, text: string, client: Client): Promise<StartedReset | null> {
    const { userId, accountId } = link as { userId: string; accountId: string }
    const { sid } = link.detail as UnrecognizedLoginDetail
    const event = auditEvent({ userId, accountId, sid, client }, 'session.revoke', { reason: 'not me' })
    const { reset } = await this.changes.durably(async transaction => {
      const reset = await this.report(transaction, link, text, client)
      return { ...(await this.changes.record(transaction, [{ kind: 'end-all', userId }], event)), reset }
    })
    return reset
  }

  private async report(
    transaction: Db,
    { userId, accountId }: OneTimeToken,
    text: string,
    client: Client,
  ): Promise<StartedReset | null> {
    await this.users.lockAccount(transaction, accountId as string)
    const user = await this.users.lock(transaction, userId as string)
    const { detail, email } = await this.tokens.consume(transaction, 'not-me', text)
    await this.knownDevices.forget(transaction, userId as string, detail as UnrecognizedLoginDetail)
    // Nobody knows which of them are the stranger's: they may have logged in before, in a way that was not
    // mailed.
    await this.knownDevices.forgetDeviceIds(transaction, userId as string)
    if (!user || user.disabledAt) return null
    const wayBack = await this.recovery.wayBackTo(transaction, user, email as Email)
    await this.recovery.recover(transaction, user, wayBack, client)
    return { email, token: await this.passwordReset.issue(transaction, { ...user, email: email as Email }) }
  }
}
