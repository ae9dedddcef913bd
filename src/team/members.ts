import { Injectable } from '@nestjs/common'
import { eq } from 'drizzle-orm'
import { LoginPolicy } from '../auth/login-policy.js'
import { safeName } from '../mail/layout.js'
import { Mailer } from '../mail/mailer.js'
import { SiteUrls } from '../mail/site-urls.js'
import { auditEventOf } from '../platform/audit/audit-event.js'
import type { Db } from '../platform/database/connection.js'
import { accounts } from '../platform/database/schema/accounts.js'
import { ApiError } from '../platform/errors/api-error.js'
import { ceilingOf, PERMISSIONS, type Permissions, permissionsOf } from '../platform/permissions.js'
import { ActiveSessions, type SiteSessions } from '../sessions/active-sessions.js'
import { mergeRecorded, NOTHING_RECORDED, SessionChanges } from '../sessions/changes.js'
import type { SessionHandle } from '../sessions/session.js'
import type { SessionActor } from '../sessions/session-actor.js'
import { requireSeat } from '../users/accounts.js'
import { UserEmails } from '../users/email-addresses.js'
import { OwnerNotices } from '../users/notices.js'
import { PendingAccountChanges } from '../users/pending-changes.js'
import { isDisabledByOperator, type Role, type User } from '../users/user.js'
import { UserChanges } from '../users/user-changes.js'
import { Users } from '../users/users.js'
import { type SatelliteChangesBody, satellitesWith } from './member-access.dto.js'
import {
  type ManagerAndMember,
  newlyGranted,
  requireNotOwner,
  requireNotSelf,
  TeamAuthority,
} from './team-authority.js'

/** A user as shown to the managers of their account. */
export interface TeamMember {
  readonly userId: string
  readonly email: string
  readonly name: string | null
  readonly role: Role
  /** As granted. */
  readonly permissions: Permissions
  /** Origins to log in at; null means all. */
  readonly satellites: readonly string[] | null
  readonly isDisabled: boolean
  readonly hasSecondFactor: boolean
  readonly mustEnrol: boolean
  /** When a requested reset of their second factors happens; null when none is pending. */
  readonly factorResetAt: Date | null
  /** Null for users who have never logged in. */
  readonly lastLoginAt: Date | null
  readonly createdAt: Date
}

/** Why sessions end in the audit log when their user may no longer log in there. */
const OUT_OF_SCOPE = 'satellite closed to its user'

type Scope = Pick<User, 'accountId' | 'satellites'>

/**
 * What managers may do to the users of their account. Every change throws `NOT_FOUND` for users of other accounts,
 * `LAST_OWNER` for the owner and `OWN_RIGHTS` for oneself; all are safe to repeat.
 */
@Injectable()
export class Members {
  constructor(
    private readonly authority: TeamAuthority,
    private readonly changes: SessionChanges,
    private readonly userChanges: UserChanges,
    private readonly userEmails: UserEmails,
    private readonly pending: PendingAccountChanges,
    private readonly activeSessions: ActiveSessions,
    private readonly loginPolicy: LoginPolicy,
    private readonly notices: OwnerNotices,
    private readonly mailer: Mailer,
    private readonly urls: SiteUrls,
  ) {}

  /**
   * Sets the permissions that are named, and leaves the others as they are now; the manager must have every permission
   * that the member gains.
   */
  async setPermissions(actor: SessionActor, userId: string, change: Partial<Permissions>): Promise<void> {
    await this.changes.commit(async transaction => {
      const both = await this.authority.lockBoth(transaction, actor, userId)
      const { manager, member } = both
      const granted = permissionsOf(PERMISSIONS.filter(name => change[name] ?? member.granted[name]))
      this.authority.auditRefusals(actor, 'permissions.change', userId, () => {
        requireNotSelf(manager, member)
        requireNotOwner(member)
        this.authority.requireCanGrant(actor, manager, newlyGranted(member.granted, granted))
      })
      const recorded = await this.userChanges.grant(transaction, member, granted, actor)
      const sendOwnerNotice = await this.notices.memberGainedPermissions(
        transaction,
        both,
        { granted },
        actor,
      )
      return { ...recorded, afterCommit: sendOwnerNotice }
    })
  }

