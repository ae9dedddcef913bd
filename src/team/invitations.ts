import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { and, eq, gt } from 'drizzle-orm'
import { type LinkLogin, LinkLogins } from '../auth/link-login.js'
import type { LoginContext } from '../auth/login-policy.js'
import { Satellites } from '../cors/satellites.js'
import type { MailLanguage } from '../mail/language.js'
import { onlySatelliteOf, safeName } from '../mail/layout.js'
import { Mailer } from '../mail/mailer.js'
import { SiteUrls } from '../mail/site-urls.js'
import { auditEvent, auditEventOf } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { oneTimeTokens } from '../platform/database/schema/platform.js'
import { ApiError } from '../platform/errors/api-error.js'
import type { Client } from '../platform/http/request.js'
import { OneTimeTokens } from '../platform/one-time-tokens.js'
import type { Permissions } from '../platform/permissions.js'
import { RateLimiter } from '../platform/rate-limits/rate-limiter.js'
import { Clock } from '../platform/time.js'
import type { SessionActor } from '../sessions/session-actor.js'
import { requireSeat } from '../users/accounts.js'
import type { Email } from '../users/email.js'
import { OwnerNotices } from '../users/notices.js'
import { PasswordPolicy } from '../users/passwords/password-policy.js'
import { effectiveGrant, type User } from '../users/user.js'
import { Users } from '../users/users.js'
import { newlyGranted, requireCanGrant, TeamAuthority } from './team-authority.js'

/** Who is invited, and to what. */
export interface InviteRequest {
  readonly email: Email
  readonly permissions: Permissions
  /** Null means all. */
  readonly satellites: readonly string[] | null
}

/** An invitation that has been mailed and not yet used: a one-time token that names the account to join. */
export interface Invitation extends InviteRequest {
  readonly id: string
  readonly accountId: string
  /** A userId. */
  readonly invitedBy: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** An open invitation, with everything that its mail needs. */
interface OpenedInvitation {
  readonly invitation: Invitation
  /** For the link. */
  readonly token: string
  /** An e-mail address: the only name that an inviter cannot invent. */
  readonly inviter: string
  readonly accountName: string | null
  /** The inviter's. */
  readonly language: string | null
}

/** What an invited person chooses. */
interface Joining {
  /** From the link. */
  readonly token: string
  readonly password: string
  readonly name?: string | null
}

/** How long the link in an invitation works. */
export const INVITATION_DAYS = 7
/** Each is a mail to an address whose user may not know us. */
const MAX_OPEN = 100

/** The open invitations of an account, for its managers. */
@Injectable()
export class Invitations {
  constructor(
    private readonly database: Database,
    private readonly tokens: OneTimeTokens,
    private readonly authority: TeamAuthority,
    private readonly users: Users,
    private readonly rateLimiter: RateLimiter,
    private readonly auditLog: AuditLog,
    private readonly mailer: Mailer,
    private readonly urls: SiteUrls,
    private readonly satellites: Satellites,
    private readonly clock: Clock,
  ) {}

  /** Oldest first. */
  async list(accountId: string): Promise<Invitation[]> {
    const rows = await this.database.run(db =>
      db.select().from(oneTimeTokens).where(this.areOpen(accountId)).orderBy(oneTimeTokens.createdAt),
    )
    return rows.map(asInvitation)
  }

  /** Throws `NOT_FOUND` when the account has no open invitation with this id. */
  async find(accountId: string, id: string): Promise<Invitation> {
    const [row] = await this.database.run(db =>
      db
        .select()
        .from(oneTimeTokens)
        .where(and(this.areOpen(accountId), eq(oneTimeTokens.id, id))),
    )
    if (!row) throw new ApiError('NOT_FOUND')
    return asInvitation(row)
  }

