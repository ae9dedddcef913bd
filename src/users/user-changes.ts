import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { and, eq, sql } from 'drizzle-orm'
import { KnownDevices } from '../anomalies/known-devices.js'
import { FactorResets } from '../factors/factor-resets.js'
import { UserFactors } from '../factors/user-factors.js'
import { NO_MAILS } from '../mail/mail.js'
import { type Actor, auditEventOf, SERVICE, type TargetUser } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { users } from '../platform/database/schema/accounts.js'
import { withdrawAllTokens, withdrawInvitationsBy, withdrawTokens } from '../platform/one-time-tokens.js'
import { PERMISSIONS, type Permissions } from '../platform/permissions.js'
import { followedBy, NOTHING_RECORDED, type RecordedChanges, SessionChanges } from '../sessions/changes.js'
import type { Email } from './email.js'
import { Passwords } from './passwords/passwords.js'
import { PendingAccountChanges } from './pending-changes.js'
import { type DisabledBy, initialGrant, type NewUser, type User } from './user.js'
import { Users } from './users.js'

/**
 * What others do to a user, with its audit row, in the transaction of a caller who has checked the
 * permission. The caller commits what is returned with {@link SessionChanges.commit}.
 */
@Injectable()
export class UserChanges {
  constructor(
    private readonly users: Users,
    private readonly pending: PendingAccountChanges,
    private readonly knownDevices: KnownDevices,
    private readonly factors: UserFactors,
    private readonly resets: FactorResets,
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
   * did not have (see `grantsSince`), and which they have lost (see `OwnerNotices.memberRemoved`).
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
      [{ kind: 'permissions', userId: user.id }],
      auditEventOf(user, actor, 'permissions.change', { granted, gained, lost }),
    )
  }

  /**
   * Sets where the user may log in; the caller must end their sessions elsewhere. The row says which satellites a limit
   * did not have before; null, that it has ended: see `grantsSince`.
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
    await this.withdrawOfDisabled(transaction, targets, actor)
    const events = targets.map(target => auditEventOf(target, actor, 'user.disable', detail))
    await this.auditLog.recordAll(transaction, events)
    const endings = ids.map(userId => ({ kind: 'end-all', userId }) as const)
    return { ...(await this.changes.record(transaction, endings, null)), afterCommit }
  }

  /**
   * An attacker may have requested these, and be the reason why the users are disabled; once enabled, they
   * can request new ones. Factors stay.
   */
  private async withdrawOfDisabled(
    transaction: Db,
    disabled: readonly TargetUser[],
    actor: Actor,
  ): Promise<void> {
    const ids = disabled.map(({ id }) => id)
    await withdrawTokens(transaction, ['email-change', 'password-reset', 'second-factor'], ids)
    await withdrawInvitationsBy(transaction, disabled)
    await this.factors.forgetDevices(transaction, ...ids)
    await this.resets.cancelAll(transaction, disabled, actor, 'disabled')
    await this.resets.cancelRequestedBy(transaction, ids, 'disabled')
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
    await this.withdrawOfRemoved(transaction, user)
    await this.users.remove(transaction, user.id)
    return this.changes.recordRemoval(
      transaction,
      user.id,
      // From now on nothing else knows who they were.
      auditEventOf(user, actor, 'user.remove', { email: user.email }),
    )
  }

  /**
   * Factors are deleted with the user's row. A member whom they invited counts as invited by their own inviter from now
   * on: otherwise an attacker could hide whom they brought in by removing those in between. The account must be locked.
   */
  private async withdrawOfRemoved(transaction: Db, user: TargetUser): Promise<void> {
    const { id, accountId } = user
    const invitedBy = sql`(select ${users.invitedBy} from ${users} where ${users.id} = ${id})`
    const isInvited = and(eq(users.accountId, accountId), eq(users.invitedBy, id))
    await transaction.update(users).set({ invitedBy }).where(isInvited)
    await withdrawInvitationsBy(transaction, [user])
    await withdrawAllTokens(transaction, id)
    await this.knownDevices.forgetUsers(transaction, [id])
    await this.resets.cancelRequestedBy(transaction, [id], 'removed')
  }
}

/**
 * How operators create and change accounts and users, at the command line or in the console: without an invitation or a
 * proof of the address.
 */
@Injectable()
export class UserAdministration {
  constructor(
    private readonly users: Users,
    private readonly passwords: Passwords,
    private readonly pending: PendingAccountChanges,
    private readonly userChanges: UserChanges,
    private readonly changes: SessionChanges,
    private readonly database: Database,
  ) {}

  /** Creates an account with its owner; throws `EMAIL_TAKEN`. */
  createAccount(email: Email, password: string, actor: Actor = SERVICE): Promise<User> {
    return this.create({ accountId: randomUUID(), email, role: 'owner' }, password, actor)
  }

  /** Creates a member of an account; throws `EMAIL_TAKEN`. */
  createMember(accountId: string, email: Email, password: string): Promise<User> {
    return this.create({ accountId, email, role: 'member' }, password, SERVICE)
  }

  /** Sets exactly these permissions; live sessions get them at their next refresh. */
  async grant(
    user: TargetUser & Pick<User, 'granted'>,
    granted: Permissions,
    actor: Actor = SERVICE,
  ): Promise<void> {
    await this.changes.commit(transaction => this.userChanges.grant(transaction, user, granted, actor))
  }

  /** Ends all sessions of a user; returns how many. */
  async endSessions(user: TargetUser, actor: Actor = SERVICE): Promise<number> {
    const change = (transaction: Db) => this.userChanges.endSessions(transaction, user, actor)
    return (await this.changes.commit(change)).ended
  }

  /**
   * Disables a user and ends all their sessions; returns how many. No user of the account can undo it. If it is
   * an owner, this cancels a pending transfer or deletion of the account: an attacker may have requested it, and the
   * owner can no longer stop it. If it is the future owner, it cancels the transfer too.
   */
  async disable(user: TargetUser, actor: Actor = SERVICE): Promise<number> {
    const { ended } = await this.changes.commit(async transaction => {
      const { user: current } = await this.users.lockWithAccount(transaction, user)
      const sendCancelledNotice = current
        ? await this.pending.cancelAll(transaction, current, actor, 'disabled')
        : NO_MAILS
      const disabled = await this.userChanges.disable(transaction, [user], actor, 'operator')
      return followedBy(disabled, sendCancelledNotice)
    })
    return ended
  }

  /** Lets a disabled user log in again; earlier sessions stay ended. */
  async enable(user: TargetUser, actor: Actor = SERVICE): Promise<void> {
    await this.changes.commit(transaction => this.userChanges.enable(transaction, user, actor))
  }

  private async create(
    known: Pick<User, 'accountId' | 'email' | 'role'>,
    password: string,
    actor: Actor,
  ): Promise<User> {
    const user = {
      ...known,
      id: randomUUID(),
      name: null,
      granted: initialGrant(known.role),
      satellites: null,
      passwordHash: await this.passwords.hash(password, null),
    }
    return this.database.transaction(transaction => this.userChanges.create(transaction, user, actor))
  }
}
