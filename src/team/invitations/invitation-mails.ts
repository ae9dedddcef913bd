import { Injectable } from '@nestjs/common'
import { Satellites } from '../../cors/satellites.js'
import type { MailLanguage } from '../../mail/language.js'
import { onlySatelliteOf, safeName } from '../../mail/layout.js'
import { type Recipient } from '../../mail/mail.js'
import { Mailer } from '../../mail/mailer.js'
import { SiteUrls } from '../../mail/site-urls.js'
import { INVITATION_DAYS, type Invitation } from './invitation-records.js'

/** An open invitation, with everything that its mail needs. */
export interface InvitationToMail {
  readonly invitation: Invitation
  /** For the link. */
  readonly token: string
  /** An e-mail address: the only name that strangers cannot invent. */
  readonly inviter: string
  readonly accountName: string | null
  /** The inviter's language. */
  readonly language: string | null
}

/** Mails invitations. */
@Injectable()
export class InvitationMails {
  constructor(
    private readonly mailer: Mailer,
    private readonly urls: SiteUrls,
    private readonly satellites: Satellites,
  ) {}

  /** Throws `MAIL_UNAVAILABLE` where mail is not configured. Call it first in anything that sends a mail. */
  requireMail(): void {
    this.mailer.requireMail()
  }

  /**
   * To an address without a login; the link leads to the form for a password. An invitation to a single
   * satellite is about that satellite.
   */
  invite(opened: InvitationToMail): void {
    const { accountId, email, satellites } = opened.invitation
    const named = this.satellites.provenOf(accountId, satellites)
    const only = onlySatelliteOf({ accountId, satellites: named })
    const hosts = named?.map(origin => new URL(origin).host) ?? null
    const url = this.urls.toMainSite('/accept-invitation', opened.token)
    this.mailer.postAbout({ email, language: opened.language }, only, (words, satellite) =>
      words.mail('invitation', {
        ...this.introductionOf(opened, words),
        url,
        sites: namesOf(only ? [satellite] : hosts, words),
        days: INVITATION_DAYS,
      }),
    )
  }

  /** To somebody who has a login in another account; an address can belong to only one account. */
  notifyExistingUser(user: Recipient, opened: InvitationToMail): void {
    this.mailer.post(user, words => words.mail('invitationOfUser', this.introductionOf(opened, words)))
  }

  private introductionOf({ inviter, accountName }: InvitationToMail, words: MailLanguage) {
    const site = this.urls.siteName
    const team = accountName && safeName(accountName)
    const introduction = team
      ? words.phrase('invitation.toNamedTeam', { inviter, team, site })
      : words.phrase('invitation.toTeam', { inviter, site })
    return { site, introduction }
  }
}

/** `sites` are the readable names of the sites that they will have access to; null means all. */
function namesOf(sites: readonly string[] | null, words: MailLanguage): string {
  if (!sites) return words.phrase('invitation.allSites')
  return sites.length > 0 ? words.list(sites) : words.phrase('invitation.someSites')
}
