import type messages from '../messages/en.json'

/** The name of a message in web/messages/. */
export type MessageKey = keyof typeof messages

export type CompiledMessages = Readonly<Record<string, CompiledMessage>>

/** What the page speaks. Loaded before anything is drawn; see language.ts. */
export const i18n = {
  /** The language. */
  locale: 'en',
  /** For dates and numbers: the language, with the browser's country if it names one. */
  regional: 'en',
  messages: {} as CompiledMessages,
}

/**
 * The message with this name in the page's language. Call it while rendering, not when a module is loaded:
 * then the language is not yet known, and it can change later.
 */
export function t(key: MessageKey, values: Readonly<Record<string, string | number>> = {}): string {
  return fillIn(i18n.messages[key] ?? key, values, i18n.regional)
}

/** The locale for dates and numbers: the page's language, with the browser's country if it names one. */
export function locale(): string {
  return i18n.regional
}

/** A message as the build compiles it: a text, or a list of texts and values. */
export type CompiledMessage = string | readonly (string | Value)[]

/** `["count", "plural", { one: ["#", " day"], other: ["#", " days"] }]`; a plain value has only its name. */
type Value = readonly [name: string, type?: string, cases?: Readonly<Record<string, CompiledMessage>>]

/** A message with its values filled in. `count` takes the place of `#`, which in a plural is the number itself. */
export function fillIn(
  message: CompiledMessage,
  values: Readonly<Record<string, string | number>>,
  locale: string,
  count = '#',
): string {
  if (typeof message === 'string') return message
  const partOf = (part: string | Value): string => {
    if (part === '#') return count
    if (typeof part === 'string') return part
    const [name, type, cases] = part
    const value = values[name] ?? ''
    const text = typeof value === 'number' && type ? value.toLocaleString(locale) : `${value}`
    if (!cases) return text
    const isNamed = Object.hasOwn(cases, value)
    const other = type === 'plural' ? new Intl.PluralRules(locale).select(Number(value)) : 'other'
    return fillIn((isNamed ? cases[value] : (cases[other] ?? cases.other)) ?? '', values, locale, text)
  }
  return message.map(partOf).join('')
}

/**
 * The first of `wanted` that is among `available`, with the locale for dates and numbers: “de-AT” chooses
 * `de` and is the locale. English if there is none.
 */
export function chooseLanguage(
  wanted: readonly string[],
  available: readonly string[],
): { readonly language: string; readonly locale: string } {
  for (const locale of wanted) {
    const language = [locale, locale.split('-')[0] ?? ''].find(name => available.includes(name))
    if (language) return { language, locale }
  }
  return { language: 'en', locale: 'en' }
}

/**
 * The global `fetch`, which also sends the page's language: mails to users without a language yet are written
 * in it.
 */
export const fetchInLanguage: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined))
  headers.set('Accept-Language', i18n.locale)
  return fetch(input, { ...init, headers })
}
