import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { and, eq, gt } from 'drizzle-orm'
import { Satellites } from '../cors/satellites.js'
import { onlySatelliteOf } from '../mail/branded-sites.js'
import type { Recipient } from '../mail/mail.js'
import type { MailLanguage } from '../mail/mail-language.js'
import { Mailer } from '../mail/mailer.js'
import { safeName } from '../mail/safe-name.js'
import { SiteUrls } from '../mail/site-urls.js'
import { auditEvent, auditEventOf } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Clock } from '../platform/clock/clock.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { oneTimeTokens } from '../platform/database/schema/links.js'
import { ApiError } from '../platform/errors/api-error.js'
import type { Client } from '../platform/http/client.js'
import { OneTimeTokens } from '../platform/links/one-time-tokens.js'
import type { Permissions } from '../platform/permissions/permissions.js'
import { RateLimiter } from '../platform/rate-limits/rate-limiter.js'
import type { SessionActor } from '../sessions/session-actor.js'
import type { Email } from '../users/email.js'
import { OwnerNotices } from '../users/notices/owner-notices.js'
import { PasswordPolicy } from '../users/passwords/password-policy.js'
import { requireSeat } from '../users/plan-seats.js'
import { effectiveGrant, type User } from '../users/user.js'
import { Users } from '../users/users.js'
import type { AcceptedAnswer, AcceptInvitationBody } from './invitations.controller.js'
import { newlyGranted, requireCanGrant, TeamAuthority } from './team-authority.js'

/** Who is invited, and to what. */
export interface InviteRequest {
  readonly email: Email
  readonly permissions: Permissions
  /** Null means all. */
  readonly satellites: readonly string[] | null
}

/** An invitation that has been mailed and not yet used. */
export interface Invitation extends InviteRequest {
  readonly id: string
  readonly accountId: string
  /** A userId. */
  readonly invitedBy: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** How long the link in an invitation works. */
export const INVITATION_DAYS = 7
/** Each is a mail to somebody who may not know us. */
const MAX_OPEN = 100

/** Open invitations: one-time tokens that name the account to join. */
@Injectable()
export class InvitationRecords {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly auditLog: AuditLog,
  ) {}

  /** The account's invitations, oldest first. */
  async list(accountId: string): Promise<Invitation[]> {
    const rows = await this.database.run(db =>
      db.select().from(oneTimeTokens).where(this.areOpen(accountId)).orderBy(oneTimeTokens.createdAt),
    )
    return rows.map(asInvitation)
  }

  /** The account's invitation with this id; null when none is open. */
  async find(accountId: string, id: string): Promise<Invitation | null> {
    const [row] = await this.database.run(db =>
      db
        .select()
        .from(oneTimeTokens)
        .where(and(this.areOpen(accountId), eq(oneTimeTokens.id, id))),
    )
    return row ? asInvitation(row) : null
  }

  /**
   * Opens an invitation in a transaction that has the account locked; replaces an earlier one to the same
   * address. Throws `TOO_MANY_INVITATIONS` when 100 others are open, and like `requireSeat`. `token` is for the link.
   */
  async open(
    transaction: Db,
    { userId: invitedBy, accountId, client }: SessionActor,
    { email, permissions, satellites }: InviteRequest,
  ): Promise<{ readonly invitation: Invitation; readonly token: string }> {
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
    return { invitation, token }
  }

  /** The invitation that a link belongs to; throws `INVALID_LINK`. Does not use it up. */
  async ofLink(token: string, client: Client): Promise<Invitation> {
    return asInvitation(await this.tokens.require('invitation', token, client, 'invitation.accept'))
  }

