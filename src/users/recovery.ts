import { Injectable } from '@nestjs/common'
import { and, asc, eq, gt, gte, sql } from 'drizzle-orm'
import { KnownDevices } from '../anomalies/known-devices.js'
import { earliest, UnrecognizedLoginTokens } from '../anomalies/unrecognized-login-tokens.js'
import { FactorResets } from '../factors/factor-resets.js'
import { UserFactors } from '../factors/user-factors.js'
import { inOrder, NO_MAILS, type SendMails } from '../mail/mail.js'
import {
  type Actor,
  type AuditAction,
  auditEvent,
  auditEventOf,
  type TargetUser,
} from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { users } from '../platform/database/schema/accounts.js'
import { auditLog } from '../platform/database/schema/audit.js'
import { satellites } from '../platform/database/schema/satellites.js'
import { isAnyOf } from '../platform/database/sql.js'
import { ApiError } from '../platform/errors/api-error.js'
import type { Client } from '../platform/http/request.js'
import { withdrawInvitationsBy, withdrawTokens } from '../platform/one-time-tokens.js'
import { followedBy, mergeRecorded, NOTHING_RECORDED, type RecordedChanges } from '../sessions/changes.js'
import type { Email } from './email.js'
import { UserEmails } from './email-addresses.js'
import { OwnerNotices } from './notices.js'
import { type Cancellation, CancellationNotices, PendingAccountChanges } from './pending-changes.js'
import type { User } from './user.js'
import { UserChanges } from './user-changes.js'
import { Users } from './users.js'

/** So few that no statement takes long, and so many that there are few statements. */
const MEMBERS_A_PAGE = 1_000

/** The address that a user returns to, and what must be undone. */
interface RestoreTarget {
  readonly address: Email
  /** The change that replaced the address; null if it was never replaced. */
  readonly sequence: number | null
  /** Since when an attacker may have been using the login; null when nothing indicates that. */
  readonly since: Date | null
  /**
   * The user's language when the link, or the one that undoes the change, was mailed: null if they had none. Undefined
   * when nothing indicates that an attacker has changed it.
   */
  readonly language: string | null | undefined
}

/** What a recovery has recorded, and the user as it leaves them. */
interface Recovered extends RecordedChanges {
  readonly user: User
}

/**
 * Gives users back what an attacker with their password may have taken, and closes what the attacker may have opened:
 * factors, devices, members and satellites. Call {@link lock} before any other method.
 */
@Injectable()
export class AccountRecovery {
  constructor(
    private readonly users: Users,
    private readonly userEmails: UserEmails,
    private readonly userChanges: UserChanges,
    private readonly pending: PendingAccountChanges,
    private readonly factors: UserFactors,
    private readonly resets: FactorResets,
    private readonly reports: UnrecognizedLoginTokens,
    private readonly knownDevices: KnownDevices,
    private readonly notices: CancellationNotices,
    private readonly ownerNotices: OwnerNotices,
    private readonly auditLog: AuditLog,
  ) {}

  /** The user as last committed, locked after their account; null when they no longer exist. */
  async lock(transaction: Db, target: TargetUser): Promise<User | null> {
    return (await this.users.lockWithAccount(transaction, target)).user
  }

  /**
   * Whether a link that was mailed to `address` may still act for the user: it is their address, or a change
   * away from it can be undone. Throws `INVALID_LINK` otherwise, because the mailbox may be an attacker's.
   * `reported` is when a session began that the user says was not theirs, and their language when they were asked.
   */
  async restoreTargetFor(
    transaction: Db,
    user: User,
    address: Email,
    reported: Pick<RestoreTarget, 'since' | 'language'> = { since: null, language: undefined },
  ): Promise<RestoreTarget> {
    const left = await this.userEmails.openChangeFrom(transaction, user.id, address)
    if (left === null && user.email !== address) throw new ApiError('INVALID_LINK')
    const { sequence = null, since = null } = left ?? {}
    const first = earliest([since, reported.since])
    const { language = left?.language } = reported
    return { address, sequence, since: first, language }
  }

