import { Injectable } from '@nestjs/common'
import { auditEventOf } from '../../audit/audit-event.js'
import { isInScope } from '../../auth/login/credentials.js'
import { Clock } from '../../clock/clock.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import type { Session } from '../../sessions/session.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import { SessionStore } from '../../sessions/stores/session-store.js'
import type { User } from '../../users/user.js'
import { UserChanges } from '../../users/user-changes.js'
import { requireCanOpen, requireNotOwner, requireSomebodyElse, TeamAuthority } from '../team-authority.js'

const REASON = 'satellite closed to its user'

/** Which satellites the members of a team may log in at. */
@Injectable()
export class SatelliteAccess {
  constructor(
    private readonly authority: TeamAuthority,
    private readonly userChanges: UserChanges,
    private readonly store: SessionStore,
    private readonly changes: SessionChanges,
    private readonly clock: Clock,
  ) {}

  /**
   * Restricts a member to these satellites (null means everywhere) and ends their sessions elsewhere. Throws
   * like {@link MembersService}; safe to repeat.
   */
  async set(actor: SessionActor, userId: string, satellites: User['satellites']): Promise<void> {
    const closed = (await this.sessionsOutside(userId, satellites)).map(({ sid }) => sid)
    await this.changes.durably(async transaction => {
      const { manager, member } = await this.authority.lockBoth(transaction, actor, userId)
      this.authority.auditRefusals(actor, 'satellites.change', userId, () => {
        requireNotOwner(member)
        requireSomebodyElse(manager, member)
        requireCanOpen(manager, member.satellites, satellites)
      })
      await this.userChanges.setSatellites(transaction, member, satellites, actor)
      return this.changes.record(
        transaction,
        closed.map(sid => ({ kind: 'end', sid })),
        auditEventOf(member, actor, 'session.revoke', { reason: REASON, sids: closed }),
      )
    })
    // Logged in between our check and our change; later logins see the new scope.
    for (const session of await this.sessionsOutside(userId, satellites))
      await this.changes.end(session, actor.client, REASON)
  }

  private async sessionsOutside(userId: string, satellites: User['satellites']): Promise<Session[]> {
    if (satellites === null) return []
    const sessions = await this.store.listByUser(userId, this.clock.now())
    return sessions.filter(session => !isInScope({ satellites }, session))
  }
}
