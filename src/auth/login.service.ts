import { Injectable } from '@nestjs/common'
import { Passwords } from '../accounts/passwords.js'
import type { Client } from '../http/client.js'
import { LoginWatch } from '../sessions/login-watch.js'
import { type NewSession, SessionsService } from '../sessions/sessions.service.js'
import { Credentials } from './credentials.js'
import type { LoginBody } from './login.body.js'
import { LoginAttempts } from './login-attempts.js'
import { LoginRecord } from './login-record.js'

@Injectable()
export class LoginService {
  constructor(
    private readonly attempts: LoginAttempts,
    private readonly credentials: Credentials,
    private readonly passwords: Passwords,
    private readonly sessions: SessionsService,
    private readonly record: LoginRecord,
    private readonly watch: LoginWatch,
  ) {}

  /**
   * Opens a session for the right password; {@link Credentials.check} says what is refused, and how. Throws
   * `TOO_MANY_ATTEMPTS` before any work.
   */
  login(login: LoginBody, client: Client): Promise<NewSession> {
    return this.attempts.during(login.email, client, () => this.open(login, client))
  }

  private async open(login: LoginBody, client: Client): Promise<NewSession> {
    const user = await this.credentials.check(login, client)
    const newHash = this.passwords.needsRehash(user.passwordHash as string)
      ? await this.passwords.hash(login.password, client)
      : null
    const opened = await this.sessions.open({ ...user, userId: user.id }, login.source, client)
    try {
      await this.record.confirm(user, newHash, opened.session, client)
      await this.watch.loggedIn(opened.session, client)
      return opened
    } catch (error) {
      await this.sessions.discard(opened)
      throw error
    }
  }
}
