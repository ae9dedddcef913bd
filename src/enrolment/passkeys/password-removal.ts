import { Controller, Delete, HttpCode, Injectable } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { auditEvent } from '../../audit/audit-event.js'
import { ApiError } from '../../errors/api-error.js'
import { FactorMails } from '../../factors/factor-mails.js'
import { UserFactors } from '../../factors/user-factors.js'
import { MainSite } from '../../sessions/guards/protection.decorators.js'
import { NOTHING_RECORDED } from '../../sessions/revocation/recorded-changes.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import { CurrentActor, type SessionActor } from '../../sessions/session-actor.js'
import { AccountRecovery } from '../../users/recovery/account-recovery.js'
import { Users } from '../../users/users.js'
import { FactorAuthority } from '../factor-authority.js'
import { isEnoughWithoutPassword } from '../factor-changes.js'
import { RemovePasswordDocs } from './passkeys.dto.js'

/** Removes passwords that users give up for passkeys. */
@Injectable()
export class PasswordRemoval {
  constructor(
    private readonly authority: FactorAuthority,
    private readonly changes: SessionChanges,
    private readonly factors: UserFactors,
    private readonly recovery: AccountRecovery,
    private readonly users: Users,
  ) {}

  /**
   * Removes the user's password, ends their other sessions, which it may have opened, and cancels what may have
   * been started with it, like a new password; false when they had none. Throws `LAST_WAY_IN`, and like {@link FactorAuthority}.
   */
  async remove(actor: SessionActor): Promise<boolean> {
    const { isRemoved } = await this.changes.durablyOnce(async transaction => {
      const user = await this.authority.lockWithAccount(transaction, actor)
      if (user.passwordHash === null) return { ...NOTHING_RECORDED, isRemoved: false }
      const left = await this.factors.findIn(transaction, user.id)
      if (!isEnoughWithoutPassword(left)) throw new ApiError('LAST_WAY_IN')
      await this.users.setPassword(transaction, user.id, null)
      const cancellation = { client: actor.client, reason: 'password removed' }
      const afterCommit = await this.recovery.cancelPending(transaction, user, cancellation)
      const others = { kind: 'end-all', userId: user.id, keep: actor.sid } as const
      const ended = await this.changes.record(transaction, [others], auditEvent(actor, 'password.remove'))
      return { ...ended, isRemoved: true, afterCommit }
    })
    return isRemoved
  }
}

@ApiTags('Passwords')
@Controller('api/password')
export class PasswordRemovalController {
  constructor(
    private readonly removal: PasswordRemoval,
    private readonly mails: FactorMails,
  ) {}

  /** Removes the caller's password. */
  @Delete()
  @HttpCode(204)
  @MainSite({ reauthenticated: true })
  @RemovePasswordDocs()
  async remove(@CurrentActor() actor: SessionActor): Promise<void> {
    if (await this.removal.remove(actor)) await this.mails.passwordRemoved(actor)
  }
}
