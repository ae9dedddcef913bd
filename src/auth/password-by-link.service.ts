import { Injectable } from '@nestjs/common'
import type { User } from '../accounts/user.js'
import { Users } from '../accounts/users.js'
import { AuditLog } from '../audit/audit-log.js'
import { ApiError } from '../errors/api-error.js'
import type { Client } from '../http/client.js'
import { FollowedLinks } from '../one-time-tokens/followed-links.js'
import { type OneTimeToken, OneTimeTokens } from '../one-time-tokens/one-time-tokens.js'
import { PasswordSetter } from './password-setter.js'

@Injectable()
export class PasswordByLink {
  constructor(
    private readonly links: FollowedLinks,
    private readonly tokens: OneTimeTokens,
    private readonly users: Users,
    private readonly setter: PasswordSetter,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Sets the password of whoever the link was mailed to, ends all their sessions and tells them; logs in nobody. Throws
   * `INVALID_LINK`, also for a disabled user, and `WEAK_PASSWORD`, which leaves the link good. Of two at once one succeeds.
   */
  async reset(token: string, password: string, client: Client): Promise<void> {
    const user = await this.userOf(token, client)
    await this.setter.set(user, {
      password,
      event: { action: 'password.reset', outcome: 'ok', userId: user.id, accountId: user.accountId, client },
      permit: async (transaction, current) => {
        const consumed = await this.tokens.consume(transaction, 'password-reset', token)
        if (!isFor(consumed, current)) throw new ApiError('INVALID_LINK')
      },
    })
  }

  private async userOf(token: string, client: Client): Promise<User> {
    const found = await this.links.find('password-reset', token, client)
    const user = found?.userId ? await this.users.find(found.userId) : null
    if (found && user && isFor(found, user)) return user
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

/** The mailbox that the link went to must still be the user's. */
function isFor({ email, userId }: OneTimeToken, user: User | null): boolean {
  return user !== null && user.id === userId && user.email === email && !user.disabledAt
}
