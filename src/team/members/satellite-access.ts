import { Injectable } from '@nestjs/common'
import { auditEventOf } from '../../platform/audit/audit-event.js'
import { ceilingOf } from '../../platform/permissions.js'
import { mergeRecorded } from '../../sessions/revocation/recorded-changes.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import { OwnerNotices } from '../../users/notices/owner-notices.js'
import { UserChanges } from '../../users/user-changes.js'
import { newlyGranted, requireNotOwner, requireSomebodyElse, TeamAuthority } from '../team-authority.js'
import { type SatelliteChangesBody, satellitesWith } from './member-access.dto.js'
import { OutOfScopeSessions } from './out-of-scope-sessions.js'

const REASON = 'satellite closed to its user'

/** Which satellites the members of a team may log in at. */
@Injectable()
export class SatelliteAccess {
  constructor(
    private readonly authority: TeamAuthority,
    private readonly userChanges: UserChanges,
    private readonly notices: OwnerNotices,
    private readonly changes: SessionChanges,
    private readonly outOfScope: OutOfScopeSessions,
  ) {}

  /**
   * Restricts a member to the satellites with this change and ends their sessions on other satellites and in apps;
   * what the change does not name stays as it is now. Throws like {@link MembersService} and {@link satellitesWith};
   * safe to repeat. To lift the limit, the manager must have every permission that the member has been granted.
   */
  async change(actor: SessionActor, userId: string, change: SatelliteChangesBody): Promise<void> {
    const { accountId } = actor
    const sites = await this.outOfScope.all(userId)
    const { scope } = await this.changes.commit(async transaction => {
      const both = await this.authority.lockBoth(transaction, actor, userId)
      const { manager, member } = both
      this.authority.auditRefusals(actor, 'satellites.change', userId, () => {
        requireNotOwner(member)
        requireSomebodyElse(manager, member)
      })
      const satellites = satellitesWith(change, member.satellites)
      const scope = { accountId, satellites }
      this.authority.auditRefusals(actor, 'satellites.change', userId, () => {
        // Lifting the limit gives them what it has kept from them.
        const isLifted = satellites === null && member.satellites !== null
        const had = isLifted ? ceilingOf('satellite') : member.granted
        this.authority.requireCanGrant(actor, manager, newlyGranted(had, member.granted))
      })
      await this.userChanges.setSatellites(transaction, member, satellites, actor)
      const closed = this.outOfScope.of(sites, scope)
      const ended = await this.changes.record(
        transaction,
        closed.map(sid => ({ kind: 'end', sid })),
        auditEventOf(member, actor, 'session.revoke', { reason: REASON, sids: closed }),
      )
      // A main-site session stays, with the permissions that members with restricted satellites have there.
      const regrant = { kind: 'set-permissions', userId, granted: member.granted } as const
      const regranted = await this.changes.record(transaction, [regrant], null)
      const sendOwnerNotice = await this.notices.aboutGained(transaction, both, { satellites }, actor)
      return { ...mergeRecorded(ended, regranted), afterCommit: sendOwnerNotice, scope }
    })
    // Logins between our check and our change; later logins see the new scope.
    await this.outOfScope.end(userId, scope, actor.client, REASON)
  }
}