  /**
   * Gives the user the address, and the language that they had when the link was mailed: an attacker may have
   * chosen another since, or logged in first with a browser in another. Removes the password and cancels
   * what may have been started with it: other addresses, other passwords, invitations, resets of others' factors and,
   * for an owner, a transfer or the deletion of the account. Factors added since `since` are removed, older ones stay;
   * members invited since are disabled, and satellites activated since are suspended. The caller must end the user's
   * sessions, and apply what is returned. Throws `EMAIL_TAKEN`.
   */
  async recover(
    transaction: Db,
    user: User,
    { address, sequence, since, language = user.language }: RestoreTarget,
    client: Client,
  ): Promise<Recovered> {
    const actor = { userId: user.id, client }
    if (user.email !== address) await this.userEmails.set(transaction, user.id, address)
    if (language !== user.language) await this.users.setLanguage(transaction, user.id, language)
    await this.users.setPassword(transaction, user.id, null)
    if (sequence !== null) await this.userEmails.closeFrom(transaction, user.id, sequence)
    const sendAddressNotice = user.email === address ? NO_MAILS : this.notices.aboutAddress(user)
    const sendAccountNotice = await this.cancelAllPending(transaction, user, actor, 'recovered')
    const attackedSince = await this.removeAllSince(transaction, user.id, since)
    const disabled = attackedSince
      ? await this.revokeGrantsSince(transaction, { ...user, email: address }, attackedSince, actor)
      : NOTHING_RECORDED
    const recorded = followedBy(disabled, inOrder(sendAddressNotice, sendAccountNotice))
    return { ...recorded, user: { ...user, email: address, language, passwordHash: null } }
  }

  /** {@link recover} to the address of a mailed undo link, which this uses up. Also throws `INVALID_LINK`. */
  async recoverByLink(transaction: Db, user: User, text: string, client: Client): Promise<Recovered> {
    return this.recover(transaction, user, await this.userEmails.consume(transaction, text), client)
  }

  /**
   * Cancels what was started with a password that no longer suffices to log in, and would lead to another address or
   * owner, or remove another user's factors. Also forgets remembered devices. Returns the mails about it.
   */
  async cancelPending(transaction: Db, user: User, cancellation: Cancellation): Promise<SendMails> {
    await this.cancelRequests(transaction, user, cancellation.reason)
    return this.pending.cancelTransferBy(transaction, user, cancellation)
  }

  /**
   * Like {@link cancelPending}; also cancels links for another password, the invitations that the user has sent and, for
   * an owner, the deletion of the account.
   */
  private async cancelAllPending(
    transaction: Db,
    user: User,
    actor: Actor,
    reason: string,
  ): Promise<SendMails> {
    await withdrawTokens(transaction, 'password-reset', user.id)
    await withdrawInvitationsBy(transaction, [user])
    await this.cancelRequests(transaction, user, reason)
    return this.pending.cancelAll(transaction, user, actor, reason)
  }

  private async cancelRequests(transaction: Db, user: User, reason: string): Promise<void> {
    await withdrawTokens(transaction, 'email-change', user.id)
    await this.factors.forgetDevices(transaction, user.id)
    await this.resets.cancelRequestedBy(transaction, [user.id], reason)
  }

  /**
   * Removes the factors that were added, and forgets the devices and networks that were first seen, at `since` or
   * later, or since any event of the last seven days that the user was mailed about, because an attacker may have used
   * several sessions. Returns the earliest of these times. The caller ends all sessions, so their permissions need
   * no update. Links about those events stop working.
   */
  private async removeAllSince(transaction: Db, userId: string, since: Date | null): Promise<Date | null> {
    const first = earliest([since, await this.reports.settle(transaction, userId)])
    if (!first) return null
    await this.factors.removeAddedSince(transaction, userId, first)
    await this.knownDevices.forgetSince(transaction, userId, first)
    return first
  }

  /**
   * Disables the members who have been given access since then, and suspends the satellites that the user or one of
   * these has activated since ({@link grantsSince}); the owner is mailed. The account must be locked.
   */
  async revokeGrantsSince(transaction: Db, user: User, since: Date, actor: Actor): Promise<RecordedChanges> {
    const grants = await grantsSince(transaction, user, since)
    const granted = await otherMembers(transaction, user, grants.members)
    const disabled = await this.disableMembers(transaction, granted, actor)
    const origins = await this.suspendSatellites(transaction, user.accountId, grants.satellites, actor)
    const members = granted.filter(({ isDisabled }) => !isDisabled)
    if (members.length + origins.length === 0) return disabled
    return followedBy(
      disabled,
      await this.ownerNotices.grantsRevoked(transaction, user, { members, origins }),
    )
  }

