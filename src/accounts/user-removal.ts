import { Injectable } from '@nestjs/common'
import { FamiliarClients } from '../anomalies/familiar-clients.js'
import { OneTimeTokens } from '../one-time-tokens/one-time-tokens.js'
import { SessionChanges } from '../sessions/session-changes.js'
import { type Authority, eventOf, type Whom } from './authority.js'
import { Users } from './users.js'

/** The end of a user. */
@Injectable()
export class UserRemoval {
  constructor(
    private readonly users: Users,
    private readonly tokens: OneTimeTokens,
    private readonly familiarClients: FamiliarClients,
    private readonly changes: SessionChanges,
  ) {}

  /** Removes a user, the links mailed to them, what they logged in from and all sessions; the audit log keeps what they did. */
  async remove(user: Whom, authority: Authority): Promise<void> {
    await this.changes.make(
      { kind: 'end-all', userId: user.id },
      eventOf('user.remove', user, authority),
      async transaction => {
        await authority.check(transaction)
        await this.tokens.withdrawAll(transaction, user.id)
        await this.familiarClients.forgetUsers(transaction, [user.id])
        await this.users.remove(transaction, user.id)
      },
    )
  }
}
