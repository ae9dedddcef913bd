import { Body, Controller, Injectable, Post, UseGuards } from '@nestjs/common'
import { ApiOperation, ApiTags } from '@nestjs/swagger'
import { PasswordMails } from '../auth/password.js'
import { PasswordProof } from '../auth/reauthentication.js'
import { inQuestionSince } from '../factors/user-factors.js'
import { Mailer } from '../mail/mailer.js'
import { SiteUrls } from '../mail/site-urls.js'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Database } from '../platform/database/database.js'
import { ApiError } from '../platform/errors/api-error.js'
import { Answers, Refuses } from '../platform/http/endpoint.js'
import { type Client, CurrentClient } from '../platform/http/request.js'
import { MailedLinkBody } from '../platform/one-time-tokens.js'
import { mailCounted, RateLimiter } from '../platform/rate-limits/rate-limiter.js'
import { followedBy, mergeRecorded, SessionChanges } from '../sessions/changes.js'
import { MainSite, OptionalMainSessionGuard } from '../sessions/guards.js'
import type { Session } from '../sessions/session.js'
import { CurrentActor, CurrentSession, type SessionActor } from '../sessions/session-actor.js'
import { Public } from '../tokens/jwt.guard.js'
import { type Email, EmailAddress } from '../users/email.js'
import { UserEmails } from '../users/email-addresses.js'
import { MailedLinks } from '../users/mailed-links.js'
import { Password } from '../users/passwords/passwords.js'
import { CancellationNotices } from '../users/pending-changes.js'
import { AccountRecovery } from '../users/recovery.js'
import { Users } from '../users/users.js'

/** What proves that the caller with the link is the user. */
interface ConfirmationProof {
  readonly session: Session | null
  readonly password: string | undefined
}

/**
 * A user's change of their e-mail address: requested in a session, confirmed with the link to the new address, and
 * undone with the link to the old one. Each changes the database in one transaction, with the user's row locked.
 */
@Injectable()
export class EmailChangeService {
  constructor(
    private readonly database: Database,
    private readonly users: Users,
    private readonly userEmails: UserEmails,
    private readonly links: MailedLinks,
    private readonly passwordProof: PasswordProof,
    private readonly recovery: AccountRecovery,
    private readonly changes: SessionChanges,
    private readonly rateLimiter: RateLimiter,
    private readonly mailer: Mailer,
    private readonly urls: SiteUrls,
    private readonly passwordMails: PasswordMails,
    private readonly notices: CancellationNotices,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Mails a link to the new address and invalidates earlier links. If the address is already taken, it gets a
   * different mail, after the same work, so the caller does not learn of it. The user's own address gets none.
   */
  async request(actor: SessionActor, email: Email): Promise<void> {
    this.mailer.requireMail()
    const counting = this.rateLimiter.countMailBy(actor, email, actor.client, { isAboutOneself: true })
    await mailCounted(counting, () => this.mailLink(actor, email))
  }

  private async mailLink(actor: SessionActor, email: Email): Promise<void> {
    const known = await this.users.findByEmail(email)
    const issued = await this.database.transaction(async transaction => {
      const user = await this.users.lock(transaction, actor.userId)
      if (!user || user.disabledAt) throw new ApiError('SESSION_NOT_FOUND')
      if (user.mustEnrol) throw new ApiError('SECOND_FACTOR_ENROLMENT_REQUIRED')
      await this.changes.requireNotRevoked(transaction, actor)
      await this.auditLog.record(transaction, auditEvent(actor, 'email.change', { step: 'asked' }))
      // An earlier link stays valid when it is the address that the user has.
      if (known?.id === user.id) return null
      const token = await this.userEmails.issueChange(transaction, user, email, inQuestionSince(actor))
      return { user, token }
    })
    if (!issued) return
    if (known) this.mailer.post(known, words => words.mail('addressInUse', this.urls.mainSite))
    else {
      const values = { site: this.urls.siteName, url: this.urls.toMainSite('/confirm-email', issued.token) }
      this.mailer.post({ ...issued.user, email }, words => words.mail('confirmEmail', values))
    }
  }

  /**
   * Gives the user the address that the link went to, and tells the old address how to undo it. The link
   * alone proves nothing: the user may have entered an address that is not theirs. So it takes a live session of the
   * user, or the password. Throws `REAUTHENTICATION_REQUIRED` without either, `INVALID_CREDENTIALS`, `INVALID_LINK`,
   * `EMAIL_TAKEN` when another user has taken the address in the meantime, and `SESSION_NOT_FOUND` for a session that
   * has ended.
   */
  async confirm(text: string, proof: ConfirmationProof, client: Client): Promise<void> {
    this.mailer.requireMail()
    const link = { purpose: 'email-change', text, action: 'email.change', client } as const
    const found = await this.links.userOf(link)
    const session = proof.session?.userId === found.id ? proof.session : null
    if (!session) {
      if (proof.password === undefined) throw new ApiError('REAUTHENTICATION_REQUIRED')
      await this.passwordProof.ofUser(found, proof.password, { action: 'email.change', client })
    }
    const { before, undoToken } = await this.database.transaction(async transaction => {
      const user = await this.users.lock(transaction, found.id)
      const { email, since } = await this.userEmails.consumeChange(transaction, text)
      if (!user || user.disabledAt) throw new ApiError('INVALID_LINK')
      if (user.mustEnrol) throw new ApiError('SECOND_FACTOR_ENROLMENT_REQUIRED')
      if (session) await this.changes.requireNotRevoked(transaction, session)
      const inQuestion = user.hasSecondFactor ? since : earlier(since, session)
      const undoToken = await this.userEmails.change(transaction, user, email, inQuestion)
      const { id: userId, accountId, email: previous } = user
      const detail = { step: 'confirmed', from: previous, to: email }
      const event = auditEvent({ userId, accountId, client }, 'email.change', detail)
      await this.auditLog.record(transaction, event)
      return { before: user, undoToken }
    })
    if (undoToken) {
      const values = { site: this.urls.siteName, url: this.urls.toMainSite('/undo-email', undoToken) }
      this.mailer.post(before, words => words.mail('emailChanged', values))
    } else this.notices.aboutAddress(before)()
  }

  /**
   * Gives the user back the address that the link went to. Whoever changed it had the password, so the password
   * is removed, all sessions end, everything pending is cancelled, and a reset link goes to the old address.
   * Throws `INVALID_LINK`, and `EMAIL_TAKEN` when another user has taken the address in the meantime; the link
   * then still works.
   */
  async undo(text: string, client: Client): Promise<void> {
    this.passwordMails.requireServer()
    const link = { purpose: 'email-undo', text, action: 'email.undo', client } as const
    const found = await this.links.userOf(link)
    const { id: userId, accountId } = found
    const event = auditEvent({ userId, accountId, client }, 'email.undo')
    await this.changes.commit(async transaction => {
      const current = await this.recovery.lock(transaction, found)
      if (!current) throw new ApiError('INVALID_LINK')
      const { user, ...recovered } = await this.recovery.recoverByLink(transaction, current, text, client)
      const mailResetLink = await this.passwordMails.resetLinkTo(transaction, user)
      const ended = await this.changes.record(transaction, [{ kind: 'end-all', userId }], event)
      return followedBy(mergeRecorded(recovered, ended), mailResetLink)
    })
  }
}

/**
 * The session that asks for a change need not be the one that confirms it. Of a user with a second factor, who has used
 * it to ask, the latter says nothing: they may have logged in there long before they set up what they have now.
 */
function earlier(since: Date, session: Session | null): Date {
  const ofSession = session ? inQuestionSince(session) : since
  return ofSession < since ? ofSession : since
}

class EmailChangeBody {
  @EmailAddress({ description: 'The new address', example: 'rosa@example.org' }) email!: Email
}

class ConfirmEmailBody extends MailedLinkBody {
  @Password({
    optional: true,
    description:
      'The password of the account; not needed with access token and cookie of a main session of its user',
  })
  password?: string
}

@ApiTags('Profile')
@Controller('api/email')
export class EmailChangeController {
  constructor(private readonly changes: EmailChangeService) {}

