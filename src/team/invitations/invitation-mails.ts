import { Injectable } from '@nestjs/common'
import { Mailer } from '../../mail/mailer.js'
import { SiteUrls } from '../../mail/site-urls.js'
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
  ) {}

  /** Throws `MAIL_UNAVAILABLE` where mail is not configured. Call it first in whatever sends a mail. */
  requireMail(): void {
    this.mailer.requireMail()
  }

  /** To an address without a login; the link leads to the form for a password. */
  invite(opened: InvitationToMail): void {
    const { invitation, token } = opened
    const site = this.urls.siteName(null)
    const hosts = invitation.satellites?.map(origin => this.urls.siteName(origin))
    this.mailer.post(invitation.email, {
      subject: subjectOf(site),
      site,
      paragraphs: [
        introduction(opened, site),
        hosts
          ? `You will have access to ${listed(hosts)}.`
          : "You will have access to all of the team's sites.",
        `The link below works once, within ${INVITATION_DAYS} days. It lets you choose your password.`,
      ],
      action: { label: 'Join the team', url: this.urls.toMainSite('/accept-invitation', token) },
      footnote:
        'If you do not know the sender, ignore this mail: nobody can join in your name without the link.',
    })
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
}

function subjectOf(site: string): string {
  return `You have been invited to a team at ${site}`
}

function introduction({ inviter, accountName }: InvitationToMail, site: string): string {
  const name = accountName && safeName(accountName)
  return `${inviter} has invited you to ${name ? `the team "${name}"` : 'their team'} at ${site}.`
}

/**
 * Null for a name that mail programs would turn into a link: strangers could use our mails to lead people
 * anywhere.
 */
function safeName(name: string): string | null {
  return name.length > 60 || /[:/@\\]|\.\S|\p{C}/u.test(name) ? null : name
}

function listed(hosts: readonly string[]): string {
  return new Intl.ListFormat('en-GB').format(hosts)
}