  /**
   * Mails an invitation, in place of an open one to the same address: with a new link, for seven days from now. A user
   * of another account gets a mail saying that an address can belong to only one account; the inviter does not learn
   * of that. Throws `EMAIL_TAKEN` for a member of the team, `OWN_RIGHTS`, `REAUTHENTICATION_REQUIRED`
   * and `STEP_UP_REQUIRED` like {@link TeamAuthority.requireCanGrant}, `TOO_MANY_INVITATIONS` when 100 others are open,
   * `PLAN_LIMIT_REACHED` when the plan has no seat left, `TOO_MANY_ATTEMPTS` when the address has received many mails,
   * and `MAIL_UNAVAILABLE` where mail is not configured.
   */
  async invite(actor: SessionActor, request: InviteRequest): Promise<Invitation> {
    this.mailer.requireMail()
    const user = await this.users.findByEmail(request.email)
    if (user?.accountId === actor.accountId) throw new ApiError('EMAIL_TAKEN')
    const counted = await this.rateLimiter.countMailBy(actor, request.email, actor.client)
    const opened = await counted.refundIfRejected(this.open(actor, request))
    if (user)
      this.mailer.post(user, words => words.mail('invitationOfUser', this.introductionOf(opened, words)))
    else this.mailLink(opened)
    return opened.invitation
  }

  /** Invalidates the link; throws like {@link find}. */
  async withdraw(actor: SessionActor, id: string): Promise<void> {
    const { accountId } = actor
    await this.database.transaction(async transaction => {
      await this.authority.lock(transaction, actor)
      const [row] = await transaction
        .delete(oneTimeTokens)
        .where(and(this.areOpen(accountId), eq(oneTimeTokens.id, id)))
        .returning({ email: oneTimeTokens.email })
      if (!row) throw new ApiError('NOT_FOUND')
      const event = auditEventOf({ accountId }, actor, 'invitation.withdraw', { invitation: id, ...row })
      await this.auditLog.record(transaction, event)
    })
  }

  private open(
    actor: SessionActor,
    { email, permissions, satellites }: InviteRequest,
  ): Promise<OpenedInvitation> {
    const { userId: invitedBy, accountId, client } = actor
    return this.database.transaction(async transaction => {
      const { manager, account } = await this.authority.lock(transaction, actor)
      this.authority.auditRefusals(actor, 'invitation.create', undefined, () =>
        this.authority.requireCanGrant(actor, manager, newlyGranted(null, permissions)),
      )
      const isToAddress = and(this.areOpen(accountId), eq(oneTimeTokens.email, email))
      await transaction.delete(oneTimeTokens).where(isToAddress)
      const others = await transaction.$count(oneTimeTokens, this.areOpen(accountId))
      if (others >= MAX_OPEN) throw new ApiError('TOO_MANY_INVITATIONS')
      await requireSeat(transaction, accountId, others)
      const token = await this.tokens.issue(transaction, {
        purpose: 'invitation',
        accountId,
        email,
        detail: { permissions, satellites, invitedBy },
        lifetimeSeconds: INVITATION_DAYS * 24 * 60 * 60,
      })
      const [row] = await transaction.select().from(oneTimeTokens).where(isToAddress)
      const invitation = asInvitation(row as Row)
      const detail = { invitation: invitation.id, email, permissions, satellites, by: invitedBy }
      await this.auditLog.record(transaction, auditEvent({ accountId, client }, 'invitation.create', detail))
      const { email: inviter, language } = manager
      return { invitation, token, inviter, language, accountName: account.name }
    })
  }

  /**
   * To an address without a login; the link leads to the form for a password. An invitation to a single
   * satellite is about that satellite.
   */
  private mailLink(opened: OpenedInvitation): void {
    const { accountId, email, satellites } = opened.invitation
    const named = this.satellites.provenOf(accountId, satellites)
    const only = onlySatelliteOf({ accountId, satellites: named })
    const hosts = named?.map(origin => new URL(origin).host) ?? null
    const url = this.urls.toMainSite('/accept-invitation', opened.token)
    this.mailer.postAbout({ email, language: opened.language }, only, (words, satellite) =>
      words.mail('invitation', {
        ...this.introductionOf(opened, words),
        url,
        sites: namesOf(only ? [satellite] : hosts, words),
        days: INVITATION_DAYS,
      }),
    )
  }

  private introductionOf({ inviter, accountName }: OpenedInvitation, words: MailLanguage) {
    const site = this.urls.siteName
    const team = accountName && safeName(accountName)
    const introduction = team
      ? words.phrase('invitation.toNamedTeam', { inviter, team, site })
      : words.phrase('invitation.toTeam', { inviter, site })
    return { site, introduction }
  }

