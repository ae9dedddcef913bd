import { Injectable } from '@nestjs/common'
import { Settings } from '../../config/settings.js'
import { Mailer } from '../../mail/mailer.js'
import { SiteUrls } from '../../mail/site-urls.js'
import type { Email } from '../../users/email.js'
import { knownAddressMail, signUpMail } from './sign-up.mail.js'

/** What a sign-up mails, about the main site. */
@Injectable()
export class SignUpMails {
  constructor(
    private readonly mailer: Mailer,
    private readonly links: SiteUrls,
    private readonly settings: Settings,
  ) {}

  /** Throws `MAIL_UNAVAILABLE` where mail is not configured. */
  require(): void {
    this.mailer.requireMail()
  }

  sendLink(email: Email, token: string): void {
    const url = this.links.toMainSite('/verify-email', token)
    this.mailer.post(email, signUpMail(this.links.siteName(null), url))
  }

  tellKnown(email: Email): void {
    const url = this.links.toSite(this.settings.mainOrigin)
    this.mailer.post(email, knownAddressMail(this.links.siteName(null), url))
  }
}