  /**
   * Disables these members of the account. Of those who are disabled already it is only recorded: a manager who enables
   * them has seen it, and no later recovery disables them again.
   */
  private async disableMembers(
    transaction: Db,
    members: readonly GrantedMember[],
    actor: Actor,
  ): Promise<RecordedChanges> {
    const before = members.filter(({ isDisabled }) => isDisabled)
    const detail = { reason: RECOVERED, was: 'disabled' }
    const events = before.map(member => auditEventOf(member, actor, 'user.disable', detail))
    await this.auditLog.recordAll(transaction, events)
    // Several users are always locked in this order.
    const ordered = members
      .filter(({ isDisabled }) => !isDisabled)
      .sort((one, other) => (one.id < other.id ? -1 : 1))
    let recorded = NOTHING_RECORDED
    for (let from = 0; from < ordered.length; from += MEMBERS_A_PAGE) {
      const page = ordered.slice(from, from + MEMBERS_A_PAGE)
      await this.users.lockAll(
        transaction,
        page.map(({ id }) => id),
      )
      const disabled = await this.userChanges.disable(transaction, page, actor, 'account', {
        reason: RECOVERED,
      })
      recorded = mergeRecorded(recorded, disabled)
    }
    return recorded
  }

  /**
   * Suspends those of these satellites of the account that are active, also if they were added or suspended before;
   * returns their origins. Of the others it is only recorded: a manager who activates them has seen it, and no later
   * recovery suspends them again. The account must be locked, so that none is activated meanwhile.
   */
  private async suspendSatellites(
    transaction: Db,
    accountId: string,
    activated: ReadonlySet<string>,
    actor: Actor,
  ): Promise<string[]> {
    const isOfAccount = and(eq(satellites.accountId, accountId), isAnyOf(satellites.id, [...activated]))
    // All are locked before the first is changed: after that, other changes of satellites wait for this transaction.
    const found = await transaction
      .select({ id: satellites.id, origin: satellites.origin, state: satellites.state })
      .from(satellites)
      .where(isOfAccount)
      .orderBy(asc(satellites.id))
      .for('update')
    if (found.length === 0) return []
    const active = found.filter(({ state }) => state === 'active')
    await transaction
      .update(satellites)
      .set({ state: 'suspended', suspendedBy: 'account' })
      .where(
        isAnyOf(
          satellites.id,
          active.map(({ id }) => id),
        ),
      )
    const events = found.map(({ id, origin, state }) => {
      const effect = state === 'active' ? { suspendedBy: 'account' } : { was: state }
      const detail = { satellite: id, origin, ...effect, reason: RECOVERED }
      return auditEvent({ ...actor, accountId }, 'satellite.suspend', detail)
    })
    await this.auditLog.recordAll(transaction, events)
    return active.map(({ origin }) => origin)
  }
}

/** A member who was given access. */
interface GrantedMember extends Pick<User, 'id' | 'accountId'> {
  readonly email: string
  readonly isDisabled: boolean
}

/** Those of these users that are other members of the account, in the order in which they joined. */
async function otherMembers(transaction: Db, user: User, ids: ReadonlySet<string>): Promise<GrantedMember[]> {
  const { id: userId, email, createdAt, role, disabledAt } = users
  const isOfAccount = and(eq(users.accountId, user.accountId), eq(role, 'member'))
  const others = [...ids].filter(id => id !== user.id)
  const isDisabled = sql<boolean>`${disabledAt} is not null`
  return transaction
    .select({ id: userId, accountId: users.accountId, email, isDisabled })
    .from(users)
    .where(and(isAnyOf(userId, others), isOfAccount))
    .orderBy(createdAt)
}

/** The reason in the audit rows of what a recovery disables or suspends. */
const RECOVERED = 'recovered'

/** The audit log's actions that give a member or a satellite access, and those by which a recovery takes it away. */
const ACCESS_ACTIONS = [
  'user.create',
  'user.enable',
  'permissions.change',
  'satellites.change',
  'user.disable',
  'satellite.verify',
  'satellite.suspend',
] as const satisfies readonly AuditAction[]

/** Members and satellites that an attacker with a user's login may have given access to an account, by their ids. */
interface Grants {
  /** With the user. */
  readonly members: ReadonlySet<string>
  readonly satellites: ReadonlySet<string>
}

/** `grant`: of access, to a member. `revocation`: of a member's or a satellite's access, by a recovery of the user. */
interface Step {
  readonly id: number
  readonly kind: 'invitation' | 'grant' | 'activation' | 'revocation'
  readonly by: string
  readonly what: string
}

