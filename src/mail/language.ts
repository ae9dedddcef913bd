import { IntlMessageFormat } from 'intl-messageformat'
import Negotiator from 'negotiator'
import { LANGUAGES, type LanguageName } from '../platform/config/languages.js'
import { UNKNOWN_DEVICE } from '../platform/http/request.js'
import type { Mail } from './mail.js'
import { de } from './messages/de.js'
import { en, type MailName, type Phrase, type Translated } from './messages/en.js'

/** To add a language, add its file here and its name to {@link LANGUAGES}. */
const MESSAGES: Readonly<Record<LanguageName, Translated>> = { en, de }

/** Most people who get these have nothing to do. */
const ALARMS: ReadonlySet<MailName> = new Set<MailName>(['notice', 'emailChanged'])

/** Values to insert into a message. */
type Values = Readonly<Record<string, string | number>>

/** `site`: what the mail is about, by its readable name. `url`: where its button leads, if it has one. */
type MailValues<Name extends MailName> = Values & {
  readonly site: string
} & ((typeof en)['mails'][Name] extends {
    readonly action: string
  }
    ? { readonly url: string }
    : { readonly url?: string })

/** The texts of one language, for code that writes mails. */
export class MailLanguage {
  private readonly messages: Translated

  /** English for a name that is null or not among {@link LANGUAGES}. */
  static of(name: string | null): MailLanguage {
    return BY_NAME.get(name ?? '') ?? ENGLISH
  }

  constructor(readonly name: LanguageName) {
    this.messages = MESSAGES[name]
  }

  mail<Name extends MailName>(name: Name, { url, ...values }: MailValues<Name>): Mail {
    const { subject, paragraphs, action, footnote } = this.messages.mails[name]
    const fill = (text: string) => this.fill(text, values)
    return {
      language: this.name,
      subject: fill(subject),
      site: values.site as string,
      paragraphs: paragraphs.map(fill).filter(text => text !== ''),
      ...(action &&
        url && { action: { label: fill(action), url, ...(ALARMS.has(name) && { isForAlarm: true }) } }),
      ...(footnote && { footnote: fill(footnote) }),
    }
  }

  /** The subject of the mail that tells an address that its user has left it, for later mails that refer to it. */
  emailChangedSubject(site: string): string {
    return this.fill(this.messages.mails.emailChanged.subject, { site })
  }

  phrase(name: Phrase, values: Values = {}): string {
    return this.fill(this.messages.phrases[name], values)
  }

  /** `Chrome on Windows`, in this language. `device` comes from {@link deviceName}. */
  device(device: string): string {
    if (device === UNKNOWN_DEVICE) return this.phrase('notice.unknownDevice')
    const [, app, system] = /^(.+?) on (.+)$/.exec(device) ?? []
    return app && system ? this.phrase('notice.deviceOnSystem', { app, system }) : device
  }

  /** `a.test, b.test and c.test`. */
  list(items: readonly string[]): string {
    return new Intl.ListFormat(this.messages.locale).format(items)
  }

  /** `24 November 2026`, in UTC. */
  day(time: Date): string {
    return time.toLocaleDateString(this.messages.locale, { ...UTC, dateStyle: 'long' })
  }

  /** `14:05`, in UTC. */
  time(time: Date): string {
    return time.toLocaleTimeString(this.messages.locale, { ...UTC, timeStyle: 'short' })
  }

  private fill(text: string, values: Values): string {
    return String(new IntlMessageFormat(text, this.name, undefined, { ignoreTag: true }).format(values))
  }
}

const UTC = { timeZone: 'UTC' } as const

const BY_NAME: ReadonlyMap<string, MailLanguage> = new Map(
  LANGUAGES.map(name => [name, new MailLanguage(name)]),
)
const ENGLISH = BY_NAME.get('en') as MailLanguage

/** Anything longer is not a list of languages. */
const MAX_HEADER_LENGTH = 200

/**
 * The language among {@link LANGUAGES} that a browser's Accept-Language (RFC 9110 §12.5.4) prefers; null for
 * none.
 */
export function languageWanted(acceptLanguage: string | undefined): LanguageName | null {
  if (!acceptLanguage || acceptLanguage.length > MAX_HEADER_LENGTH) return null
  const headers = { 'accept-language': acceptLanguage }
  return (new Negotiator({ headers }).language([...LANGUAGES]) as LanguageName | undefined) ?? null
}
