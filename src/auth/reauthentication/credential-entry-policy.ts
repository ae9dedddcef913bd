import { Injectable } from '@nestjs/common'
import type { ErrorCode } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/request.js'
import type { Session } from '../../sessions/session.js'
import type { User } from '../../users/user.js'
import { LoginPolicy } from '../login/login-policy.js'

/** Where a session began, and where its client is now. */
export interface EntryContext extends Pick<Session, 'source' | 'origin'> {
  readonly client: Pick<Client, 'origin'>
}

/**
 * Where users may enter passwords and codes within a session. Where the session began counts too: a customer's
 * server could pass on, without an Origin, what was typed on its page.
 */
@Injectable()
export class CredentialEntryPolicy {
  constructor(private readonly loginPolicy: LoginPolicy) {}

  /** `OWNER_LOGIN_BARRED` or `HANDOFF_REQUIRED` where the user may not enter a password; null where they may. */
  async refusalOfPassword(user: User, { source, origin, client }: EntryContext): Promise<ErrorCode | null> {
    for (const site of new Set([origin, client.origin])) {
      if (this.loginPolicy.isBarredOwner(user, { source, origin: site })) return 'OWNER_LOGIN_BARRED'
      if (await this.loginPolicy.requiresHandoff(user, site)) return 'HANDOFF_REQUIRED'
    }
    return null
  }

  /** The same for codes, which may be entered on fewer sites. */
  async refusalOfCode(user: User, context: EntryContext): Promise<ErrorCode | null> {
    const isHandoffRequired = [context.origin, context.client.origin].some(origin =>
      this.loginPolicy.requiresFactorHandoff(user, origin),
    )
    return isHandoffRequired ? 'HANDOFF_REQUIRED' : this.refusalOfPassword(user, context)
  }

  /** Whether the user has a password, and may use it where this session began and where its client is now. */
  async mayUsePassword(user: User, context: EntryContext): Promise<boolean> {
    return user.passwordHash !== null && (await this.refusalOfPassword(user, context)) === null
  }
}
