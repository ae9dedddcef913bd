import type { Mail } from '../../mail/mail.js'

export interface InvitationMail {
  /** An e-mail address: the only name that strangers cannot make up. */
  readonly inviter: string
  readonly accountName: string | null
  /** Host of the main site. */
  readonly site: string
  /** Hosts of the sites they are to work at; null means all. */
  readonly satellites: readonly string[] | null
}

/** To the future member; `url` leads to the form for a password. */
export function invitationMail(invitation: InvitationMail, url: string): Mail {
  const { site, satellites } = invitation
  return {
    subject: `You have been invited to a team at ${site}`,
    site,
    paragraphs: [
      introduction(invitation),
      satellites
        ? `You will have access to ${listed(satellites)}.`
        : "You will have access to all of the team's sites.",
      'The link below works once, within 7 days. It lets you choose your password.',
    ],
    action: { label: 'Join the team', url },
    footnote:
      'If you do not know the sender, ignore this mail: nobody can join in your name without the link.',
  }
}

/** To somebody whose address already has a login; an address belongs to one account only. */
export function invitedUserMail(invitation: InvitationMail): Mail {
  return {
    subject: `You have been invited to a team at ${invitation.site}`,
    site: invitation.site,
    paragraphs: [
      introduction(invitation),
      'This e-mail address already has an account here, and an address can belong to one account only. To join the team, ask to be invited with another address.',
    ],
    footnote:
      'You do not need to do anything: your account stays as it is, and the team does not learn about it.',
  }
}

function introduction({ inviter, accountName, site }: InvitationMail): string {
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