  /**
   * Uses the link up in the transaction that makes this user a member; throws `INVALID_LINK`. Of two
   * concurrent calls, only one succeeds.
   */
  async accept(transaction: Db, token: string, userId: string, client: Client): Promise<void> {
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

  /** Withdraws an invitation of the account; false when it has no open one with this id. */
  async withdraw(transaction: Db, actor: SessionActor, id: string): Promise<boolean> {
    const { accountId } = actor
    const [row] = await transaction
      .delete(oneTimeTokens)
      .where(and(this.areOpen(accountId), eq(oneTimeTokens.id, id)))
      .returning({ email: oneTimeTokens.email })
    if (!row) return false
    const detail = { invitation: id, ...row }
    await this.auditLog.record(transaction, auditEventOf({ accountId }, actor, 'invitation.withdraw', detail))
    return true
  }

  private areOpen(accountId: string) {
    return and(
      eq(oneTimeTokens.accountId, accountId),
      eq(oneTimeTokens.purpose, 'invitation'),
      gt(oneTimeTokens.expiresAt, this.clock.now()),
    )
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

/** An open invitation, with everything that its mail needs. */
export interface InvitationToMail {
  readonly invitation: Invitation
  /** For the link. */
  readonly token: string
  /** An e-mail address: the only name that strangers cannot invent. */
  readonly inviter: string
  readonly accountName: string | null
  /** The inviter's language. */
  readonly language: string | null
}

/** Mails invitations. */
@Injectable()
export class InvitationMails {
  constructor(
    private readonly mailer: Mailer,
    private readonly urls: SiteUrls,
    private readonly satellites: Satellites,
  ) {}

  /** Throws `MAIL_UNAVAILABLE` where mail is not configured. Call it first in anything that sends a mail. */
  requireMail(): void {
    this.mailer.requireMail()
  }

  /**
   * To an address without a login; the link leads to the form for a password. An invitation to a single
   * satellite is about that satellite.
   */
  invite(opened: InvitationToMail): void {
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

  /** To somebody who has a login in another account; an address can belong to only one account. */
  notifyExistingUser(user: Recipient, opened: InvitationToMail): void {
    this.mailer.post(user, words => words.mail('invitationOfUser', this.introductionOf(opened, words)))
  }

  private introductionOf({ inviter, accountName }: InvitationToMail, words: MailLanguage) {
    const site = this.urls.siteName
    const team = accountName && safeName(accountName)
    const introduction = team
      ? words.phrase('invitation.toNamedTeam', { inviter, team, site })
      : words.phrase('invitation.toTeam', { inviter, site })
    return { site, introduction }
  }
}

/** `sites` are the readable names of the sites that they will have access to; null means all. */
function namesOf(sites: readonly string[] | null, words: MailLanguage): string {
  if (!sites) return words.phrase('invitation.allSites')
  return sites.length > 0 ? words.list(sites) : words.phrase('invitation.someSites')
}

/** Invites people into a team. */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly invitations: InvitationRecords,
    private readonly rateLimiter: RateLimiter,
    private readonly mails: InvitationMails,
    private readonly authority: TeamAuthority,
    private readonly users: Users,
  ) {}

  /**
   * Mails an invitation; it replaces an earlier one to the same address. Throws `EMAIL_TAKEN` for a member of
   * the team. A user of another account gets a mail saying that an address can belong to only one account;
   * the inviter does not learn of that. Throws `PLAN_LIMIT_REACHED` when the plan has no seat left, and
   * `TOO_MANY_ATTEMPTS` when the address has received many mails.
   * An open invitation is mailed again with a new link and a full lifetime.
   */
  async invite(actor: SessionActor, request: InviteRequest): Promise<Invitation> {
    this.mails.requireMail()
    const user = await this.users.findByEmail(request.email)
    if (user?.accountId === actor.accountId) throw new ApiError('EMAIL_TAKEN')
    const counted = await this.rateLimiter.countMailBy(actor, request.email, actor.client)
    const sent = await counted.refundIfRejected(this.open(actor, request))
    if (user) this.mails.notifyExistingUser(user, sent)
    else this.mails.invite(sent)
    return sent.invitation
  }

  /** Throws `NOT_FOUND` when the account has no open invitation with this id. */
  async find(accountId: string, id: string): Promise<Invitation> {
    const open = await this.invitations.find(accountId, id)
    if (!open) throw new ApiError('NOT_FOUND')
    return open
  }

  /** The open ones, oldest first. */
  list(accountId: string): Promise<Invitation[]> {
    return this.invitations.list(accountId)
  }

  /** Invalidates the link; throws like {@link find}. */
  async withdraw(actor: SessionActor, id: string): Promise<void> {
    await this.authority.transaction(actor, async transaction => {
      if (!(await this.invitations.withdraw(transaction, actor, id))) throw new ApiError('NOT_FOUND')
    })
  }

  private open(actor: SessionActor, request: InviteRequest): Promise<InvitationToMail> {
    return this.authority.transaction(actor, async (transaction, manager, account) => {
      this.authority.auditRefusals(actor, 'invitation.create', undefined, () =>
        this.authority.requireCanGrant(actor, manager, newlyGranted(null, request.permissions)),
      )
      const opened = await this.invitations.open(transaction, actor, request)
      const { email: inviter, language } = manager
      return { ...opened, inviter, language, accountName: account.name }
    })
  }
}

/** Lets invited people join. */
@Injectable()
export class AcceptInvitationService {
  constructor(
    private readonly invitations: InvitationRecords,
    private readonly passwordPolicy: PasswordPolicy,
    private readonly users: Users,
    private readonly notices: OwnerNotices,
    private readonly database: Database,
  ) {}

  /**
   * Uses the link up and creates the invited member; nobody is logged in. Throws `INVALID_LINK`,
   * `EMAIL_TAKEN` when the address has meanwhile joined another account, and `WEAK_PASSWORD` or
   * `PLAN_LIMIT_REACHED`, which leave the link valid.
   */
  async accept({ token, password, ...body }: AcceptInvitationBody, client: Client): Promise<AcceptedAnswer> {
    const name = body.name ?? null
    const invitation = await this.invitations.ofLink(token, client)
    const { id: subject, accountId, email, invitedBy, permissions: granted, satellites } = invitation
    const known = [email, name ?? '']
    const passwordHash = await this.passwordPolicy.hash(password, { known, client, subject })
    const userId = randomUUID()
    const sendOwnerNotice = await this.database.transaction(async transaction => {
      const inviter = await this.requireInviterCanStillAdd(transaction, invitation)
      await this.invitations.accept(transaction, token, userId, client)
      const grant = { role: 'member', granted, satellites } as const
      const joining = { id: userId, accountId, email, name, passwordHash, invitedBy, ...grant }
      const member = await this.users.add(transaction, joining)
      return this.notices.aboutJoined(transaction, member, inviter)
    })
    sendOwnerNotice()
    return { userId, satellites }
  }

  /**
   * The inviter. Throws `INVALID_LINK` unless they could still grant the same now: otherwise a manager about to be
   * removed could leave back doors. Throws `PLAN_LIMIT_REACHED` when the plan has no seat left.
   */
  private async requireInviterCanStillAdd(
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
    await requireSeat(transaction, accountId)
    return inviter
  }
}
