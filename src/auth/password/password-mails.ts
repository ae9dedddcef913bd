import { Injectable } from '@nestjs/common'
import type { Db } from '../../database/connection.js'
import { OneTimeTokens } from '../../links/one-time-tokens.js'
import { onlySatelliteOf } from '../../mail/branded-sites.js'
import type { Mail } from '../../mail/mail.js'
import { Mailer } from '../../mail/mailer.js'
import { SiteUrls } from '../../mail/site-urls.js'
import type { User } from '../../users/user.js'

/** Long enough for a slow mail server; while it lasts, the link is as good as a password. */
const RESET_LINK_SECONDS = 30 * 60

/** The mails about passwords, and the links in them. */
@Injectable()
export class PasswordMails {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly mailer: Mailer,
    private readonly links: SiteUrls,
  ) {}

  /** Throws `MAIL_UNAVAILABLE` where mail is not configured. */
  require(): void {
    this.mailer.requireMail()
  }

  /**
   * The token of a new link to choose a password, stored in the transaction; mail it after the commit.
   * Earlier links to this address stop working. Links to other addresses stay valid: the user may still go
   * back to one, and a thief's request must not invalidate its link.
   */
  async issueResetLink(
    transaction: Db,
    { id: userId, accountId, email }: Pick<User, 'id' | 'accountId' | 'email'>,
  ): Promise<string> {
    await this.tokens.withdraw(transaction, 'password-reset', userId, email)
    return this.tokens.issue(transaction, {
      purpose: 'password-reset',
      email,
      userId,
      accountId,
      lifetimeSeconds: RESET_LINK_SECONDS,
    })
  }

  /** Given a user who is invited to one satellite only, the mail is about that. */
  sendResetLink(email: string, token: string, user?: Pick<User, 'accountId' | 'satellites'>): void {
    const url = this.links.toMainSite('/reset-password', token)
    this.mailer.postAbout(email, user ? onlySatelliteOf(user) : null, site => resetMail(site, url))
  }

  /** Tells the user of a new password, which somebody else may have set. */
  tellChanged(email: string): void {
    this.mailer.post(email, changedMail(this.links.siteName(null), this.links.forgotPassword()))
  }
}

function resetMail(site: string, url: string): Mail {
  return {
    subject: `Choose a new password for ${site}`,
    site,
    paragraphs: [
      `We were asked for a new password for your account at ${site}. Use the link below to choose one.`,
      'It works once, within 30 minutes.',
    ],
    action: { label: 'Choose a new password', url },
    footnote: 'Was this not you? Then ignore this mail: your password stays as it is.',
  }
}

/** `url` leads to the page where one asks for a new password. */
function changedMail(site: string, url: string): Mail {
  return {
    subject: `Your password for ${site} has been changed`,
    site,
    paragraphs: [
      `Your account at ${site} has a new password. Everywhere else you have been logged out, and links that we mailed before, such as one to confirm a new address, no longer work.`,
      'If this was you, everything is fine. If not, choose a new password now: the link for it comes to this address.',
    ],
    action: { label: 'Choose a new password', url },
  }
}
