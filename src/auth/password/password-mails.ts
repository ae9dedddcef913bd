import { Injectable } from '@nestjs/common'
import { onlySatelliteOf } from '../../mail/layout.js'
import { NO_MAILS, type Recipient, type SendMails } from '../../mail/mail.js'
import { Mailer } from '../../mail/mailer.js'
import { SiteUrls } from '../../mail/site-urls.js'
import type { Db } from '../../platform/database/connection.js'
import { OneTimeTokens, withdrawTokens } from '../../platform/one-time-tokens.js'
import type { User } from '../../users/user.js'
import { UserEmails } from '../../users/user-emails.js'

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
