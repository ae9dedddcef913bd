import { Injectable } from '@nestjs/common'
import type { SQL } from 'drizzle-orm'
import { AuditLog } from '../../audit/audit-log.js'
import { Database } from '../../database/database.js'
import { unavailable } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import type { Session } from '../../sessions/session.js'
import type { User } from '../../users/user.js'
import { Users } from '../../users/users.js'

/** The session, and how the statement that confirms it writes its row. */
export interface Opening {
  readonly session: Session
  readonly insert: (found: SQL) => SQL
}

@Injectable()
export class LoginRecord {
  constructor(
    private readonly users: Users,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Records the login and the session's row. If the user has been changed since we read it, that change would
   * miss the new session, so the login fails (`TOO_BUSY`). A later change waits for this transaction and
   * finds the session.
   */
  async confirm(user: User, { session, insert }: Opening, client: Client): Promise<void> {
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
    const isRecorded = await this.database.run(db =>
      this.auditLog.recordIf(db, this.users.unchanged(db, user), event, insert),
    )
    if (!isRecorded) throw unavailable('TOO_BUSY')
  }
}
