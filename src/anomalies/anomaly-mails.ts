import { Injectable } from '@nestjs/common'
import type { MailLanguage } from '../mail/language.js'
import type { Mail, Recipient } from '../mail/mail.js'
import { NO_MAILS, type SendMails } from '../mail/mail.js'
import { Mailer } from '../mail/mailer.js'
import { SiteUrls } from '../mail/site-urls.js'
import { formatLocation, GeoIp } from '../platform/geoip.js'
import type { Client } from '../platform/http/request.js'
import { deviceName, subnetOf } from '../platform/http/request.js'
import { previousAddresses } from '../platform/one-time-tokens.js'
import { Clock } from '../platform/time.js'
import {
  type AffectedSession,
  type IssueOptions,
  UnrecognizedLoginTokens,
} from './unrecognized-login-tokens.js'

/** What a notice is about, and the words that it is written in. */
export interface NoticeData {
  readonly words: MailLanguage
  readonly site: string
  readonly device: string
  /** In words; null when it is not known. */
  readonly location: string | null
  readonly ip: string
  readonly at: Date
  /** The link for "this was not me"; null at an earlier address, which has one that undoes the change of address. */
  readonly url: string | null
}

/** What a notice says besides when and from where it happened. */
export interface Notice {
  readonly subject: string
  readonly opening: string
  readonly advice: string
}

/** Mails users about activity that may not have been theirs, with a link to say so. */
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
   * Mails the user the notice that `write` returns: within 24 hours at most once per session and ten times in
   * all, or with `always` every time.
   */
  async send(
    session: AffectedSession,
    client: Client,
    write: (data: NoticeData) => Notice,
    options?: IssueOptions,
  ): Promise<void> {
    const post = await this.prepare(session, client, write, options)
    post()
  }

  /**
   * Like {@link send}, but only stores the link: in the transaction of what the mail is about, as a rule. With `always`
   * and a transaction, earlier addresses that the user can still return to are mailed too, because the present one may
   * be an attacker's. They get no link of their own: such a mailbox may since have passed to another person.
   */
  async prepare(
    session: AffectedSession,
    client: Client,
    write: (data: NoticeData) => Notice,
    options: IssueOptions = {},
  ): Promise<SendMails> {
    const device = deviceName(client.userAgent)
    const issued = await this.tokens.issue(session, { device, network: subnetOf(client.ip) }, options)
    if (!issued) return NO_MAILS
    const at = this.clock.now()
    const { always, transaction } = options
    const { userId, accountId } = session
    const left = always && transaction ? await previousAddresses(transaction, userId, issued.to, at) : []
    const place = this.geoIp.locate(client.ip)
    const { origin } = client
    const satellite = origin === null ? null : { accountId, origin }
    const post = (to: Recipient, url: string | null) =>
      this.mailer.postAbout(to, satellite, (words, site) => {
        const told = { location: formatLocation(place, words.name), device: words.device(device) }
        const data = { at, url, ip: client.ip, ...told, words, site }
        return noticeMail(data, write(data), this.links.siteName)
      })
    return () => {
      post(issued.to, this.links.toMainSite('/not-me', issued.token))
      for (const to of left) post(to, null)
    }
  }
}

/** Why a login with the right password was refused. */
export type LoginRefusal = 'unusual' | 'hand-off required'

/** A login on a kind of device that is new for the user. `refusal`: why it was not let in, if so. */
export function newDeviceNotice({ words, site, device }: NoticeData, refusal: LoginRefusal | null): Notice {
  return {
    subject: words.phrase(refusal ? 'refusedLogin.subjectWithDevice' : 'newDevice.subject', { site, device }),
    opening: words.phrase(refusal ? 'newDevice.refused' : 'newDevice.opening', { site }),
    advice: adviceFor(words, refusal),
  }
}

/** A login on a known kind of device that was unusual otherwise. `refusal`: why it was not let in, if so. */
export function unusualLoginNotice({ words, site }: NoticeData, refusal: LoginRefusal | null): Notice {
  return {
    subject: words.phrase(refusal ? 'refusedLogin.subject' : 'unusualLogin.subject', { site }),
    opening: words.phrase(refusal ? 'unusualLogin.refused' : 'unusualLogin.opening', { site }),
    advice: adviceFor(words, refusal),
  }
}

/** A session that is suddenly used from elsewhere. `isEnded`: the session was ended because of it. */
export function unusualUseNotice({ words, site }: NoticeData, isEnded: boolean): Notice {
  return {
    subject: words.phrase('unusualUse.subject', { site }),
    opening: words.phrase(isEnded ? 'unusualUse.ended' : 'unusualUse.opening', { site }),
    advice: words.phrase(isEnded ? 'notice.logInAsUsual' : 'notice.nothingToDo'),
  }
}

function adviceFor(words: MailLanguage, refusal: LoginRefusal | null): string {
  if (refusal === null) return words.phrase('notice.nothingToDo')
  if (refusal === 'hand-off required') return words.phrase('refusedLogin.handoffRequired')
  return words.phrase('refusedLogin.unusual', { advice: words.phrase('notice.logInAsUsual') })
}

function noticeMail(
  { words, site, device, location, ip, at, url }: NoticeData,
  notice: Notice,
  mainSite: string,
): Mail {
  const when = { device, day: words.day(at), time: words.time(at) }
  const circumstances = location
    ? words.phrase('notice.circumstancesWithPlace', { ...when, place: location })
    : words.phrase('notice.circumstances', when)
  const values = { ...notice, site, circumstances }
  if (url) {
    const withIp = `${circumstances}\n${words.phrase('notice.ip', { ip })}`
    return words.mail('notice', { ...values, circumstances: withIp, url })
  }
  // Whose mailbox it is by now is not known.
  const emailChanged = words.emailChangedSubject(mainSite)
  return words.mail('noticeAtEarlierAddress', { ...values, emailChanged })
}
