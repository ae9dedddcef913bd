import { Controller, Delete, HttpCode, Injectable } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { auditEvent } from '../../audit/audit-event.js'
import { AuditLog } from '../../audit/audit-log.js'
import { Database } from '../../database/database.js'
import { ApiError } from '../../errors/api-error.js'
import { FactorMails } from '../../factors/factor-mails.js'
import { UserFactors } from '../../factors/user-factors.js'
import { MainSite } from '../../sessions/guards/protection.decorators.js'
import { CurrentActor, type SessionActor } from '../../sessions/session-actor.js'
import { Users } from '../../users/users.js'
import { FactorAuthority } from '../factor-authority.js'
import { isEnoughWithoutPassword } from '../factor-changes.js'
import { RemovePasswordDocs } from './passkeys.dto.js'

/** Passwords that are given up for passkeys. */
@Injectable()
export class PasswordRemoval {
  constructor(
    private readonly authority: FactorAuthority,
    private readonly database: Database,
    private readonly factors: UserFactors,
    private readonly users: Users,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Removes the user's password; false when they had none. Throws `LAST_WAY_IN`, and like
   * {@link FactorAuthority}.
   */
  async remove(actor: SessionActor): Promise<boolean> {
    const required = await this.authority.require(actor)
    return this.database.transaction(async transaction => {
      const user = await this.authority.lock(transaction, actor, required)
      if (user.passwordHash === null) return false
      const left = await this.factors.findIn(transaction, user.id)
      if (!isEnoughWithoutPassword(left)) throw new ApiError('LAST_WAY_IN')
      await this.users.setPassword(transaction, user.id, null)
      await this.auditLog.record(transaction, auditEvent(actor, 'password.remove'))
      return true
    })
  }
}

@ApiTags('Passwords')
@Controller('api/password')
export class PasswordRemovalController {
  constructor(
    private readonly removal: PasswordRemoval,
    private readonly mails: FactorMails,
  ) {}

  /** Gives the caller's password up. */
  @Delete()
  @HttpCode(204)
  @MainSite({ reauthenticated: true })
  @RemovePasswordDocs()
  async remove(@CurrentActor() actor: SessionActor): Promise<void> {
    if (await this.removal.remove(actor)) this.mails.passwordRemoved(actor)
  }
}
