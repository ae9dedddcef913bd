import type { Mail } from '../mail/mail.js'

/** What a notice is about. */
export interface Noticed {
  readonly site: string
  readonly device: string
  /** In words; null when it is not known. */
  readonly place: string | null
  readonly at: Date
  /** The link for "this was not me". */
  readonly url: string
}

/** A login on a kind of device that is new for the user. `isRefused`: it was not let in. */
export function newDeviceMail(noticed: Noticed, isRefused: boolean): Mail {
  const { site, device } = noticed
  return {
    subject: isRefused ? `Login refused at ${site}: ${device}` : `New login at ${site}: ${device}`,
    ...common(noticed, `${somebody(isRefused)} ${site} on a device that we had not seen before.`, isRefused),
  }
}

/** A login on a known kind of device that was unusual otherwise. `isRefused`: it was not let in. */
export function unusualLoginMail(noticed: Noticed, isRefused: boolean): Mail {
  const { site } = noticed
  return {
    subject: isRefused ? `Login refused at ${site}` : `Unusual login at ${site}`,
    ...common(noticed, `${somebody(isRefused)} ${site} from where you usually do not log in.`, isRefused),
  }
}

/** A session that is suddenly used from elsewhere. `isEnded`: the session was ended for that. */
export function unusualUseMail(noticed: Noticed, isEnded: boolean): Mail {
  const { site } = noticed
  const opening = `Your login at ${site} was suddenly used from another device or place.`
  return {
    subject: `Unusual activity at ${site}`,
    ...common(noticed, isEnded ? `${opening} We have ended it.` : opening, isEnded),
  }
}

function somebody(isRefused: boolean): string {
  return isRefused
    ? 'Somebody gave the right password of your account at'
    : 'Somebody has just logged in to your account at'
}

function common(
  { site, device, place, at, url }: Noticed,
  opening: string,
  isStopped: boolean,
): Omit<Mail, 'subject'> {
  const where = place ? `, in or near ${place}` : ''
  return {
    site,
    paragraphs: [
      opening,
      `It was ${device.replace(/^Unknown/, 'an unknown')}${where}, on ${inWords(at)}.`,
      isStopped
        ? 'They were stopped. If this was you, log in from where you usually do, or try again later.'
        : 'If this was you, there is nothing to do.',
    ],
    action: { label: 'This was not me', url },
    footnote:
      'That link logs you out everywhere and sends you a mail with which you choose a new password. ' +
      'It works once, within 24 hours.',
  }
}

const DAY_AND_TIME = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
})

/** `21 November 2026 at 14:05 UTC`. */
function inWords(at: Date): string {
  return `${DAY_AND_TIME.format(at)} UTC`
}
