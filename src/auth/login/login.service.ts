import { Injectable } from '@nestjs/common'
import type { DeviceId } from '../../anomalies/device-id.js'
import type { Client } from '../../http/client.js'
import { type NewSession, SessionsService } from '../../sessions/sessions.service.js'
import { AfterLogin } from './after-login.js'
import type { LoginBody } from './auth.dto.js'
import type { Carried } from './carried.js'
import { Credentials } from './credentials.js'
import { LoginAttempts } from './login-attempts.js'
import { LoginRecord } from './login-record.js'

/** A session, and the device id that its client must keep; null when it keeps none. */
export interface LoggedIn extends NewSession {
  readonly deviceId: DeviceId | null
}

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
   * Opens a session for the right password; {@link Credentials.check} lists what is refused, and how. Throws
   * `TOO_MANY_ATTEMPTS` before any work. The sessions that the browser already had end.
   */
  login(login: LoginBody, carried: Carried, client: Client): Promise<LoggedIn> {
    return this.attempts.during(login.email, client, () => this.open(login, carried, client))
  }

  private async open(login: LoginBody, carried: Carried, client: Client): Promise<LoggedIn> {
    const user = await this.credentials.check(login, client)
    const opened = await this.sessions.open(
      { ...user, userId: user.id },
      login.source,
      client,
      (session, insert) => this.record.confirm(user, { session, insert }, client),
    )
    try {
      const deviceId = await this.afterLogin.check(opened.session, carried, client)
      return { ...opened, deviceId }
    } catch (error) {
      await this.sessions.discard(opened)
      throw error
    }
  }
}
