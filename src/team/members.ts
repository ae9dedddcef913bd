import { Injectable } from '@nestjs/common'
import { eq } from 'drizzle-orm'
import { KnownDevices } from '../anomalies/known-devices.js'
import { LoginPolicy } from '../auth/login/login-policy.js'
import { FactorResets } from '../factors/factor-resets.js'
import type { SendMails } from '../mail/after-commit-mail.js'
import { Mailer } from '../mail/mailer.js'
import { safeName } from '../mail/safe-name.js'
import { SiteUrls } from '../mail/site-urls.js'
import { auditEventOf } from '../platform/audit/audit-event.js'
import type { Db } from '../platform/database/connection.js'
import { accounts } from '../platform/database/schema/accounts.js'
import { ApiError } from '../platform/errors/api-error.js'
import { ageCursor } from '../platform/http/age-cursor.js'
import type { Client } from '../platform/http/client.js'
import { type Page, pageOf } from '../platform/http/page.js'
import {
  ceilingOf,
  PERMISSIONS,
  type Permissions,
  permissionsOf,
} from '../platform/permissions/permissions.js'
import { ActiveSessions, type SiteSessions } from '../sessions/active/active-sessions.js'
import { type AfterCommit, mergeRecorded, NOTHING_RECORDED } from '../sessions/revocation/recorded-changes.js'
import { SessionChanges } from '../sessions/revocation/session-changes.js'
import type { SessionHandle } from '../sessions/session.js'
import type { SessionActor } from '../sessions/session-actor.js'
import type { UserCursor } from '../users/lists/user-cursor.js'
import { UserSearch } from '../users/lists/user-search.js'
import { OwnerNotices } from '../users/notices/owner-notices.js'
import { PendingAccountChanges } from '../users/pending/pending-account-changes.js'
import { requireSeat } from '../users/plan-seats.js'
import { isDisabledByOperator, type User } from '../users/user.js'
import { UserChanges } from '../users/user-changes.js'
import { UserEmails } from '../users/user-emails.js'
import { Users } from '../users/users.js'
import type { MembersQuery, TeamMemberAnswer } from './team.controller.js'
import {
  type ManagerAndMember,
  newlyGranted,
  requireNotOwner,
  requireSomebodyElse,
  TeamAuthority,
} from './team-authority.js'

/** Throws `LAST_OWNER` or `OWN_RIGHTS` unless the manager may disable or remove the member, or enable them again. */
export function requireRemovable({ manager, member }: ManagerAndMember): void {
  requireNotOwner(member)
  requireSomebodyElse(manager, member)
}

/** Throws `DISABLED_BY_OPERATOR` for somebody whom an operator has disabled: only an operator can let them in again. */
export function requireNotDisabledByOperator(user: User): void {
  if (isDisabledByOperator(user)) throw new ApiError('DISABLED_BY_OPERATOR')
}

/** The users of an account, as shown to its managers. */
@Injectable()
export class MemberList {
  constructor(
    private readonly users: Users,
    private readonly search: UserSearch,
    private readonly resets: FactorResets,
    private readonly devices: KnownDevices,
  ) {}

  /**
   * One page of the account's users, or of those whose name or e-mail address contains `q`, oldest first; it
   * continues where the previous page ended, no matter who has joined or left since. A page of a search may
   * end early.
   */
  async list(accountId: string, { limit, after, q }: MembersQuery) {
    const { rows, next } = await (q === undefined
      ? pageOf(limit, count => this.users.listByAccount(accountId, after ?? null, count), ageCursor)
      : this.found(accountId, q, after ?? null, limit))
    return { users: await this.asTeamMembers(rows), next }
  }

  /** Throws `NOT_FOUND` for users of other accounts. */
  async find(accountId: string, userId: string): Promise<TeamMemberAnswer> {
    const user = await this.users.findInAccount(userId, accountId)
    if (!user) throw new ApiError('NOT_FOUND')
    const [member] = await this.asTeamMembers([user])
    return member as TeamMemberAnswer
  }

  private async found(
    accountId: string,
    text: string,
    after: UserCursor | null,
    limit: number,
  ): Promise<Page<User>> {
    const { users, rest } = await this.search.page(accountId, text, after, limit + 1)
    const rows = users.slice(0, limit)
    const last = users.length > limit ? rows.at(-1) : rest
    return { rows, next: last ? ageCursor(last) : null }
  }

  private async asTeamMembers(users: readonly User[]): Promise<TeamMemberAnswer[]> {
    const ids = users.map(({ id }) => id)
    const [resets, logins] = await Promise.all([this.resets.timesOf(ids), this.devices.lastLoginsOf(ids)])
    return users.map(user => ({
      ...asTeamMember(user),
      factorResetAt: resets.get(user.id) ?? null,
      lastLoginAt: logins.get(user.id) ?? null,
    }))
  }
}

function asTeamMember(user: User): Omit<TeamMemberAnswer, 'factorResetAt' | 'lastLoginAt'> {
  return {
    userId: user.id,
    email: user.email,
    name: user.name,
    role: user.role,
    permissions: user.granted,
    satellites: user.satellites,
    isDisabled: user.disabledAt !== null,
    hasSecondFactor: user.hasSecondFactor,
    mustEnrol: user.mustEnrol,
    createdAt: user.createdAt,
  }
}

type Scope = Pick<User, 'accountId' | 'satellites'>

/** Live sessions at satellites, or in apps, where their user may no longer log in. */
@Injectable()
export class OutOfScopeSessions {
  constructor(
    private readonly activeSessions: ActiveSessions,
    private readonly loginPolicy: LoginPolicy,
  ) {}

