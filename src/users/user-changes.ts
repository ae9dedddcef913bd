import { Injectable } from '@nestjs/common'
import { type Actor, auditEventOf, type TargetUser } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { PERMISSIONS, type Permissions } from '../platform/permissions.js'
import { NOTHING_RECORDED, type RecordedChanges } from '../sessions/revocation/recorded-changes.js'
import { SessionChanges } from '../sessions/revocation/session-changes.js'
import { PendingAccountChanges } from './pending/pending-account-changes.js'
import type { DisabledBy, NewUser, User } from './user.js'
import { UserTraces } from './user-traces.js'
import { Users } from './users.js'

/**
 * What others do to a user, with its audit row, in the transaction of a caller who has checked the
 * permission. The caller must apply the returned changes to the session store: see {@link SessionChanges.commit}.
 */
@Injectable()
export class UserChanges {
  constructor(
    private readonly users: Users,
    private readonly traces: UserTraces,
    private readonly pending: PendingAccountChanges,
    private readonly changes: SessionChanges,
    private readonly auditLog: AuditLog,
  ) {}

  /** Adds a member, or an owner with a new account. Throws `EMAIL_TAKEN`. */
  async create(transaction: Db, user: NewUser, actor: Actor): Promise<User> {
    const isOwner = user.role === 'owner'
    const added = await (isOwner ? this.users.addOwner(transaction, user) : this.users.add(transaction, user))
    const event = auditEventOf(user, actor, isOwner ? 'account.create' : 'user.create')
    await this.auditLog.record(transaction, event)
    return added
  }

  /**
   * Sets exactly these permissions; live sessions get them at their next refresh. The row says which of them the user
   * did not have (see `reachSince`), and which they have lost (see `OwnerNotices.aboutRemoved`).
   */
  async grant(
    transaction: Db,
    user: TargetUser & Pick<User, 'granted'>,
    granted: Permissions,
    actor: Actor,
  ): Promise<RecordedChanges> {
    const gained = PERMISSIONS.filter(name => granted[name] && !user.granted[name])
    const lost = PERMISSIONS.filter(name => !granted[name] && user.granted[name])
    await this.users.setGranted(transaction, user.id, granted)
    return this.changes.record(
      transaction,
      [{ kind: 'set-permissions', userId: user.id, granted }],
      auditEventOf(user, actor, 'permissions.change', { granted, gained, lost }),
    )
  }

  /**
   * Sets where the user may log in; the caller must end their sessions elsewhere. The row says which satellites a limit
   * did not have before; null, that it has ended: see `reachSince`.
   */
  async setSatellites(
    transaction: Db,
    user: TargetUser & Pick<User, 'satellites'>,
    satellites: User['satellites'],
    actor: Actor,
  ): Promise<void> {
    await this.users.setSatellites(transaction, user.id, satellites)
    // Where there was no limit, nothing has changed.
    if (satellites === null && user.satellites === null) return
    const gained = user.satellites && satellites?.filter(origin => !user.satellites?.includes(origin))
    const detail = { satellites, ...(gained && { gained }) }
    await this.auditLog.record(transaction, auditEventOf(user, actor, 'satellites.change', detail))
  }

  endSessions(transaction: Db, user: TargetUser, actor: Actor): Promise<RecordedChanges> {
    return this.changes.record(
      transaction,
      [{ kind: 'end-all', userId: user.id }],
      auditEventOf(user, actor, 'session.revoke', { all: true }),
    )
  }

  /**
   * Disables these users, ends all their sessions and cancels a pending transfer of the account to one of them, with
   * as many statements for many as for one. The accounts must be locked.
   */
  async disable(
    transaction: Db,
    targets: readonly TargetUser[],
    actor: Actor,
    disabledBy: DisabledBy,
    detail: { readonly reason?: string } = {},
  ): Promise<RecordedChanges> {
    const ids = targets.map(({ id }) => id)
    const afterCommit = await this.pending.cancelTransfersTo(transaction, targets, 'disabled')
    await this.users.disable(transaction, ids, disabledBy)
    await this.traces.ofDisabled(transaction, targets, actor)
    const events = targets.map(target => auditEventOf(target, actor, 'user.disable', detail))
    await this.auditLog.recordAll(transaction, events)
    const endings = ids.map(userId => ({ kind: 'end-all', userId }) as const)
    return { ...(await this.changes.record(transaction, endings, null)), afterCommit }
  }

  /** Lets a disabled user log in again; earlier sessions stay ended. */
  async enable(transaction: Db, user: TargetUser, actor: Actor): Promise<RecordedChanges> {
    await this.users.enable(transaction, user.id)
    await this.auditLog.record(transaction, auditEventOf(user, actor, 'user.enable'))
    return NOTHING_RECORDED
  }

  /**
   * Removes the user, the links mailed to them, the invitations that they sent, their known networks and devices, and
   * all sessions; the audit log keeps what they did. The account must be locked.
   */
  async remove(
    transaction: Db,
    user: TargetUser & Pick<User, 'email'>,
    actor: Actor,
  ): Promise<RecordedChanges> {
    await this.traces.ofRemoved(transaction, user)
    await this.users.remove(transaction, user.id)
    return this.changes.record(
      transaction,
      [{ kind: 'end-all', userId: user.id }],
      // From now on nothing else knows who they were.
      auditEventOf(user, actor, 'user.remove', { email: user.email }),
    )
  }
}
