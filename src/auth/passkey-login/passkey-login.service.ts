import { Injectable } from '@nestjs/common'
import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { auditEvent } from '../../audit/audit-event.js'
import { AuditLog } from '../../audit/audit-log.js'
import { ApiError } from '../../errors/api-error.js'
import { PasskeyAssertions } from '../../factors/passkeys/passkey-assertions.js'
import type { Client } from '../../http/client.js'
import type { User } from '../../users/user.js'
import { Users } from '../../users/users.js'
import type { LoginContext } from '../login/login-context.js'
import { LoginPolicy, type LoginSite } from '../login/login-policy.js'
import { type LoggedIn, LoginSessions } from '../login/login-sessions.js'
import { PasskeyConfirmation } from './passkey-confirmation.js'
import { PasskeyLimits } from './passkey-limits.js'

/** Whose passkey may log in where. */
@Injectable()
export class PasskeyUsers {
  constructor(
    private readonly users: Users,
    private readonly loginPolicy: LoginPolicy,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Throws `PASSKEY_INVALID` for a user who may not log in there; whoever presents the passkey learns no more
   * than that.
   */
  async requireAllowed(userId: string, { source, client }: LoginContext): Promise<User> {
    const user = await this.users.find(userId)
    const site = { source, origin: client.origin }
    const reason = user === null ? 'unknown user' : this.reasonToRefuse(user, site)
    if (user && reason === null) return user
    this.noteFailure(client, reason ?? '', user)
    throw new ApiError('PASSKEY_INVALID')
  }

  noteFailure(client: Client, reason: string, user: User | null = null): void {
    const actor = { ...(user && { userId: user.id, accountId: user.accountId }), client }
    this.auditLog.enqueue(auditEvent(actor, 'login', { reason }), 'failed')
  }

  private reasonToRefuse(user: User, site: LoginSite): string | null {
    if (user.disabledAt) return 'disabled'
    if (this.loginPolicy.isBarredOwner(user, site)) return 'owner on a satellite'
    return this.loginPolicy.isInScope(user, site) ? null : 'not invited to this site'
  }
}

@Injectable()
export class PasskeyLoginService {
  constructor(
    private readonly limits: PasskeyLimits,
    private readonly assertions: PasskeyAssertions,
    private readonly passkeyUsers: PasskeyUsers,
    private readonly confirmation: PasskeyConfirmation,
    private readonly sessions: LoginSessions,
  ) {}

  /**
   * Opens a session for a passkey that has signed one of our challenges. Throws `PASSKEY_INVALID` for anything
   * wrong, also when the login is too unusual or its user may not log in there, and `TOO_MANY_ATTEMPTS` before
   * any work.
   */
  async login(response: AuthenticationResponseJSON, context: LoginContext): Promise<LoggedIn> {
    const counted = await this.limits.count(response.id, context.client)
    try {
      const assertion = await this.checked(response, context.client)
      const user = await this.passkeyUsers.requireAllowed(assertion.userId, context)
      const confirmation = this.confirmation.prepare(assertion, user, context)
      const loggedIn = await this.sessions.admit(user, { methods: assertion.methods }, context, confirmation)
      await counted.succeeded()
      return loggedIn
    } catch (error) {
      await counted.threw(error)
      throw isUnusual(error) ? new ApiError('PASSKEY_INVALID') : error
    }
  }

  private async checked(response: AuthenticationResponseJSON, client: Client) {
    try {
      return await this.assertions.check(response, { client })
    } catch (error) {
      if (error instanceof ApiError && error.code === 'PASSKEY_INVALID')
        this.passkeyUsers.noteFailure(client, 'passkey')
      throw error
    }
  }
}

function isUnusual(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'INVALID_CREDENTIALS'
}
