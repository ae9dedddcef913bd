import { Injectable } from '@nestjs/common'
import { Passwords } from '../accounts/passwords.js'
import type { User } from '../accounts/user.js'
import { Users } from '../accounts/users.js'
import { AttemptLimits } from '../attempts/attempt-limits.js'
import { Settings } from '../config/settings.js'
import { ApiError } from '../errors/api-error.js'
import type { Client } from '../http/client.js'
import type { Session } from '../sessions/session.js'
import { LoginAttempts } from './login-attempts.js'
import { isBarredOwner } from './login-rules.js'
import { ReauthenticationRecord } from './reauthentication-record.js'

@Injectable()
export class ReauthenticationService {
  constructor(
    private readonly users: Users,
    private readonly passwords: Passwords,
    private readonly attempts: LoginAttempts,
    private readonly limits: AttemptLimits,
    private readonly records: ReauthenticationRecord,
    private readonly settings: Settings,
  ) {}

  /**
   * Marks the session when the password is its user's; says until when that counts. Wrong, disabled and without a password
   * are the same `INVALID_CREDENTIALS`, after the same work. Guesses count together with those at login, or a stolen
   * session would be a second way to guess; owners who are barred from satellites there are barred here. Safe to repeat.
   */
  async prove(session: Session, password: string, client: Client): Promise<Date> {
    const user = await this.users.find(session.userId)
    if (!user) throw new ApiError('SESSION_NOT_FOUND')
    const place = { source: session.source, origin: client.origin }
    if (isBarredOwner(user, place, this.settings)) throw new ApiError('OWNER_LOGIN_BARRED')
    // While strangers fill the user's limits a live session has guesses of its own.
    const isFamiliar = () => this.limits.hasRoom({ kind: 'session', subject: session.sid, client })
    const check = () => this.check(user, session, password, client)
    return this.attempts.during(user.email, client, check, isFamiliar)
  }

  private async check(user: User, session: Session, password: string, client: Client): Promise<Date> {
    const usableHash = user.disabledAt ? null : user.passwordHash
    if (await this.passwords.verify(usableHash, password, client))
      return this.records.stamp(user, session, client)
    this.records.noteFailed(user, session, client)
    throw new ApiError('INVALID_CREDENTIALS')
  }
}
