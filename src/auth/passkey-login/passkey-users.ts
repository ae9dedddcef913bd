import { Injectable } from '@nestjs/common'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import { ApiError } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/request.js'
import type { User } from '../../users/user.js'
import { Users } from '../../users/users.js'
import type { LoginContext } from '../login.js'
import { LoginPolicy, type LoginSite } from '../login-policy.js'

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
