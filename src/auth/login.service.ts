import { Injectable } from '@nestjs/common'
import { canonicalEmail, type Email } from '../accounts/email.js'
import { Passwords } from '../accounts/passwords.js'
import type { User } from '../accounts/user.js'
import { Users } from '../accounts/users.js'
import { AuditLog } from '../audit/audit-log.js'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { ApiError, unavailable } from '../errors/api-error.js'
import type { Client } from '../http/client.js'
import { type NewSession, SessionsService } from '../sessions/sessions.service.js'
import type { LoginBody } from './login.body.js'

@Injectable()
export class LoginService {
  constructor(
    private readonly users: Users,
    private readonly passwords: Passwords,
    private readonly sessions: SessionsService,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Opens a session for the right password. Unknown, disabled and wrong are the same `INVALID_CREDENTIALS`, after
   * the same work.
   */
  async login({ email, password, source }: LoginBody, client: Client): Promise<NewSession> {
    const user = await this.authenticate(canonicalEmail(email) as Email, password, client)
    const newHash = this.passwords.needsRehash(user.passwordHash as string)
      ? await this.passwords.hash(password)
      : null
    const opened = await this.sessions.open({ ...user, userId: user.id }, source, client)
    try {
      await this.confirm(user, newHash, opened, client)
      return opened
    } catch (error) {
      await this.sessions.discard(opened)
      throw error
    }
  }

  private async authenticate(email: Email, password: string, client: Client): Promise<User> {
    const user = await this.users.findByEmail(email)
    const usableHash = user && !user.disabledAt ? user.passwordHash : null
    const isRight = await this.passwords.verify(usableHash, password)
    if (user && isRight) return user
    this.auditLog.note({
      action: 'login',
      outcome: 'failed',
      client,
      ...(user && { userId: user.id, accountId: user.accountId }),
      detail: { reason: user?.disabledAt ? 'disabled' : user ? 'wrong password' : 'unknown user', email },
    })
    throw new ApiError('INVALID_CREDENTIALS')
  }

  /**
   * Records the login. A change of the user that was committed since we read it would miss the new session, so the
   * login is then off (`TOO_BUSY`, try again); one that comes later waits for this and finds the session.
   */
  private async confirm(
    user: User,
    newHash: string | null,
    { session }: NewSession,
    client: Client,
  ): Promise<void> {
    const { sid, userId, accountId, source } = session
    const event = {
      action: 'login',
      outcome: 'ok',
      userId,
      accountId,
      sid,
      client,
      detail: { source },
    } as const
    const record = async (db: Db, expected: User) => {
      const isRecorded = await this.auditLog.recordIf(db, this.users.unchanged(db, expected), event)
      if (!isRecorded) throw unavailable('TOO_BUSY')
    }
    if (newHash === null) return this.database.run(db => record(db, user))
    await this.database.transaction(async transaction => {
      await this.users.replaceHash(transaction, user, newHash)
      await record(transaction, { ...user, passwordHash: newHash })
    })
  }
}
