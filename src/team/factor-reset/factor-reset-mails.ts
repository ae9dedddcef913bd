import { Injectable } from '@nestjs/common'
import type { Mail } from '../../mail/mail.js'
import { Mailer } from '../../mail/mailer.js'
import { SiteUrls } from '../../mail/site-urls.js'

/** Mails to users whose factors somebody else resets. */
@Injectable()
export class FactorResetMails {
  constructor(
    private readonly mailer: Mailer,
    private readonly urls: SiteUrls,
  ) {}

  /** Throws `MAIL_UNAVAILABLE` where mail is not configured: nobody could stop it. */
  require(): void {
    this.mailer.requireMail()
  }

  /** `by` is who has requested it. */
  sendRequested(email: string, token: string, resetAt: Date, by: 'manager' | 'operator' = 'manager'): void {
    const says = by === 'manager' ? `Somebody who manages your team at ${this.site} says` : 'Somebody told us'
    this.mailer.post(
      email,
      requestedMail(this.site, this.urls.toMainSite('/factor-reset', token), resetAt, says),
    )
  }

  tellDone(email: string): void {
    this.mailer.post(email, doneMail(this.site))
  }

  private get site(): string {
    return this.urls.siteName(null)
  }
}

function minute(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} (UTC)`
}

function requestedMail(site: string, url: string, resetAt: Date, says: string): Mail {
  return {
    subject: `Your second factors at ${site} are going to be removed`,
    site,
    paragraphs: [
      `${says} that you have lost your authenticator app or passkeys. On ${minute(resetAt)} all of them are removed, with your recovery codes, and you are logged out everywhere. Your password alone then logs you in.`,
      'If you asked for this, the link below lets you do it now. If you did not, the same link stops it: otherwise whoever knows your password could log in.',
    ],
    action: { label: 'Do it now, or stop it', url },
    footnote: 'If you did not ask for this, also change your password, and speak to your team.',
  }
}

function doneMail(site: string): Mail {
  return {
    subject: `Your second factors at ${site} have been removed`,
    site,
    paragraphs: [
      `Your account at ${site} has no authenticator app, passkey or recovery code any more, and you have been logged out everywhere. Log in with your password, and set up new ones.`,
    ],
    footnote:
      'If you did not ask for this, change your password now, by the link "Forgot your password?" on the login page.',
  }
}
