import { Injectable } from '@nestjs/common'
import { onlySatelliteOf } from '../../mail/branded-sites.js'
import type { Mail } from '../../mail/mail.js'
import { Mailer } from '../../mail/mailer.js'
import { safeName } from '../../mail/safe-name.js'
import { SiteUrls } from '../../mail/site-urls.js'
import { Satellites } from '../../satellites/satellites.js'
import { INVITATION_DAYS, type Invitation } from './invitation-records.js'

/** An invitation that has been opened, and what the mail about it needs besides. */
export interface InvitationToMail {
  readonly invitation: Invitation
  /** For the link. */
  readonly token: string
  /** An e-mail address: the only name that strangers cannot make up. */
  readonly inviter: string
  readonly accountName: string | null
}

/** Mails invitations. */
@Injectable()
export class InvitationMails {
  constructor(
    private readonly mailer: Mailer,
    private readonly urls: SiteUrls,
    private readonly satellites: Satellites,
  ) {}

  /** Throws `MAIL_UNAVAILABLE` where mail is not configured. Call it first in whatever sends a mail. */
  requireMail(): void {
    this.mailer.requireMail()
  }

  /**
   * To an address without a login; the link leads to the form for a password. To one satellite, it is about
   * that.
   */
  invite(opened: InvitationToMail): void {
    const { accountId, email, satellites } = opened.invitation
    // Without those that nobody has proven yet: strangers could use our mails to lead people anywhere.
    const named = satellites?.filter(origin => this.satellites.isOf(accountId, origin)) ?? null
    const only = onlySatelliteOf({ accountId, satellites: named })
    const hosts = named?.map(origin => this.urls.siteName(origin)) ?? null
    this.mailer.postAbout(email, only, site => this.invitation(opened, only ? [site] : hosts))
  }

  /** To somebody who has a login in another account; an address belongs to one account only. */
  tellUser(opened: InvitationToMail): void {
    const site = this.urls.siteName(null)
    this.mailer.post(opened.invitation.email, {
      subject: subjectOf(site),
      site,
      paragraphs: [
        introduction(opened, site),
        'This e-mail address already has an account here, and an address can belong to one account only. To join the team, ask to be invited with another address.',
      ],
      footnote:
        'You do not need to do anything: your account stays as it is, and the team does not learn about it.',
    })
  }

  /** `sites` are what people call those where they will have access; null is all. */
  private invitation(opened: InvitationToMail, sites: readonly string[] | null): Mail {
    const site = this.urls.siteName(null)
    return {
      subject: subjectOf(site),
      site,
      paragraphs: [
        introduction(opened, site),
        `You will have access to ${access(sites)}.`,
        `The link below works once, within ${INVITATION_DAYS} days. It lets you choose your password.`,
      ],
      action: { label: 'Join the team', url: this.urls.toMainSite('/accept-invitation', opened.token) },
      footnote:
        'If you do not know the sender, ignore this mail: nobody can join in your name without the link.',
    }
  }
}

function subjectOf(site: string): string {
  return `You have been invited to a team at ${site}`
}

function introduction({ inviter, accountName }: InvitationToMail, site: string): string {
  const name = accountName && safeName(accountName)
  return `${inviter} has invited you to ${name ? `the team "${name}"` : 'their team'} at ${site}.`
}

function access(sites: readonly string[] | null): string {
  if (!sites) return "all of the team's sites"
  return sites.length > 0 ? new Intl.ListFormat('en-GB').format(sites) : "some of the team's sites"
}
