import { Injectable } from '@nestjs/common'
import { KnownDevices } from '../anomalies/known-devices.js'
import type { TargetUser } from '../audit/actor.js'
import { auditEventOf } from '../audit/audit-event.js'
import { ApiError } from '../errors/api-error.js'
import { OneTimeTokens } from '../links/one-time-tokens.js'
import { SessionChanges } from '../sessions/revocation/session-changes.js'
import type { Authority } from './authority.js'
import { UndoTokens } from './links/undo-tokens.js'
import { Users } from './users.js'

/** Removes users. */
@Injectable()
export class UserRemoval {
  constructor(
    private readonly users: Users,
    private readonly tokens: OneTimeTokens,
    private readonly undoTokens: UndoTokens,
    private readonly knownDevices: KnownDevices,
    private readonly changes: SessionChanges,
  ) {}

  /**
   * Removes a user, the links mailed to them, what they logged in from and all sessions; the audit log keeps
   * what they did. When somebody else removes the user, throws `EMAIL_UNDO_OPEN` while a change of the user's
   * address can be undone: a thief could otherwise have the user removed before they can recover the account.
   * Disabling is possible at once.
   */
  async remove(user: TargetUser, authority: Authority): Promise<void> {
    const email = (await this.users.findInAccount(user.id, user.accountId))?.email
    await this.changes.applyDurably(
      { kind: 'end-all', userId: user.id },
      // Afterwards nothing else knows who it was.
      auditEventOf(user, authority.actor, 'user.remove', { ...(email && { email }) }),
      async transaction => {
        await authority.check(transaction)
        if (authority.actor.userId && (await this.undoTokens.areAnyOpen(transaction, [user.id])))
          throw new ApiError('EMAIL_UNDO_OPEN')
        await this.tokens.withdrawAll(transaction, user.id)
        await this.knownDevices.forgetUsers(transaction, [user.id])
        await this.users.remove(transaction, user.id)
      },
    )
  }
}
