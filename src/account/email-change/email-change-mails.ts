import { Injectable } from '@nestjs/common'
import { Settings } from '../../config/settings.js'
import { Mailer } from '../../mail/mailer.js'
import { SiteUrls } from '../../mail/site-urls.js'
import {
  addressInUseMail,
  confirmEmailMail,
  emailChangedMail,
  emailRestoredMail,
} from './email-change.mail.js'

/** The mails about a change of e-mail address. */
@Injectable()
export class EmailChangeMails {
  constructor(
    private readonly mailer: Mailer,
    private readonly links: SiteUrls,
    private readonly settings: Settings,
  ) {}

  /** Throws `MAIL_UNAVAILABLE` where mail is not configured. */
  require(): void {
    this.mailer.requireMail()
  }

  sendConfirmation(email: string, token: string): void {
    const url = this.links.toMainSite('/confirm-email', token)
    this.mailer.post(email, confirmEmailMail(this.links.siteName(null), url))
  }

  tellInUse(email: string): void {
    const url = this.links.toSite(this.settings.mainOrigin)
    this.mailer.post(email, addressInUseMail(this.links.siteName(null), url))
  }

  sendUndo(email: string, token: string): void {
    const url = this.links.toMainSite('/undo-email', token)
    this.mailer.post(email, emailChangedMail(this.links.siteName(null), url))
  }

  /** Without a link to undo it: the user has gone back to an earlier address of theirs. */
  tellRestored(email: string): void {
    this.mailer.post(email, emailRestoredMail(this.links.siteName(null)))
  }
}
