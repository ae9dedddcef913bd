import { Injectable } from '@nestjs/common'
import { LoginPolicy } from '../../auth/login/login-policy.js'
import type { Client } from '../../platform/http/request.js'
import { ActiveSessions } from '../../sessions/active/active-sessions.js'
import type { SessionHandle } from '../../sessions/session.js'
import type { User } from '../../users/user.js'

type Scope = Pick<User, 'accountId' | 'satellites'>

/** Live sessions at satellites, or in apps, where their user may no longer log in. */
@Injectable()
export class OutOfScopeSessions {
  constructor(
    private readonly activeSessions: ActiveSessions,
    private readonly loginPolicy: LoginPolicy,
  ) {}

  /** Throws `SESSION_STORE_UNAVAILABLE`. */
  async list(userId: string, scope: Scope): Promise<SessionHandle[]> {
    const { sites } = await this.activeSessions.list(userId, null)
    return sites
      .filter(({ site }) => !this.loginPolicy.isInScope(scope, { origin: site }))
      .flatMap(({ sessions }) => sessions.map(({ sid }) => sid))
  }

  /** Ends them one by one; safe to repeat. Throws like {@link list}. */
  async end(userId: string, scope: Scope, client: Client, reason: string): Promise<void> {
    for (const sid of await this.list(userId, scope))
      await this.activeSessions.end(userId, sid, client, reason)
  }
}
