import { Injectable } from '@nestjs/common'
import { AuditLog } from '../../audit/audit-log.js'
import { Clock, unixSeconds } from '../../clock/clock.js'
import { Database } from '../../database/database.js'
import { ApiError, unavailable } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import { Reauthentication } from '../../sessions/reauthentication.js'
import type { Session } from '../../sessions/session.js'
import { SessionStore } from '../../sessions/stores/session-store.js'
import type { User } from '../../users/user.js'
import { Users } from '../../users/users.js'

/** Records the result of a re-authentication, in the audit log and in the session. */
@Injectable()
export class ReauthenticationRecord {
  constructor(
    private readonly database: Database,
    private readonly users: Users,
    private readonly auditLog: AuditLog,
    private readonly store: SessionStore,
    private readonly reauthentication: Reauthentication,
    private readonly clock: Clock,
  ) {}

  /**
   * Marks the session in the store, which every replica reads, and returns until when that is valid. Throws
   * `TOO_BUSY` when the user was changed since we read it, for example by a new password, and
   * `SESSION_NOT_FOUND` when the session has ended.
   */
  async stamp(user: User, session: Session, client: Client): Promise<Date> {
    const event = { ...eventOf(session, client), outcome: 'ok' } as const
    const isRecorded = await this.database.run(db =>
      this.auditLog.recordIf(db, this.users.unchanged(db, user), event),
    )
    if (!isRecorded) throw unavailable('TOO_BUSY')
    const now = this.clock.now()
    // Stores keep times in whole seconds.
    const at = new Date(unixSeconds(now) * 1000)
    if (!(await this.store.stampReauthentication(session.sid, at, now)))
      throw new ApiError('SESSION_NOT_FOUND')
    return this.reauthentication.expiresAt(at)
  }
}

function eventOf({ userId, accountId, sid }: Session, client: Client) {
  return { action: 'reauthenticate', userId, accountId, sid, client } as const
}
