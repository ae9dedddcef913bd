import { Injectable } from '@nestjs/common'
import { ApiError } from '../../platform/errors/api-error.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import { UserChanges } from '../../users/user-changes.js'
import { UserEmails } from '../../users/user-emails.js'
import { TeamAuthority } from '../team-authority.js'
import { requireNotDisabledByOperator, requireRemovable } from './member-rules.js'
import { RemovalConsequences } from './removal-consequences.js'

/** Takes users out of their account. */
@Injectable()
export class MemberRemoval {
  constructor(
    private readonly authority: TeamAuthority,
    private readonly userChanges: UserChanges,
    private readonly userEmails: UserEmails,
    private readonly consequences: RemovalConsequences,
    private readonly changes: SessionChanges,
  ) {}

  /**
   * Cancels a pending transfer of the account to the member, and mails them. Throws as every change of `MembersService` does, and
   * `EMAIL_UNDO_OPEN` while a change of the member's address can be undone: otherwise a thief could have them
   * removed before they can recover the account. Disabling is always possible. Throws `DISABLED_BY_OPERATOR` like
   * its `enable`: otherwise they could simply be invited again.
   */
  async remove(actor: SessionActor, userId: string): Promise<void> {
    await this.changes.commit(async transaction => {
      const both = await this.authority.lockBoth(transaction, actor, userId)
      this.authority.auditRefusals(actor, 'user.remove', userId, () => {
        requireRemovable(both)
        requireNotDisabledByOperator(both.member)
      })
      if (await this.userEmails.areAnyOpen(transaction, [userId])) throw new ApiError('EMAIL_UNDO_OPEN')
      const afterCommit = await this.consequences.follow(transaction, both, actor)
      return { ...(await this.userChanges.remove(transaction, both.member, actor)), afterCommit }
    })
  }
}
