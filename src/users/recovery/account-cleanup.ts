import { Injectable } from '@nestjs/common'
import type { Actor } from '../../platform/audit/audit-event.js'
import type { Db } from '../../platform/database/connection.js'
import { followedBy, type RecordedChanges } from '../../sessions/revocation/recorded-changes.js'
import { OwnerNotices } from '../notices/owner-notices.js'
import type { User } from '../user.js'
import { InvitedMembers } from './invited-members.js'
import { reachSince } from './reach.js'
import { StrangerSatellites } from './stranger-satellites.js'

/** Closes what somebody with a user's login may have opened in the account, to members and to satellites. */
@Injectable()
export class AccountCleanup {
  constructor(
    private readonly members: InvitedMembers,
    private readonly satellites: StrangerSatellites,
    private readonly notices: OwnerNotices,
  ) {}

  /**
   * Disables the members whom the user has let in since then, and suspends the satellites that the user or one of
   * these has activated since ({@link reachSince}); the owner is told. The account must be locked.
   */
  async closeSince(transaction: Db, user: User, since: Date, actor: Actor): Promise<RecordedChanges> {
    const reach = await reachSince(transaction, user, since)
    const letIn = await this.members.letIn(transaction, user, reach.members)
    const disabled = await this.members.disable(transaction, letIn, actor)
    const origins = await this.satellites.suspend(transaction, user.accountId, reach.satellites, actor)
    const members = letIn.filter(({ isDisabled }) => !isDisabled)
    if (members.length + origins.length === 0) return disabled
    return followedBy(disabled, await this.notices.aboutClosed(transaction, user, { members, origins }))
  }
}
