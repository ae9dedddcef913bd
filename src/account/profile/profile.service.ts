import { Injectable } from '@nestjs/common'
import { AuditLog } from '../../audit/audit-log.js'
import { Database } from '../../database/database.js'
import { ApiError } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import type { Session } from '../../sessions/session.js'
import type { User } from '../../users/user.js'
import { Users } from '../../users/users.js'

/** A user as they see themselves. */
export type Profile = Pick<
  User,
  'accountId' | 'email' | 'name' | 'role' | 'granted' | 'satellites' | 'createdAt'
> & { readonly userId: string }

/** What users see and change about themselves. */
@Injectable()
export class ProfileService {
  constructor(
    private readonly users: Users,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /** Throws `SESSION_NOT_FOUND` when the user is gone and the session store has not caught up. */
  async read({ userId }: Session): Promise<Profile> {
    const user = await this.users.find(userId)
    if (!user) throw new ApiError('SESSION_NOT_FOUND')
    const { accountId, email, name, role, granted, satellites, createdAt } = user
    return { userId, accountId, email, name, role, granted, satellites, createdAt }
  }

  async rename(session: Session, name: string, client: Client): Promise<Profile> {
    const { userId, accountId, sid } = session
    await this.database.transaction(async transaction => {
      await this.users.setName(transaction, userId, name)
      await this.auditLog.record(transaction, {
        action: 'profile.change',
        outcome: 'ok',
        ...{ userId, accountId, sid, client },
      })
    })
    return this.read(session)
  }
}
