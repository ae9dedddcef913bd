import { Injectable } from '@nestjs/common'
import { Clock } from '../clock/clock.js'
import { formatLocation, GeoIp } from '../geoip/geoip.js'
import { type Client, deviceName } from '../http/client.js'
import { subnetOf } from '../http/network.js'
import type { Mail } from '../mail/mail.js'
import { Mailer } from '../mail/mailer.js'
import { SiteUrls } from '../mail/site-urls.js'
import { type AffectedSession, UnrecognizedLoginTokens } from './unrecognized-login-tokens.js'

/** What a notice is about. */
export interface NoticeData {
  readonly site: string
  readonly device: string
  /** In words; null when it is not known. */
  readonly place: string | null
  readonly at: Date
  /** The link for "this was not me". */
  readonly url: string
}

/** Mails users about what may not have been them, with a link to say so. */
@Injectable()
export class AnomalyMails {
  constructor(
    private readonly tokens: UnrecognizedLoginTokens,
    private readonly mailer: Mailer,
    private readonly links: SiteUrls,
    private readonly geoIp: GeoIp,
    private readonly clock: Clock,
  ) {}

  /**
   * Mails the user the result of `write`: once in 24 hours for a session and ten times for all of them, or with
   * `always` every time.
   */
  async send(
    session: AffectedSession,
    client: Client,
    write: (data: NoticeData) => Mail,
    { always = false } = {},
  ): Promise<void> {
    const device = deviceName(client.userAgent)
    const issued = await this.tokens.issue(session, { device, network: subnetOf(client.ip) }, { always })
    if (!issued) return
    const data = {
      device,
      place: formatLocation(this.geoIp.locate(client.ip)),
      at: this.clock.now(),
      url: this.links.toMainSite('/not-me', issued.token),
    }
    const { accountId } = session
    const { origin } = client
    const satellite = origin === null ? null : { accountId, origin }
    this.mailer.postAbout(issued.email, satellite, site => write({ ...data, site }))
  }
}

/** Why somebody with the right password was not let in. */
export type LoginRefusal = 'unusual' | 'hand-off required'

/** A login on a kind of device that is new for the user. `refusal`: why it was not let in, if so. */
export function newDeviceMail(data: NoticeData, refusal: LoginRefusal | null): Mail {
  const { site, device } = data
  return {
    subject: refusal ? `Login refused at ${site}: ${device}` : `New login at ${site}: ${device}`,
    ...noticeAbout(
      data,
      `${somebody(refusal)} ${site} from a device that you have not used before.`,
      whatNow(refusal),
    ),
  }
}

/** A login on a known kind of device that was unusual otherwise. `refusal`: why it was not let in, if so. */
export function unusualLoginMail(data: NoticeData, refusal: LoginRefusal | null): Mail {
  const { site } = data
  return {
    subject: refusal ? `Login refused at ${site}` : `Unusual login at ${site}`,
    ...noticeAbout(
      data,
      `${somebody(refusal)} ${site} from a place where you do not usually log in.`,
      whatNow(refusal),
    ),
  }
}

/** A session that is suddenly used from elsewhere. `isEnded`: the session was ended for that. */
export function unusualUseMail(data: NoticeData, isEnded: boolean): Mail {
  const { site } = data
  const opening = `A session of yours at ${site} was suddenly used from another device or place.`
  return {
    subject: `Unusual activity at ${site}`,
    ...noticeAbout(
      data,
      isEnded ? `${opening} We have ended that session.` : opening,
      isEnded ? LOG_IN_AS_USUAL : NOTHING_TO_DO,
    ),
  }
}

function somebody(refusal: LoginRefusal | null): string {
  return refusal
    ? 'Somebody entered the correct password for your account at'
    : 'Somebody has just logged in to your account at'
}

const NOTHING_TO_DO = 'If this was you, you do not need to do anything.'
const LOG_IN_AS_USUAL =
  'If this was you, log in from a device and a place that you usually use, or try again later.'

const AFTER_REFUSAL: Readonly<Record<LoginRefusal, string>> = {
  unusual: `The login was refused. ${LOG_IN_AS_USUAL}`,
  'hand-off required':
    'The login was refused, because you log in through our main site only. If this was you, log in there.',
}

function whatNow(refusal: LoginRefusal | null): string {
  return refusal ? AFTER_REFUSAL[refusal] : NOTHING_TO_DO
}

/** The body of a notice: `opening`, from where and when it was, `advice`, and the link. */
export function noticeAbout(
  { site, device, place, at, url }: NoticeData,
  opening: string,
  advice: string,
): Omit<Mail, 'subject'> {
  const where = place ? `, in or near ${place}` : ''
  return {
    site,
    paragraphs: [
      opening,
      `It was ${device.replace(/^Unknown/, 'an unknown')}${where}, at ${TIME.format(at)} UTC on ${DAY.format(at)}.`,
      advice,
    ],
    action: { label: 'This was not me', url },
    footnote:
      'The link logs you out everywhere and sends you a mail for choosing a new password. ' +
      'It works once, within 24 hours.',
  }
}

const DAY = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})

const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })
