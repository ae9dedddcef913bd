import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { KnownDevices } from '../anomalies/known-devices.js'
import { languageWanted } from '../mail/language.js'
import { onlySatelliteOf } from '../mail/layout.js'
import { inOrder, NO_MAILS, type Recipient, type SendMails } from '../mail/mail.js'
import { Mailer } from '../mail/mailer.js'
import { SiteUrls } from '../mail/site-urls.js'
import { type AuditEvent, auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { ApiError, unavailable } from '../platform/errors/api-error.js'
import type { Client } from '../platform/http/request.js'
import { OneTimeTokens, withdrawTokens } from '../platform/one-time-tokens.js'
import { mailCounted } from '../platform/rate-limits/rate-limiter.js'
import { mergeRecorded, NOTHING_RECORDED, type RecordedChanges, SessionChanges } from '../sessions/changes.js'
import type { SessionHandle } from '../sessions/session.js'
import type { SessionActor } from '../sessions/session-actor.js'
import type { Email } from '../users/email.js'
import { UserEmails } from '../users/email-addresses.js'
import { MailedLinks } from '../users/mailed-links.js'
import { PasswordPolicy } from '../users/passwords/password-policy.js'
import { AccountRecovery } from '../users/recovery.js'
import type { User } from '../users/user.js'
import { Users } from '../users/users.js'
import { type LinkLogin, LinkLogins } from './link-login.js'
import { LoginLimits } from './login-limits.js'
import type { LoginContext } from './login-policy.js'
import { PasswordProof } from './reauthentication.js'

/** Long enough for a slow mail server; while it lasts, the link is as good as a password. */
const RESET_LINK_SECONDS = 30 * 60

/** The mails about passwords, and the links in them. */
@Injectable()
export class PasswordMails {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly mailer: Mailer,
    private readonly links: SiteUrls,
    private readonly userEmails: UserEmails,
  ) {}

  /** Throws `MAIL_UNAVAILABLE` where mail is not configured. */
  require(): void {
    this.mailer.requireMail()
  }

  /** Throws like {@link require}, but not because too many mails are waiting. */
  requireServer(): void {
    this.mailer.requireMailServer()
  }

  /**
   * The token of a new link to choose a password, stored in the transaction.
   * Earlier links to this address stop working. Links to other addresses stay valid: the user may still go
   * back to one, and an attacker's request must not invalidate its link.
   */
  async issueResetLink(
    transaction: Db,
    { id: userId, accountId, email }: Pick<User, 'id' | 'accountId' | 'email'>,
  ): Promise<string> {
    await withdrawTokens(transaction, 'password-reset', userId, email)
    return this.tokens.issue(transaction, {
      purpose: 'password-reset',
      email,
      userId,
      accountId,
      lifetimeSeconds: RESET_LINK_SECONDS,
    })
  }

  /**
   * Issues a link like {@link issueResetLink}; what is returned mails it. Does nothing for a disabled user. `invited`:
   * if that user is invited to one satellite only, the mail is about that satellite.
   */
  async resetLinkTo(
    transaction: Db,
    user: Recipient & Pick<User, 'id' | 'accountId' | 'email' | 'disabledAt'>,
    invited?: Pick<User, 'accountId' | 'satellites'>,
  ): Promise<SendMails> {
    if (user.disabledAt) return NO_MAILS
    const url = this.links.toMainSite('/reset-password', await this.issueResetLink(transaction, user))
    const about = invited ? onlySatelliteOf(invited) : null
    return () =>
      this.mailer.postAbout(user, about, (words, site) => words.mail('resetPassword', { site, url }))
  }

  /**
   * Tells the user of a new password, which an attacker may have set; also at earlier addresses that they can still
   * return to.
   */
  async changedNotice(transaction: Db, user: User): Promise<SendMails> {
    const recipients = await this.userEmails.recipientsOf(transaction, user)
    const { siteName: site } = this.links
    const url = this.links.forgotPassword()
    return () => {
      for (const to of recipients)
        this.mailer.post(to, words => {
          if (to.email === user.email) return words.mail('passwordChanged', { site, url })
          const emailChanged = words.emailChangedSubject(site)
          return words.mail('passwordChangedAtEarlierAddress', { site, emailChanged })
        })
    }
  }
}

/** Requests for a reset link, by anyone, for any address. */
@Injectable()
export class PasswordForgot {
  constructor(
    private readonly limits: LoginLimits,
    private readonly users: Users,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
    private readonly mails: PasswordMails,
  ) {}

  /**
   * Mails the user of this address a reset link. Without a user, or for a disabled one, the database does the
   * same work for a link that is neither mailed nor kept, so that neither answer nor time reveals who has an
   * account.
   */
  async request(email: Email, client: Client): Promise<void> {
    this.mails.require()
    const counting = this.limits.countMail(email, client)
    await mailCounted(counting, () => this.mailIfKnown(email, client))
  }

  private async mailIfKnown(email: Email, client: Client): Promise<void> {
    const user = await this.users.findByEmail(email)
    if (user && !user.disabledAt) return this.mailTo(user, client)
    const actor = { ...(user && { userId: user.id, accountId: user.accountId }), client }
    const detail = user ? { reason: 'disabled' } : { reason: 'unknown user', email }
    this.auditLog.enqueue(auditEvent(actor, 'password.forgot', detail), 'refused')
    await this.issueDummyLink(email)
  }

  private async mailTo(user: User, client: Client): Promise<void> {
    const { id: userId, accountId } = user
    const language = user.language ?? languageWanted(client.acceptLanguage)
    const mailLink = await this.database.transaction(async transaction => {
      await this.users.lock(transaction, userId)
      await this.auditLog.record(transaction, auditEvent({ userId, accountId, client }, 'password.forgot'))
      return this.mails.resetLinkTo(transaction, { ...user, language }, user)
    })
    mailLink()
  }

