import { Injectable } from '@nestjs/common'
import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { PasskeyAssertions } from '../../factors/passkey-assertions.js'
import { ApiError } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/client.js'
import { type LoggedIn, type LoginContext, LoginSessions } from '../login.js'
import { LoginLimits } from '../login-limits.js'
import { PasskeyConfirmation } from './passkey-confirmation.js'
import { PasskeyUsers } from './passkey-users.js'

@Injectable()
export class PasskeyLoginService {
  constructor(
    private readonly limits: LoginLimits,
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
    const counted = await this.limits.countPasskey(response.id, context.client)
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
