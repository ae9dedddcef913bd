import { Injectable } from '@nestjs/common'
import { ApiError } from '../../errors/api-error.js'
import { Credentials } from './credentials.js'
import { HandoffRequirement } from './handoff-requirement.js'
import type { LoginBody } from './login.dto.js'
import { LoginLimits } from './login-limits.js'
import { type LoggedIn, type LoginContext, LoginSessions } from './login-sessions.js'

@Injectable()
export class LoginService {
  constructor(
    private readonly limits: LoginLimits,
    private readonly credentials: Credentials,
    private readonly handoffRequirement: HandoffRequirement,
    private readonly sessions: LoginSessions,
  ) {}

  /**
   * Opens a session for the right password; {@link Credentials.check} lists what is refused, and how. Throws
   * `TOO_MANY_ATTEMPTS` before any work, and `HANDOFF_REQUIRED` before that, or after the right password when
   * the user's account wants it: strangers must not learn whose it is. The sessions that the browser already
   * had end.
   */
  async login(login: LoginBody, context: LoginContext): Promise<LoggedIn> {
    this.credentials.requirePasswordsThere(login, context.client)
    const counted = await this.limits.countGuess(login.email, context.client)
    try {
      const user = await this.credentials.check(login, context.client)
      await this.handoffRequirement.check(user, context)
      const loggedIn = await this.sessions.open(user, context)
      await counted.succeeded()
      return loggedIn
    } catch (error) {
      const isRightPassword = error instanceof ApiError && error.code === 'HANDOFF_REQUIRED'
      await (isRightPassword ? counted.succeeded() : counted.threw(error))
      throw error
    }
  }
}
