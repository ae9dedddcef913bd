import { Injectable } from '@nestjs/common'
import { Users } from '../accounts/users.js'
import { FamiliarClients } from '../anomalies/familiar-clients.js'
import type { NotMeDetail } from '../anomalies/not-me-tokens.js'
import type { Db } from '../database/connection.js'
import type { Client } from '../http/client.js'
import { type OneTimeToken, OneTimeTokens } from '../one-time-tokens/one-time-tokens.js'
import { SessionChanges } from '../sessions/session-changes.js'
import { PasswordReset } from './password-reset.service.js'

/** Where a link for a new password goes, and its token. */
export interface StartedReset {
  readonly email: string
  readonly token: string
}

@Injectable()
export class NotMeSessions {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly users: Users,
    private readonly familiar: FamiliarClients,
    private readonly changes: SessionChanges,
    private readonly passwordReset: PasswordReset,
  ) {}

  /**
   * Ends all sessions of the user, not only the one in question: somebody has the password, and may have used it
   * before. In the same transaction the link is used up and the reset begins; null for a user who cannot log in anyway.
   */
  async end(link: OneTimeToken, text: string, client: Client): Promise<StartedReset | null> {
    const { userId, accountId } = link as { userId: string; accountId: string }
    const { sid } = link.detail as NotMeDetail
    let reset: StartedReset | null = null
    await this.changes.make(
      { kind: 'end-all', userId },
      {
        action: 'session.revoke',
        outcome: 'ok',
        userId,
        accountId,
        sid,
        client,
        detail: { reason: 'not me' },
      },
      async transaction => {
        reset = await this.disown(transaction, userId, text)
      },
    )
    return reset
  }

  private async disown(transaction: Db, userId: string, text: string): Promise<StartedReset | null> {
    const user = await this.users.lock(transaction, userId)
    const { detail } = await this.tokens.consume(transaction, 'not-me', text)
    await this.familiar.forget(transaction, userId, detail as NotMeDetail)
    if (!user || user.disabledAt) return null
    // Asked for by whoever has the password: followed later, it would take the user's links elsewhere.
    await this.tokens.withdraw(transaction, 'email-change', userId)
    return { email: user.email, token: await this.passwordReset.issue(transaction, user) }
  }
}
