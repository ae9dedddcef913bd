import { Injectable } from '@nestjs/common'
import { Mailer } from '../../mail/mailer.js'
import { Links } from '../../mail/site-urls.js'
import { passwordChangedMail } from './password-changed.mail.js'
import { passwordResetMail } from './password-reset.mail.js'

/** The mails about passwords. */
@Injectable()
export class PasswordMails {
  constructor(
    private readonly mailer: Mailer,
    private readonly links: Links,
  ) {}

  /** Throws `MAIL_UNAVAILABLE` where mail is not configured. */
  require(): void {
    this.mailer.requireMail()
  }

  /**
   * `satellites` are the only sites where they may log in, null means all; the page leads there afterwards.
   */
  sendResetLink(email: string, token: string, satellites: readonly string[] | null = null): void {
    const url = this.links.toMainSite('/reset-password', token, satellites ?? [])
    this.mailer.post(email, passwordResetMail(this.links.siteName(null), url))
  }

  tellChanged(email: string): void {
    this.mailer.post(email, passwordChangedMail(this.links.siteName(null)))
  }
}