/**
 * The user, and every user who has been given access since then by the user, or by another among these: by an
 * invitation, by being enabled, by permissions or satellites that they did not have, or by the end of a limit to
 * satellites. And the satellites that one of these has activated. A member or a satellite whose access an
 * earlier recovery of the user has taken away counts only if one of these has given it access again: otherwise an attacker
 * with many links could take it away again and again. The account must be locked, so that no access is given meanwhile.
 */
async function grantsSince(transaction: Db, { id, accountId }: TargetUser, since: Date): Promise<Grants> {
  const steps = await recordedSteps(transaction, { id, accountId }, since)
  const recorded = new Set(steps.filter(({ kind }) => kind === 'invitation').map(({ what }) => what))
  const members = new Set([id])
  const satellites = new Set<string>()
  for (const { from, to } of await invitations(transaction, accountId, since))
    if (members.has(from) && !recorded.has(to)) members.add(to)
  for (const { kind, by, what } of steps) {
    if (kind === 'revocation') for (const granted of [members, satellites]) granted.delete(what)
    else if (members.has(by)) (kind === 'activation' ? satellites : members).add(what)
  }
  return { members, satellites }
}

/** In the order in which they joined; the rows in the audit log say more exactly when. */
async function invitations(transaction: Db, accountId: string, since: Date) {
  const joined = await transaction
    .select({ from: users.invitedBy, to: users.id })
    .from(users)
    .where(and(eq(users.accountId, accountId), gte(users.createdAt, since)))
    .orderBy(users.createdAt)
  return joined.flatMap(({ from, to }) => (from ? [{ from, to }] : []))
}

/**
 * From the audit log, which cannot be changed: an attacker could otherwise hide the first grant by a later one, or by
 * removing those in between. In the order of their ids, whatever the clocks of the replicas say.
 */
async function recordedSteps(transaction: Db, { id, accountId }: TargetUser, since: Date): Promise<Step[]> {
  const steps: Step[] = []
  for (const action of ACCESS_ACTIONS)
    for await (const row of auditRowsSince(transaction, { accountId, action, since })) {
      const step = stepOf(row, id)
      if (step) steps.push(step)
    }
  return steps.sort((one, other) => one.id - other.id)
}

/** Null if the row neither gives access nor records that a recovery of this user took it away. */
function stepOf(row: AuditRow, user: string): Step | null {
  const { id, action, userId, detail } = row
  const from = detail.invitedBy ?? detail.by
  if (action === 'satellite.verify') return step(id, 'activation', userId, detail.satellite)
  if (action === 'satellite.suspend' || action === 'user.disable') {
    const [by, what] = action === 'user.disable' ? [from, userId] : [userId, detail.satellite]
    return by === user && detail.reason === RECOVERED ? step(id, 'revocation', by, what) : null
  }
  if (action === 'user.create') return step(id, 'invitation', from, userId)
  return givesMore(row) ? step(id, 'grant', from, userId) : null
}

function step(id: number, kind: Step['kind'], by: unknown, what: unknown): Step | null {
  return typeof by === 'string' && typeof what === 'string' ? { id, kind, by, what } : null
}

/** Whether the member got access that they did not have. */
function givesMore({ action, detail: { gained, satellites } }: Pick<AuditRow, 'action' | 'detail'>): boolean {
  const isSome = Array.isArray(gained) && gained.length > 0
  if (action === 'permissions.change') return isSome
  return action !== 'satellites.change' || isSome || satellites === null
}

/** An attacker may write hundreds of thousands in a week, and the statement that reads them must not run out of time. */
const ROWS_A_PAGE = 10_000

type AuditRow = Pick<typeof auditLog.$inferSelect, 'id' | 'userId' | 'detail' | 'action'>

/** What has been done in an account since then, in the order of an index. */
async function* auditRowsSince(
  transaction: Db,
  of: { readonly accountId: string; readonly action: AuditAction; readonly since: Date },
): AsyncGenerator<AuditRow, void> {
  const { id, accountId, action, outcome, at, userId, detail } = auditLog
  const isDone = and(eq(accountId, of.accountId), eq(action, of.action), eq(outcome, 'ok'), gte(at, of.since))
  for (let after = 0, hasMore = true; hasMore; ) {
    const rows = await transaction
      .select({ id, userId, detail, action })
      .from(auditLog)
      .where(and(isDone, gt(id, after)))
      .orderBy(id)
      .limit(ROWS_A_PAGE)
    yield* rows
    after = rows.at(-1)?.id ?? after
    hasMore = rows.length === ROWS_A_PAGE
  }
}
