import { Controller, Delete, HttpCode, Injectable } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { FactorMails } from '../../factors/factor-mails.js'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { MainSite } from '../../sessions/guards/protection.decorators.js'
import { followedBy, NOTHING_RECORDED } from '../../sessions/revocation/recorded-changes.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import { CurrentActor, type SessionActor } from '../../sessions/session-actor.js'
import { Users } from '../../users/users.js'
import { FactorAuthority } from '../factor-authority.js'
import { FactorConsequences } from '../factor-changes.js'
import { RemovePasswordDocs } from './passkeys.dto.js'

/** Removes passwords that users give up for passkeys. */
@Injectable()
export class PasswordRemoval {
  constructor(
    private readonly authority: FactorAuthority,
    private readonly consequences: FactorConsequences,
    private readonly changes: SessionChanges,
    private readonly users: Users,
    private readonly mails: FactorMails,
  ) {}

  /**
   * Removes the user's password, ends their other sessions, which it may have opened, and cancels what may have been
   * started with it; does nothing when they have none. Throws `LAST_WAY_IN`, and like {@link FactorAuthority}.
   */
  async remove(actor: SessionActor): Promise<void> {
    await this.changes.commitToleratingOutage(async transaction => {
      const user = await this.authority.lockWithAccount(transaction, actor)
      if (user.passwordHash === null) return NOTHING_RECORDED
      const event = auditEvent(actor, 'password.remove')
      const ended = await this.consequences.ofRemovingPassword(transaction, actor, user, event)
      await this.users.setPassword(transaction, user.id, null)
      return followedBy(ended, await this.mails.passwordRemoved(transaction, actor))
    })
  }
}

@ApiTags('Passwords')
@Controller('api/password')
export class PasswordRemovalController {
  constructor(private readonly removal: PasswordRemoval) {}

  /** Removes the caller's password. */
  @Delete()
  @HttpCode(204)
  @MainSite({ reauthenticated: true })
  @RemovePasswordDocs()
  remove(@CurrentActor() actor: SessionActor): Promise<void> {
    return this.removal.remove(actor)
  }
}
