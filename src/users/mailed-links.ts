import { Injectable } from '@nestjs/common'
import { type AuditAction, auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { ApiError } from '../platform/errors/api-error.js'
import type { Client } from '../platform/http/request.js'
import type { OneTimeToken, Purpose } from '../platform/one-time-tokens.js'
import { OneTimeTokens } from '../platform/one-time-tokens.js'
import type { User } from './user.js'
import { Users } from './users.js'

/** A mailed link that is followed. */
export interface FollowedLink {
  readonly purpose: Purpose
  readonly text: string
  readonly action: AuditAction
  readonly client: Client
}

/**
 * Links that undo something: being disabled must not cost a user their address. And those that stop a reset of
 * factors, or do it at once: operators can reset those of users whom they have disabled.
 */
const ALSO_OF_DISABLED: ReadonlySet<Purpose> = new Set(['email-undo', 'not-me', 'factor-reset'])

/** Follows mailed links of users. */
@Injectable()
export class MailedLinks {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly users: Users,
    private readonly auditLog: AuditLog,
  ) {}

  /** The user a valid link belongs to; throws like {@link find}. */
  async userOf(link: FollowedLink): Promise<User> {
    return (await this.find(link)).user
  }

  /**
   * A valid link and its user, without using the link up. Throws `INVALID_LINK` otherwise. Links of disabled
   * users are invalid, except for some purposes.
   */
  async find({ purpose, text, action, client }: FollowedLink): Promise<{ user: User; token: OneTimeToken }> {
    const found = await this.tokens.find(purpose, text, client)
    const user = found?.userId ? await this.users.find(found.userId) : null
    if (found && user && (!user.disabledAt || ALSO_OF_DISABLED.has(purpose))) return { user, token: found }
    const event = auditEvent({ ...targetOf(found), client }, action, { reason: reasonOf(user) })
    this.auditLog.enqueue(event, 'failed')
    throw new ApiError('INVALID_LINK')
  }

  /** Uses the link up in the transaction of what it allows, like {@link OneTimeTokens.consume}. */
  consume(transaction: Db, { purpose, text }: FollowedLink): Promise<OneTimeToken> {
    return this.tokens.consume(transaction, purpose, text)
  }
}

function targetOf(found: OneTimeToken | null) {
  const { userId, accountId } = found ?? {}
  return { ...(userId && { userId }), ...(accountId && { accountId }) }
}

function reasonOf(user: User | null): string {
  return user ? 'disabled' : 'invalid link'
}