  private areOpen(accountId: string) {
    return and(
      eq(oneTimeTokens.accountId, accountId),
      eq(oneTimeTokens.purpose, 'invitation'),
      gt(oneTimeTokens.expiresAt, this.clock.now()),
    )
  }
}

/** `sites` are the readable names of the sites that they will have access to; null means all. */
function namesOf(sites: readonly string[] | null, words: MailLanguage): string {
  if (!sites) return words.phrase('invitation.allSites')
  return sites.length > 0 ? words.list(sites) : words.phrase('invitation.someSites')
}

/** Lets invited people join. */
@Injectable()
export class AcceptInvitation {
  constructor(
    private readonly database: Database,
    private readonly tokens: OneTimeTokens,
    private readonly users: Users,
    private readonly passwordPolicy: PasswordPolicy,
    private readonly notices: OwnerNotices,
    private readonly auditLog: AuditLog,
    private readonly logins: LinkLogins,
  ) {}

  /**
   * Uses the link up and creates the invited member, whom it then logs in like {@link LinkLogins.open}; also returns
   * their id, and the satellites that they may use. Throws `INVALID_LINK`, `EMAIL_TAKEN` when the address has meanwhile joined another account, and
   * `WEAK_PASSWORD` or `PLAN_LIMIT_REACHED`, which leave the link valid.
   */
  async accept(
    { token, password, name = null }: Joining,
    context: LoginContext,
  ): Promise<{
    readonly userId: string
    readonly satellites: readonly string[] | null
    readonly login: LinkLogin
  }> {
    const { client } = context
    const invitation = asInvitation(
      await this.tokens.require('invitation', token, client, 'invitation.accept'),
    )
    const { id: subject, accountId, email, invitedBy, permissions: granted, satellites } = invitation
    const known = [email, name ?? '']
    const passwordHash = await this.passwordPolicy.hash(password, { known, client, subject })
    const userId = randomUUID()
    const sendOwnerNotice = await this.database.transaction(async transaction => {
      const inviter = await this.lockInviter(transaction, invitation)
      await requireSeat(transaction, accountId)
      await this.useLink(transaction, token, userId, client)
      const grant = { role: 'member', granted, satellites } as const
      const joining = { id: userId, accountId, email, name, passwordHash, invitedBy, ...grant }
      const member = await this.users.add(transaction, joining)
      return this.notices.memberJoined(transaction, member, inviter)
    })
    sendOwnerNotice()
    const login = await this.logins.open({ id: userId, passwordHash }, 'invitation', context)
    return { userId, satellites, login }
  }

  /**
   * The inviter, locked after their account. Throws `INVALID_LINK` unless they could still grant the same now: otherwise
   * a manager about to be removed could leave back doors.
   */
  private async lockInviter(
    transaction: Db,
    { accountId, invitedBy, permissions }: Invitation,
  ): Promise<User> {
    const { account, user: inviter } = await this.users.lockWithAccount(transaction, {
      id: invitedBy,
      accountId,
    })
    const isManager = inviter?.accountId === accountId && effectiveGrant(inviter).teamManagement
    if (!account || !isManager || inviter.disabledAt) throw new ApiError('INVALID_LINK')
    try {
      requireCanGrant(inviter, newlyGranted(null, permissions))
    } catch (cause) {
      throw new ApiError('INVALID_LINK', { cause })
    }
    return inviter
  }

  /** Of two concurrent calls, only one succeeds; the other throws `INVALID_LINK`. */
  private async useLink(transaction: Db, token: string, userId: string, client: Client): Promise<void> {
    const used = asInvitation(await this.tokens.consume(transaction, 'invitation', token))
    const { id, accountId, invitedBy, permissions, satellites } = used
    const member = { userId, accountId, client }
    // Not `by`: the row says who joined and from where, and that is not the inviter's data.
    const detail = { invitation: id, invitedBy }
    await this.auditLog.recordAll(transaction, [
      auditEvent(member, 'invitation.accept', detail),
      auditEvent(member, 'user.create', { ...detail, permissions, satellites }),
    ])
  }
}

type Row = Pick<
  typeof oneTimeTokens.$inferSelect,
  'id' | 'accountId' | 'email' | 'detail' | 'createdAt' | 'expiresAt'
>

function asInvitation({ id, accountId, email, detail, createdAt, expiresAt }: Row): Invitation {
  const { permissions, satellites, invitedBy } = detail as unknown as Invitation
  return {
    id,
    accountId: accountId as string,
    email: email as Email,
    permissions,
    satellites,
    invitedBy,
    createdAt,
    expiresAt,
  }
}
