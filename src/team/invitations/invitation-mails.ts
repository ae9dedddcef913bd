import { Injectable } from '@nestjs/common'
import { Mailer } from '../../mail/mailer.js'
import { SiteUrls } from '../../mail/site-urls.js'
import type { Email } from '../../users/email.js'
import { type InvitationMail, invitationMail, invitedUserMail } from './invitation.mail.js'
import type { Invitation } from './invitations.js'

/** Mails invitations. */
@Injectable()
export class InvitationMails {
  constructor(
    private readonly mailer: Mailer,
    private readonly links: SiteUrls,
  ) {}

  /** Throws `MAIL_UNAVAILABLE` where mail is not configured. Call it first in whatever sends a mail. */
  requireMail(): void {
    this.mailer.requireMail()
  }

  /** To an address without a login. */
  invite(invitation: Invitation, inviter: Email, accountName: string | null, token: string): void {
    const url = this.links.toMainSite('/accept-invitation', token)
    this.mailer.post(invitation.email, invitationMail(this.contents(invitation, inviter, accountName), url))
  }

  /** To somebody who has a login in another account. */
  tellUser(invitation: Invitation, inviter: Email, accountName: string | null): void {
    this.mailer.post(invitation.email, invitedUserMail(this.contents(invitation, inviter, accountName)))
  }

  private contents({ satellites }: Invitation, inviter: Email, accountName: string | null): InvitationMail {
    return {
      inviter,
      accountName,
      site: this.links.siteName(null),
      satellites: satellites?.map(origin => this.links.siteName(origin)) ?? null,
    }
  }
}
