import { Injectable } from '@nestjs/common'
import type { AuditAction } from '../../audit/audit-event.js'
import { AuditLog } from '../../audit/audit-log.js'
import { ApiError } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import type { OneTimeToken, Purpose } from '../../links/one-time-tokens.js'
import { RateLimitedTokens } from '../../links/rate-limited-tokens.js'
import type { User } from '../user.js'
import { Users } from '../users.js'

/** A mailed link that somebody follows. */
export interface FollowedLink {
  readonly purpose: Purpose
  readonly text: string
  readonly action: AuditAction
  readonly client: Client
}

/** Follows mailed links of users. */
@Injectable()
export class MailedLinks {
  constructor(
    private readonly rateLimitedTokens: RateLimitedTokens,
    private readonly users: Users,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * The user of a valid link; this does not use the link up. Throws `INVALID_LINK` otherwise. Disabled users
   * count as invalid, except for links that undo something: being disabled must not cost anybody their
   * address.
   */
  async userOf({ purpose, text, action, client }: FollowedLink): Promise<User> {
    const found = await this.rateLimitedTokens.find(purpose, text, client)
    const user = found?.userId ? await this.users.find(found.userId) : null
    if (user && (!user.disabledAt || purpose === 'email-undo')) return user
    this.auditLog.note({
      action,
      outcome: 'failed',
      client,
      ...whose(found),
      detail: { reason: reasonOf(user) },
    })
    throw new ApiError('INVALID_LINK')
  }
}

function whose(found: OneTimeToken | null) {
  const { userId, accountId } = found ?? {}
  return { ...(userId && { userId }), ...(accountId && { accountId }) }
}

function reasonOf(user: User | null): string {
  return user ? 'disabled' : 'invalid link'
}