  @Post('change')
  @MainSite({ enrolled: true, reauthenticated: true })
  @ApiOperation({
    summary: 'Request another e-mail address',
    description:
      'Main site, after a re-authentication. Mails a link to the new address, valid for 24 hours; nothing changes before it is ' +
      'followed. If the address already has a user, it gets a mail that says so; the answer is the same.',
  })
  @Answers(202, 'A mail is on its way')
  @Refuses('MAIL_UNAVAILABLE')
  change(@CurrentActor() actor: SessionActor, @Body() { email }: EmailChangeBody) {
    return this.changes.request(actor, email)
  }

  /** Public, because the link may be opened on another device; there the password takes the place of the session. */
  @Public()
  @Post('confirm')
  @ApiOperation({
    summary: 'Confirm the new e-mail address',
    description:
      'With access token and cookie of a main session of the user, or with the password: the link alone is no proof. The user logs ' +
      'in with the new address from then on; sessions continue. The old address is sent a link to undo the change, unless the ' +
      'user goes back to an address that they left within the last 7 days.',
  })
  @Answers(204, 'The address is changed')
  @Refuses(
    'INVALID_CREDENTIALS',
    'INVALID_LINK',
    'REAUTHENTICATION_REQUIRED',
    'SECOND_FACTOR_ENROLMENT_REQUIRED',
    'EMAIL_TAKEN',
    'TOO_BUSY',
    'MAIL_UNAVAILABLE',
  )
  @UseGuards(OptionalMainSessionGuard)
  confirm(
    @CurrentSession() session: Session | null,
    @Body() { token, password }: ConfirmEmailBody,
    @CurrentClient() client: Client,
  ) {
    return this.changes.confirm(token, { session, password }, client)
  }

  /** Public, because a user who has to undo a change may no longer be able to log in. */
  @Public()
  @Post('undo')
  @ApiOperation({
    summary: 'Undo a change of the e-mail address',
    description:
      'With the link in the mail to the old address, within 7 days. That address comes back, all sessions end, the password is ' +
      'removed, and the old address is sent a link for a new one. Links from later changes stop working. Invitations, a ' +
      'transfer and a deletion of the account that were pending are cancelled.',
  })
  @Answers(204, 'The old address is back')
  @Refuses('INVALID_LINK', 'EMAIL_TAKEN', 'MAIL_UNAVAILABLE')
  undo(@Body() { token }: MailedLinkBody, @CurrentClient() client: Client) {
    return this.changes.undo(token, client)
  }
}