  /** Throws `SESSION_STORE_UNAVAILABLE`. */
  async list(userId: string, scope: Scope): Promise<SessionHandle[]> {
    const { sites } = await this.activeSessions.list(userId, null)
    return sites
      .filter(({ site }) => !this.loginPolicy.isInScope(scope, { origin: site }))
      .flatMap(({ sessions }) => sessions.map(({ sid }) => sid))
  }

  /** Ends them one by one; safe to repeat. Throws like {@link list}. */
  async end(userId: string, scope: Scope, client: Client, reason: string): Promise<void> {
    for (const sid of await this.list(userId, scope))
      await this.activeSessions.end(userId, sid, client, reason)
  }
}

/** What else happens when a member is removed. */
@Injectable()
export class RemovalConsequences {
  constructor(
    private readonly pending: PendingAccountChanges,
    private readonly notices: OwnerNotices,
    private readonly mailer: Mailer,
    private readonly urls: SiteUrls,
  ) {}

  /**
   * Cancels a pending transfer of the account to the member, who must still exist. Returns the mails: to them, to
   * whoever was told of the transfer, and to the owner ({@link OwnerNotices.aboutRemoved}).
   */
  async follow(
    transaction: Db,
    both: ManagerAndMember,
    by: { readonly client: Client },
  ): Promise<AfterCommit> {
    const tellMember = await this.mailTo(transaction, both.member)
    const sendCancelled = await this.pending.cancelTransfersTo(transaction, [both.member], 'removed')
    const sendOwnerNotice = await this.notices.aboutRemoved(transaction, both, by)
    return async () => {
      tellMember()
      sendCancelled()
      await sendOwnerNotice()
    }
  }

  /** Without a link: they have no login any more. */
  private async mailTo(transaction: Db, member: User): Promise<SendMails> {
    const [account] = await transaction
      .select({ name: accounts.name })
      .from(accounts)
      .where(eq(accounts.id, member.accountId))
    const team = account?.name ? safeName(account.name) : null
    const { siteName: site } = this.urls
    return () =>
      this.mailer.post(member, words => {
        const removal = team
          ? words.phrase('removal.fromNamedTeam', { site, team })
          : words.phrase('removal.fromTeam', { site })
        return words.mail('removedFromTeam', { site, removal })
      })
  }
}

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
   * Restricts a member to these satellites (null means everywhere) and ends their sessions on other
   * satellites and in apps. Throws like {@link MembersService}; safe to repeat. To lift the limit, the manager must
   * have every permission that the member has been granted.
   */
  async set(actor: SessionActor, userId: string, satellites: User['satellites']): Promise<void> {
    const scope = { accountId: actor.accountId, satellites }
    const closed = await this.outOfScope.list(userId, scope)
    await this.changes.commit(async transaction => {
      const both = await this.authority.lockBoth(transaction, actor, userId)
      const { manager, member } = both
      this.authority.auditRefusals(actor, 'satellites.change', userId, () => {
        requireNotOwner(member)
        requireSomebodyElse(manager, member)
        // Lifting the limit gives them what it has kept from them.
        const isLifted = satellites === null && member.satellites !== null
        const had = isLifted ? ceilingOf('satellite') : member.granted
        this.authority.requireCanGrant(actor, manager, newlyGranted(had, member.granted))
      })
      await this.userChanges.setSatellites(transaction, member, satellites, actor)
      const ended = await this.changes.record(
        transaction,
        closed.map(sid => ({ kind: 'end', sid })),
        auditEventOf(member, actor, 'session.revoke', { reason: REASON, sids: closed }),
      )
      // A main-site session stays, with the permissions that members with restricted satellites have there.
      const change = { kind: 'set-permissions', userId, granted: member.granted } as const
      const regranted = await this.changes.record(transaction, [change], null)
      const sendOwnerNotice = await this.notices.aboutGained(transaction, both, { satellites }, actor)
      return { ...mergeRecorded(ended, regranted), afterCommit: sendOwnerNotice }
    })
    // Logins between our check and our change; later logins see the new scope.
    await this.outOfScope.end(userId, scope, actor.client, REASON)
  }
}

/**
 * The users of an account. Every change throws `NOT_FOUND` for users of other accounts, `LAST_OWNER` for the
 * owner and `OWN_RIGHTS` for oneself; all are safe to repeat.
 */
@Injectable()
export class MembersService {
  constructor(
    private readonly authority: TeamAuthority,
    private readonly userChanges: UserChanges,
    private readonly notices: OwnerNotices,
    private readonly changes: SessionChanges,
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
        requireSomebodyElse(manager, member)
        requireNotOwner(member)
        this.authority.requireCanGrant(actor, manager, newlyGranted(member.granted, granted))
      })
      const recorded = await this.userChanges.grant(transaction, member, granted, actor)
      const sendOwnerNotice = await this.notices.aboutGained(transaction, both, { granted }, actor)
      return { ...recorded, afterCommit: sendOwnerNotice }
    })
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
      // A row would say that access was given: `reachSince`.
      if (!member.disabledAt) return NOTHING_RECORDED
      await requireSeat(transaction, actor.accountId)
      const recorded = await this.userChanges.enable(transaction, member, actor)
      const sendOwnerNotice = await this.notices.aboutGained(transaction, both, { disabledAt: null }, actor)
      return { ...recorded, afterCommit: sendOwnerNotice }
    })
  }
}

/**
 * The sessions of team members. Throws `NOT_FOUND` for users of other accounts, and `OWNER_REQUIRED` for the
 * owner's sessions.
 */
@Injectable()
export class TeamSessions {
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
