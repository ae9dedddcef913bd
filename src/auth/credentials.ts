import { Injectable } from '@nestjs/common'
import type { Email } from '../accounts/email.js'
import { Passwords } from '../accounts/passwords.js'
import type { User } from '../accounts/user.js'
import { Users } from '../accounts/users.js'
import type { AuditOutcome } from '../audit/audit-event.js'
import { AuditLog } from '../audit/audit-log.js'
import { Settings } from '../config/settings.js'
import { ApiError } from '../errors/api-error.js'
import type { Client } from '../http/client.js'
import type { LoginBody } from './login.body.js'
import { isBarredOwner, isInScope } from './login-rules.js'

@Injectable()
export class Credentials {
  constructor(
    private readonly users: Users,
    private readonly passwords: Passwords,
    private readonly settings: Settings,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * The user whose password this is and who may log in there. Unknown, disabled, wrong and out of scope are the same
   * `INVALID_CREDENTIALS`, after the same work. Throws `OWNER_LOGIN_BARRED` before any of it.
   */
  async check({ email, password, source }: LoginBody, client: Client): Promise<User> {
    const place = { source, origin: client.origin }
    const user = await this.users.findByEmail(email)
    if (user && isBarredOwner(user, place, this.settings)) {
      this.note('refused', 'owner on a satellite', email, user, client)
      throw new ApiError('OWNER_LOGIN_BARRED')
    }
    const usableHash = user && !user.disabledAt ? user.passwordHash : null
    const isRight = await this.passwords.verify(usableHash, password, client)
    if (user && isRight && isInScope(user, place)) return user
    this.note('failed', reasonOf(user, isRight), email, user, client)
    throw new ApiError('INVALID_CREDENTIALS')
  }

  private note(outcome: AuditOutcome, reason: string, email: Email, user: User | null, client: Client): void {
    this.auditLog.note({
      action: 'login',
      outcome,
      client,
      ...(user && { userId: user.id, accountId: user.accountId }),
      detail: { reason, email },
    })
  }
}

function reasonOf(user: User | null, isRight: boolean): string {
  if (!user) return 'unknown user'
  if (user.disabledAt) return 'disabled'
  return isRight ? 'not invited to this site' : 'wrong password'
}
