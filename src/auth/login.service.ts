import { Injectable } from '@nestjs/common'
import type { Client } from '../http/client.js'
import type { SessionId } from '../sessions/session-id.js'
import { type NewSession, SessionsService } from '../sessions/sessions.service.js'
import { AfterLogin } from './after-login.js'
import { Credentials } from './credentials.js'
import type { LoginBody } from './login.body.js'
import { LoginAttempts } from './login-attempts.js'
import { LoginRecord } from './login-record.js'

@Injectable()
export class LoginService {
  constructor(
    private readonly attempts: LoginAttempts,
    private readonly credentials: Credentials,
    private readonly sessions: SessionsService,
    private readonly record: LoginRecord,
    private readonly afterLogin: AfterLogin,
  ) {}

  /**
   * Opens a session for the right password; {@link Credentials.check} says what is refused, and how. Throws
   * `TOO_MANY_ATTEMPTS` before any work. `replaced` are the sessions that the browser carried until now: they end.
   */
  login(login: LoginBody, replaced: readonly SessionId[], client: Client): Promise<NewSession> {
    return this.attempts.during(login.email, client, () => this.open(login, replaced, client))
  }

  private async open(login: LoginBody, replaced: readonly SessionId[], client: Client): Promise<NewSession> {
    const user = await this.credentials.check(login, client)
    const opened = await this.sessions.open(
      { ...user, userId: user.id },
      login.source,
      client,
      (session, insert) => this.record.confirm(user, { session, insert }, client),
    )
    try {
      await this.afterLogin.check(opened.session, replaced, client)
      return opened
    } catch (error) {
      await this.sessions.discard(opened)
      throw error
    }
  }
}