  /** Rolled back, so that requests for unknown addresses cannot fill the disk with links. */
  private async issueDummyLink(email: Email): Promise<void> {
    await this.database.rolledBack(async transaction => {
      const id = randomUUID()
      await this.users.lock(transaction, id)
      await this.mails.issueResetLink(transaction, { id, accountId: id, email })
    })
  }
}

/**
 * New passwords. Each ends the sessions that the old one may have opened, and cancels what was requested under the
 * old one (another address, another owner). Reset links stay valid, because control of the mailbox outranks
 * knowledge of the password. The user is mailed.
 */
@Injectable()
export class PasswordChanges {
  constructor(
    private readonly links: MailedLinks,
    private readonly tokens: OneTimeTokens,
    private readonly passwordProof: PasswordProof,
    private readonly policy: PasswordPolicy,
    private readonly users: Users,
    private readonly recovery: AccountRecovery,
    private readonly knownDevices: KnownDevices,
    private readonly changes: SessionChanges,
    private readonly mails: PasswordMails,
    private readonly logins: LinkLogins,
  ) {}

  /**
   * Sets the password of the user whom the link was mailed to, ends all their sessions and mails them; then logs them
   * in like {@link LinkLogins.open}. Also returns where the user may log in. If the address has been changed since and
   * that can be undone, it is changed back, because an attacker may have changed it. Throws `INVALID_LINK`, also for a
   * disabled user, and `WEAK_PASSWORD`, after which the link still works. Of two concurrent calls, only one succeeds.
   */
  async reset(
    text: string,
    password: string,
    context: LoginContext,
  ): Promise<Pick<User, 'satellites'> & { readonly login: LinkLogin }> {
    const { client } = context
    const { user: found, token } = await this.links.find({
      purpose: 'password-reset',
      text,
      action: 'password.reset',
      client,
    })
    const user = { ...found, email: token.email as Email }
    const passwordHash = await this.hash(user, password, client)
    const event = auditEvent({ userId: user.id, accountId: user.accountId, client }, 'password.reset')
    await this.changes.commit(async transaction => {
      const current = await this.recovery.lock(transaction, user)
      const { email, userId } = await this.tokens.consume(transaction, 'password-reset', text)
      if (!current || current.disabledAt || current.id !== userId) throw new ApiError('INVALID_LINK')
      const target = await this.recovery.restoreTargetFor(transaction, current, email as Email)
      const { user: restored = user, ...recovered }: RecordedChanges & { readonly user?: User } =
        target.sequence === null
          ? NOTHING_RECORDED
          : await this.recovery.recover(transaction, current, target, client)
      await withdrawTokens(transaction, 'password-reset', userId, email)
      // Otherwise an attacker who guesses from enough networks would lock them out even with the new password.
      await this.knownDevices.rememberNetwork(transaction, userId, client.ip)
      const changed = await this.replace(transaction, user, { passwordHash, client, event, tell: restored })
      return mergeRecorded(changed, recovered)
    })
    const login = await this.logins.open({ id: user.id, passwordHash }, 'password-reset', context)
    return { satellites: user.satellites, login }
  }

  /**
   * Sets a new password for the user of this session and tells them by mail. Only this session survives.
   * Refuses a wrong current password like {@link PasswordProof.ofActor}. Throws `WEAK_PASSWORD`, and
   * `TOO_BUSY` when the password was changed in the meantime.
   */
  async change(
    actor: SessionActor,
    { password, currentPassword }: { password: string; currentPassword: string },
  ): Promise<void> {
    const { sid: keep, client } = actor
    const user = await this.passwordProof.ofActor(actor, currentPassword, 'password.change')
    const passwordHash = await this.hash(user, password, client)
    const event = auditEvent(actor, 'password.change')
    await this.changes.commit(async transaction => {
      const current = await this.recovery.lock(transaction, user)
      if (!current || current.disabledAt) throw new ApiError('SESSION_NOT_FOUND')
      if (current.passwordHash !== user.passwordHash) throw unavailable('TOO_BUSY')
      await this.changes.requireNotRevoked(transaction, actor)
      return this.replace(transaction, user, { passwordHash, keep, client, event, tell: user })
    })
  }

  /** Throws `WEAK_PASSWORD`, before anything has changed. */
  private hash({ id, email, name }: User, password: string, client: Client): Promise<string> {
    return this.policy.hash(password, { known: [email, name ?? ''], client, subject: id })
  }

  /** `tell`: the user, at the address to which the notice goes; it also goes to those that they can still return to. */
  private async replace(
    transaction: Db,
    user: User,
    change: {
      readonly passwordHash: string
      /** The only session that survives. */
      readonly keep?: SessionHandle
      readonly client: Client
      readonly event: AuditEvent
      readonly tell: User
    },
  ): Promise<RecordedChanges> {
    const { passwordHash, keep, client, event, tell } = change
    await this.users.setPassword(transaction, user.id, passwordHash)
    const cancellation = { client, reason: 'new password' }
    const sendTransferNotice = await this.recovery.cancelPending(transaction, user, cancellation)
    const sendPasswordNotice = await this.mails.changedNotice(transaction, tell)
    const end = { kind: 'end-all', userId: user.id, ...(keep && { keep }) } as const
    const ended = await this.changes.record(transaction, [end], event)
    return { ...ended, afterCommit: inOrder(sendPasswordNotice, sendTransferNotice) }
  }
}