  /**
   * Restricts a member to the satellites with this change and ends their sessions on other satellites and in apps; what
   * the change does not name stays as it is now. To lift the limit, the manager must have every permission that the
   * member has been granted. Throws like {@link satellitesWith}.
   */
  async changeSatellites(actor: SessionActor, userId: string, change: SatelliteChangesBody): Promise<void> {
    const { accountId } = actor
    const { sites } = await this.activeSessions.list(userId, null)
    const { scope } = await this.changes.commit(async transaction => {
      const both = await this.authority.lockBoth(transaction, actor, userId)
      const { manager, member } = both
      this.authority.auditRefusals(actor, 'satellites.change', userId, () => {
        requireNotOwner(member)
        requireNotSelf(manager, member)
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
      const closed = this.outside(scope, sites)
      const ended = await this.changes.record(
        transaction,
        closed.map(sid => ({ kind: 'end', sid })),
        auditEventOf(member, actor, 'session.revoke', { reason: OUT_OF_SCOPE, sids: closed }),
      )
      // A main-site session stays, with the permissions that members with restricted satellites have there.
      const regrant = { kind: 'permissions', userId } as const
      const regranted = await this.changes.record(transaction, [regrant], null)
      const sendOwnerNotice = await this.notices.memberGainedPermissions(
        transaction,
        both,
        { satellites },
        actor,
      )
      return { ...mergeRecorded(ended, regranted), afterCommit: sendOwnerNotice, scope }
    })
    // Logins between our check and our change; later logins see the new scope.
    const { sites: sitesNow } = await this.activeSessions.list(userId, null)
    for (const sid of this.outside(scope, sitesNow))
      await this.activeSessions.end(userId, sid, actor.client, OUT_OF_SCOPE)
  }

  /** Cancels a pending transfer of the account to the member. */
  async disable(actor: SessionActor, userId: string): Promise<void> {
    await this.changes.commit(async transaction => {
      const both = await this.authority.lockBoth(transaction, actor, userId)
      this.authority.auditRefusals(actor, 'user.disable', userId, () => requireRemovable(both))
      return this.userChanges.disable(transaction, [both.member], actor, 'account')
    })
  }

  /**
   * This restores the member's permissions, so the manager must have them. Throws `DISABLED_BY_OPERATOR` when an
   * operator has disabled the member, and `PLAN_LIMIT_REACHED` when the plan has no seat left.
   */
  async enable(actor: SessionActor, userId: string): Promise<void> {
    await this.changes.commit(async transaction => {
      const both = await this.authority.lockBoth(transaction, actor, userId)
      const { manager, member } = both
      this.authority.auditRefusals(actor, 'user.enable', userId, () => {
        requireRemovable(both)
        if (!member.disabledAt) return
        requireNotDisabledByOperator(member)
        this.authority.requireCanGrant(actor, manager, newlyGranted(null, member.granted))
      })
      // A row would say that access was given: `grantsSince`.
      if (!member.disabledAt) return NOTHING_RECORDED
      await requireSeat(transaction, actor.accountId)
      const recorded = await this.userChanges.enable(transaction, member, actor)
      const sendOwnerNotice = await this.notices.memberGainedPermissions(
        transaction,
        both,
        { disabledAt: null },
        actor,
      )
      return { ...recorded, afterCommit: sendOwnerNotice }
    })
  }

  /**
   * Takes a member out of the account, cancels a pending transfer of the account to them, and mails them, those who were
   * told of the transfer, and the owner ({@link OwnerNotices.memberRemoved}). Throws `EMAIL_UNDO_OPEN` while a change of
   * the member's address can be undone: otherwise an attacker could have them removed before they can recover their
   * login. Disabling is always possible. Throws `DISABLED_BY_OPERATOR` like {@link enable}: otherwise they could simply
   * be invited again.
   */
  async remove(actor: SessionActor, userId: string): Promise<void> {
    await this.changes.commit(async transaction => {
      const both = await this.authority.lockBoth(transaction, actor, userId)
      const { member } = both
      this.authority.auditRefusals(actor, 'user.remove', userId, () => {
        requireRemovable(both)
        requireNotDisabledByOperator(member)
      })
      if (await this.userEmails.areAnyOpen(transaction, [userId])) throw new ApiError('EMAIL_UNDO_OPEN')
      // Before the removal: these read what goes with the member.
      const account = await accountNameOf(transaction, member)
      const sendCancelled = await this.pending.cancelTransfersTo(transaction, [member], 'removed')
      const sendOwnerNotice = await this.notices.memberRemoved(transaction, both, actor)
      const removed = await this.userChanges.remove(transaction, member, actor)
      const afterCommit = async () => {
        this.mailRemoved(member, account)
        sendCancelled()
        await sendOwnerNotice()
      }
      return { ...removed, afterCommit }
    })
  }

  /** Those of a user's live sessions that are at satellites, or in apps, where the user may no longer log in. */
  private outside(scope: Scope, sites: readonly SiteSessions[]): SessionHandle[] {
    return sites
      .filter(({ site }) => !this.loginPolicy.isInScope(scope, { origin: site }))
      .flatMap(({ sessions }) => sessions.map(({ sid }) => sid))
  }

  /** Without a link: they have no login any more. */
  private mailRemoved(member: User, account: string | null): void {
    const { siteName: site } = this.urls
    const team = account ? safeName(account) : null
    this.mailer.post(member, words => {
      const removal = team
        ? words.phrase('removal.fromNamedTeam', { site, team })
        : words.phrase('removal.fromTeam', { site })
      return words.mail('removedFromTeam', { site, removal })
    })
  }
}

/** Throws `LAST_OWNER` or `OWN_RIGHTS` unless the manager may disable or remove the member, or enable them again. */
function requireRemovable({ manager, member }: ManagerAndMember): void {
  requireNotOwner(member)
  requireNotSelf(manager, member)
}

/** Throws `DISABLED_BY_OPERATOR` for a user whom an operator has disabled: only an operator can let them in again. */
function requireNotDisabledByOperator(user: User): void {
  if (isDisabledByOperator(user)) throw new ApiError('DISABLED_BY_OPERATOR')
}

async function accountNameOf(transaction: Db, { accountId }: User): Promise<string | null> {
  const [account] = await transaction
    .select({ name: accounts.name })
    .from(accounts)
    .where(eq(accounts.id, accountId))
  return account?.name ?? null
}

/**
 * The sessions of members. Throws `NOT_FOUND` for users of other accounts, and `OWNER_REQUIRED` for the
 * owner's sessions.
 */
@Injectable()
export class MemberSessions {
  constructor(
    private readonly users: Users,
    private readonly authority: TeamAuthority,
    private readonly userChanges: UserChanges,
    private readonly activeSessions: ActiveSessions,
    private readonly changes: SessionChanges,
  ) {}

  /** The member's live sessions by site. */
  async list(actor: SessionActor, userId: string): Promise<{ readonly sites: readonly SiteSessions[] }> {
    const member = await this.users.findInAccount(userId, actor.accountId)
    if (!member) throw new ApiError('NOT_FOUND')
    requireNotOthersOwner({ id: actor.userId }, member)
    return this.activeSessions.list(userId, actor.sid, { language: actor.client.acceptLanguage })
  }

  /** Ends all; returns how many. */
  async endAll(actor: SessionActor, userId: string): Promise<number> {
    const { ended } = await this.changes.commit(async transaction => {
      const member = await this.lockMember(transaction, actor, userId)
      return this.userChanges.endSessions(transaction, member, actor)
    })
    return ended
  }

  /** Ends one; throws `NOT_FOUND` when the member has no such live session. */
  async end(actor: SessionActor, userId: string, sid: string): Promise<void> {
    const { sites } = await this.list(actor, userId)
    const session = sites.flatMap(site => site.sessions).find(each => each.sid === sid)
    if (!session) throw new ApiError('NOT_FOUND')
    const { ended } = await this.changes.commit(async transaction => {
      const member = await this.lockMember(transaction, actor, userId)
      const event = { ...auditEventOf(member, actor, 'session.revoke'), sid: session.sid }
      return this.changes.record(transaction, [{ kind: 'end', sid: session.sid }], event)
    })
    if (ended === 0) throw new ApiError('NOT_FOUND')
  }

  private async lockMember(transaction: Db, actor: SessionActor, userId: string): Promise<User> {
    const { manager, member } = await this.authority.lockBoth(transaction, actor, userId)
    this.authority.auditRefusals(actor, 'session.revoke', userId, () =>
      requireNotOthersOwner(manager, member),
    )
    return member
  }
}

/** Throws `OWNER_REQUIRED` (403): a manager must not be able to log out the owner, who can restrict them. */
function requireNotOthersOwner(manager: Pick<User, 'id'>, member: User): void {
  if (member.role === 'owner' && member.id !== manager.id) throw new ApiError('OWNER_REQUIRED')
}
