import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { KnownDevices } from '../anomalies/known-devices.js'
import { inOrder, NO_MAILS, type SendMails } from '../mail/after-commit-mail.js'
import { onlySatelliteOf } from '../mail/branded-sites.js'
import type { Recipient } from '../mail/mail.js'
import { languageWanted } from '../mail/mail-language.js'
import { Mailer } from '../mail/mailer.js'
import { SiteUrls } from '../mail/site-urls.js'
import { type AuditEvent, auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { withMinimumDuration } from '../platform/clock/minimum-duration.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { ApiError, unavailable } from '../platform/errors/api-error.js'
import type { Client } from '../platform/http/client.js'
import { OneTimeTokens } from '../platform/links/one-time-tokens.js'
import { withdrawTokens } from '../platform/links/withdraw-tokens.js'
import {
  mergeRecorded,
  NOTHING_RECORDED,
  type RecordedChanges,
} from '../sessions/revocation/recorded-changes.js'
import { SessionChanges } from '../sessions/revocation/session-changes.js'
import type { SessionHandle } from '../sessions/session.js'
import type { SessionActor } from '../sessions/session-actor.js'
import type { Email } from '../users/email.js'
import { MailedLinks } from '../users/mailed-links.js'
import { PasswordPolicy } from '../users/passwords/password-policy.js'
import { AccountRecovery } from '../users/recovery/account-recovery.js'
import type { User } from '../users/user.js'
import { UserEmails } from '../users/user-emails.js'
import { Users } from '../users/users.js'
import { LoginLimits } from './login-limits.js'
import type { PasswordChangeBody } from './password.controller.js'
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
   * back to one, and a thief's request must not invalidate its link.
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
   * Tells the user of a new password, which somebody else may have set; also at earlier addresses that they can still
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

/** A new password, and why it may be set. */
export interface PasswordToSet {
  readonly password: string
  /** The only session that survives. */
  readonly keep?: SessionHandle
  readonly client: Client
  readonly event: AuditEvent
  /**
   * Runs in the transaction, with the user as last committed, locked after the account. Throws if the change is
   * not allowed. Returns what it recovers on the way, and the user if that changes them.
   */
  readonly requireAllowed: (
    transaction: Db,
    user: User | null,
  ) => Promise<RecordedChanges & { readonly user?: User }>
}

@Injectable()
export class PasswordSetter {
  constructor(
    private readonly policy: PasswordPolicy,
    private readonly users: Users,
    private readonly recovery: AccountRecovery,
    private readonly changes: SessionChanges,
    private readonly mails: PasswordMails,
  ) {}

  /**
   * Gives the user a new password and ends the sessions that the old one may have opened. What was requested
   * under the old password (another address, another owner) is cancelled. Reset links stay valid, because control
   * of the mailbox outranks knowledge of the password. A notice goes to `user.email` and to earlier addresses
   * that the user can still return to. Throws `WEAK_PASSWORD` before anything has changed.
   */
  async set(user: User, { password, keep, client, event, requireAllowed }: PasswordToSet): Promise<void> {
    const known = [user.email, user.name ?? '']
    const passwordHash = await this.policy.hash(password, { known, client, subject: user.id })
    const change = { kind: 'end-all', userId: user.id, ...(keep && { keep }) } as const
    await this.changes.commit(async transaction => {
      const current = await this.recovery.lock(transaction, user)
      const { user: restored = user, ...recovered } = await requireAllowed(transaction, current)
      await this.users.setPassword(transaction, user.id, passwordHash)
      const cancellation = { client, reason: 'new password' }
      const sendTransferNotice = await this.recovery.cancelPending(transaction, user, cancellation)
      const sendPasswordNotice = await this.mails.changedNotice(transaction, restored)
      const ended = await this.changes.record(transaction, [change], event)
      const afterCommit = inOrder(sendPasswordNotice, sendTransferNotice)
      return mergeRecorded({ ...ended, afterCommit }, recovered)
    })
  }
}

@Injectable()
export class PasswordForgotService {
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
    await withMinimumDuration(this.mailCounted(email, client))
  }

  private async mailCounted(email: Email, client: Client): Promise<void> {
    const counted = await this.limits.countMail(email, client)
    await counted.refundIfRejected(this.mailIfKnown(email, client))
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

  /** Rolled back, so that strangers cannot fill the disk with links for nobody. */
  private async issueDummyLink(email: Email): Promise<void> {
    await this.database.rolledBack(async transaction => {
      const id = randomUUID()
      await this.users.lock(transaction, id)
      await this.mails.issueResetLink(transaction, { id, accountId: id, email })
    })
  }
}

@Injectable()
export class PasswordResetService {
  constructor(
    private readonly links: MailedLinks,
    private readonly tokens: OneTimeTokens,
    private readonly recovery: AccountRecovery,
    private readonly setter: PasswordSetter,
    private readonly knownDevices: KnownDevices,
  ) {}

  /**
   * Sets the password of the user whom the link was mailed to, ends all their sessions and tells them; nobody is
   * logged in. Returns where the user may log in. If the address has been changed since and that can be undone,
   * it is changed back, because somebody else may have changed it. Throws `INVALID_LINK`, also for a disabled
   * user, and `WEAK_PASSWORD`, after which the link still works. Of two concurrent calls, only one succeeds.
   */
  async reset(text: string, password: string, client: Client): Promise<Pick<User, 'satellites'>> {
    const link = { purpose: 'password-reset', text, action: 'password.reset', client } as const
    const { user, token } = await this.links.find(link)
    const recipient = { ...user, email: token.email as Email }
    await this.setter.set(recipient, {
      password,
      client,
      event: auditEvent({ userId: user.id, accountId: user.accountId, client }, 'password.reset'),
      requireAllowed: async (transaction, current) => {
        const { email, userId } = await this.tokens.consume(transaction, 'password-reset', text)
        if (!current || current.disabledAt || current.id !== userId) throw new ApiError('INVALID_LINK')
        const target = await this.recovery.restoreTargetFor(transaction, current, email as Email)
        const recovered =
          target.sequence === null
            ? NOTHING_RECORDED
            : await this.recovery.recover(transaction, current, target, client)
        await withdrawTokens(transaction, 'password-reset', userId, email)
        // Otherwise an attacker who guesses from enough networks would lock them out even with the new password.
        await this.knownDevices.rememberNetwork(transaction, userId, client.ip)
        return recovered
      },
    })
    return { satellites: user.satellites }
  }
}

@Injectable()
export class PasswordChangeService {
  constructor(
    private readonly passwordProof: PasswordProof,
    private readonly setter: PasswordSetter,
    private readonly changes: SessionChanges,
  ) {}

  /**
   * Sets a new password for the user of this session and tells them by mail. Only this session survives.
   * Refuses a wrong current password like {@link PasswordProof.ofActor}. Throws `WEAK_PASSWORD`, and
   * `TOO_BUSY` when the password was changed in the meantime.
   */
  async change(actor: SessionActor, { password, currentPassword }: PasswordChangeBody): Promise<void> {
    const user = await this.passwordProof.ofActor(actor, currentPassword, 'password.change')
    await this.setter.set(user, {
      password,
      keep: actor.sid,
      client: actor.client,
      event: auditEvent(actor, 'password.change'),
      requireAllowed: async (transaction, current) => {
        if (!current || current.disabledAt) throw new ApiError('SESSION_NOT_FOUND')
        if (current.passwordHash !== user.passwordHash) throw unavailable('TOO_BUSY')
        await this.changes.requireNotRevoked(transaction, actor)
        return NOTHING_RECORDED
      },
    })
  }
}
