import { Injectable } from '@nestjs/common'
import { LoginPolicy } from '../auth/login-policy.js'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { LanguageName } from '../platform/config/languages.js'
import { Database } from '../platform/database/database.js'
import { ApiError } from '../platform/errors/api-error.js'
import { effectivePermissions } from '../platform/permissions.js'
import { Reauthentication } from '../sessions/reauthentication.js'
import type { SessionActor } from '../sessions/session-actor.js'
import type { User } from '../users/user.js'
import { Users } from '../users/users.js'

/** A user as they see themselves. */
export type Profile = ReturnType<typeof profileOf>

/** What users see and change about themselves. */
@Injectable()
export class ProfileService {
  constructor(
    private readonly users: Users,
    private readonly loginPolicy: LoginPolicy,
    private readonly reauthentication: Reauthentication,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * A session that is confined to its satellite learns neither where else the user may log in nor what they may do
   * there. Throws `SESSION_NOT_FOUND` when the user has just gone.
   */
  async read(actor: SessionActor) {
    const user = await this.userOf(actor)
    const site = this.reauthentication.confinementOf(actor)
    const confined = site !== null && {
      granted: effectivePermissions(actor.source, user.granted),
      satellites: [site],
    }
    const mayChangePassword = await this.loginPolicy.mayUsePassword(user, actor)
    return { ...profileOf(user), ...confined, mayChangePassword }
  }

  /** The whole profile, without what depends on the session. */
  async find(actor: SessionActor): Promise<Profile> {
    return profileOf(await this.userOf(actor))
  }

  async change(actor: SessionActor, { name, language }: { name?: string; language?: LanguageName }) {
    await this.database.transaction(async transaction => {
      if (name !== undefined) await this.users.setName(transaction, actor.userId, name)
      if (language !== undefined) await this.users.setLanguage(transaction, actor.userId, language)
      await this.auditLog.record(transaction, auditEvent(actor, 'profile.change', language && { language }))
    })
    return this.read(actor)
  }

  private async userOf({ userId }: SessionActor): Promise<User> {
    const user = await this.users.find(userId)
    if (!user) throw new ApiError('SESSION_NOT_FOUND')
    return user
  }
}

function profileOf(user: User) {
  const { id: userId, accountId, email, name, language, role, granted, satellites, createdAt } = user
  return { userId, accountId, email, name, language, role, granted, satellites, createdAt }
}
