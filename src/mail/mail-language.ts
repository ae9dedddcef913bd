import { IntlMessageFormat } from 'intl-messageformat'
import Negotiator from 'negotiator'
import { LANGUAGES, type LanguageName } from '../config/languages.js'
import { UNKNOWN_DEVICE } from '../http/client.js'
import type { Mail } from './mail.js'
import { de } from './messages/de.js'
import { en } from './messages/en.js'
import type { MailName, Phrase, Translated } from './messages/translated.js'

/** One more language is one more file, and its name among {@link LANGUAGES}. */
const MESSAGES: Readonly<Record<LanguageName, Translated>> = { en, de }

/** What is put into a message. */
type Values = Readonly<Record<string, string | number>>

/** The words of one language, for those who write mails. */
export class MailLanguage {
  private readonly messages: Translated

  /** English for a name that is null or not among {@link LANGUAGES}. */
  static of(name: string | null): MailLanguage {
    return BY_NAME.get(name ?? '') ?? ENGLISH
  }

  constructor(readonly name: LanguageName) {
    this.messages = MESSAGES[name]
  }

  /** A mail about `site`, by what people call it; `url` is where its button leads. */
  mail(name: MailName, { url, ...values }: Values & { readonly site: string; readonly url?: string }): Mail {
    const { subject, paragraphs, action, footnote } = this.messages.mails[name]
    const fill = (text: string) => this.fill(text, values)
    return {
      language: this.name,
      subject: fill(subject),
      site: values.site as string,
      paragraphs: paragraphs.map(fill).filter(text => text !== ''),
      ...(action && url && { action: { label: fill(action), url } }),
      ...(footnote && { footnote: fill(footnote) }),
    }
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

  /** `24 November 2026`, of the world's clock. */
  day(time: Date): string {
    return time.toLocaleDateString(this.messages.locale, { ...UTC, dateStyle: 'long' })
  }

  /** `14:05`, of the world's clock. */
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

/** More is no list of languages. */
const MAX_HEADER_LENGTH = 200

/** What a browser's Accept-Language (RFC 9110 §12.5.4) prefers among {@link LANGUAGES}; null for none of them. */
export function languageWanted(acceptLanguage: string | undefined): LanguageName | null {
  if (!acceptLanguage || acceptLanguage.length > MAX_HEADER_LENGTH) return null
  const headers = { 'accept-language': acceptLanguage }
  return (new Negotiator({ headers }).language([...LANGUAGES]) as LanguageName | undefined) ?? null
}
