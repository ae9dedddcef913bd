import { Resolver } from 'node:dns'
import { isIP } from 'node:net'
import { asOrigin, isLoopback, type Origin } from './origin.js'
import type { Bounds, SettingReader } from './setting.js'

export const asText: SettingReader<string> = text => text

/** Null when the setting is empty. */
export function orNull<T>(read: SettingReader<T>): SettingReader<T | null> {
  const readOrNull: SettingReader<T | null> = (text, isProduction) =>
    text === '' ? null : read(text, isProduction)
  return Object.assign(readOrNull, { ...(read.bounds && { bounds: read.bounds }) })
}

export function oneOf<T extends string>(...choices: readonly T[]): SettingReader<T> {
  return choiceOf(Object.fromEntries(choices.map(choice => [choice, choice])) as Record<T, T>)
}

/** What the chosen word stands for. */
export function choiceOf<T>(meanings: Readonly<Record<string, T>>): SettingReader<T> {
  const choices = Object.keys(meanings)
  const read = (text: string) => {
    if (!choices.includes(text)) throw new Error(`must be one of ${choices.join(', ')}`)
    return meanings[text] as T
  }
  return Object.assign(read, { choices })
}

/** Without `max`, any plausible count. */
export function wholeNumber(min: number, max: number | null = null): SettingReader<number> {
  return numberWithin({ min, max, unit: null })
}

export function seconds(min: number, max: number): SettingReader<number> {
  return numberWithin({ min, max, unit: 'seconds' })
}

export function milliseconds(min: number, max: number): SettingReader<number> {
  return numberWithin({ min, max, unit: 'milliseconds' })
}

export function days(min: number, max: number): SettingReader<number> {
  return numberWithin({ min, max, unit: 'days' })
}

/** Anything higher is a typo. */
const HIGHEST_COUNT = 1_000_000_000

function numberWithin(bounds: Bounds): SettingReader<number> {
  const { min } = bounds
  const max = bounds.max ?? HIGHEST_COUNT
  const read = (text: string) => {
    const number = Number(text)
    if (!/^\d+$/.test(text) || number < min || number > max)
      throw new Error(`must be a whole number from ${min} to ${max}`)
    return number
  }
  return Object.assign(read, { bounds })
}

/** Items separated by commas; none when the setting is empty. */
export function listOf<T>(read: SettingReader<T>): SettingReader<T[]> {
  return (text, isProduction) =>
    text
      .split(',')
      .map(item => item.trim())
      .filter(item => item !== '')
      .map(item => read(item, isProduction))
}

/** Like {@link listOf}, with one item at least. */
export function nonEmptyListOf<T>(read: SettingReader<T>): SettingReader<T[]> {
  return (text, isProduction) => {
    const items = listOf(read)(text, isProduction)
    if (items.length === 0) throw new Error('lists nothing')
    return items
  }
}

/** In lower case, which is what the pages compare. */
export const color: SettingReader<string> = text => {
  if (!/^#[0-9a-f]{6}$/i.test(text)) throw new Error('must be a colour such as #3b4fd8')
  return text.toLowerCase()
}

/** Fits into a sentence, and into the subject of a mail. */
export const siteName: SettingReader<string> = text => {
  if (text.length > 60 || /\p{C}/u.test(text)) throw new Error('must be a name of at most 60 characters')
  return text
}

export function startingWith(...prefixes: string[]): SettingReader<string> {
  return text => {
    if (!prefixes.some(prefix => text.startsWith(prefix)))
      throw new Error(`must start with ${prefixes.join(' or ')}`)
    return text
  }
}

/**
 * A secret that starts with one of the `prefixes` and has at least `minLength` characters: never one from an
 * example, nor, in production, one of the payment sandbox's, which are published in config/development.env.
 */
export function secret(prefixes: readonly string[], minLength: number): SettingReader<string> {
  return (text, isProduction) => {
    if (isProduction && text.includes('payment_sandbox'))
      throw new Error('is a secret of the payment sandbox')
    startingWith(...prefixes)(text, isProduction)
    if (text.length < minLength || /changeme|example|x{8}/i.test(text))
      throw new Error(`must be a real secret of at least ${minLength} characters`)
    return text
  }
}

/** A web origin; over http only outside production, and only on this machine. */
export const exactOrigin: SettingReader<Origin> = (text, isProduction) => {
  const origin = asOrigin(text, !isProduction)
  if (!origin)
    throw new Error(
      `has "${shown(text)}", which is not an exact https origin such as https://www.example.com`,
    )
  return origin
}

export function urlOf(...protocols: string[]): SettingReader<URL> {
  return text => {
    if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol))
      throw new Error(
        `must be a URL that starts with ${protocols.map(protocol => `${protocol}//`).join(' or ')}`,
      )
    return new URL(text)
  }
}

/** An address as text, normalised by {@link URL}. */
export function addressOf(...protocols: string[]): SettingReader<string> {
  return (text, isProduction) => urlOf(...protocols)(text, isProduction).href
}

/** A mail server. The only parameter is `tls=off`, so that a typo cannot turn TLS off. */
export const smtpUrl: SettingReader<URL> = (text, isProduction) => {
  const url = urlOf('smtp:', 'smtps:')(text, isProduction)
  for (const [name, value] of url.searchParams)
    if (name !== 'tls' || value !== 'off') throw new Error('must have no parameter other than tls=off')
  return url
}

/** The embedded database, or PostgreSQL; with several hosts, the one that takes writes. */
export const databaseUrl: SettingReader<string> = (text, isProduction) => {
  startingWith('pglite:', 'postgres://', 'postgresql://')(text, isProduction)
  const wanted = /[?&]target_session_attrs=([^&]*)/.exec(text)?.[1] ?? 'read-write'
  if (!['read-write', 'primary'].includes(wanted))
    throw new Error('must not have a target_session_attrs other than read-write')
  return text
}

/** A base URL as text, without a trailing slash; https in production. */
export const baseUrl: SettingReader<string> = (text, isProduction) => {
  const protocols = isProduction ? ['https:'] : ['https:', 'http:']
  return urlOf(...protocols)(text, isProduction).href.replace(/\/+$/, '')
}

/** Requests there carry a secret key, so in production http is only for this machine. */
export const providerUrl: SettingReader<URL> = (text, isProduction) => {
  const url = urlOf('https:', 'http:')(text, isProduction)
  if (isProduction && url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new Error('must be a URL that starts with https://, except on this machine')
  return url
}

/** Who mails are from. */
export interface Sender {
  /** Empty when there is none. */
  readonly name: string
  readonly address: string
}

/** Of an address: what could be read as more than one mailbox by any mail program. */
const MAILBOX = /^[^\s<>@,;()"\\]+@[^\s<>@,;()"\\]+$/

/**
 * `no-reply@example.com`, or with a name: `Example <no-reply@example.com>`. In two parts, so that no caller has to
 * parse it again, by other rules: any character of a name is only a character. Quotes around a name are not part of it.
 */
export const sender: SettingReader<Sender> = text => {
  const [, before = '', address = text] = /^([^<>]*)<([^<>]+)>$/.exec(text) ?? []
  if (!MAILBOX.test(address) || /\p{Cc}/u.test(text))
    throw new Error('must be an e-mail address, such as Example <no-reply@example.com>')
  const [, quoted] = /^"(.*)"$/.exec(before.trim()) ?? []
  return { name: quoted?.replace(/\\(.)/g, '$1') ?? before.trim(), address }
}

/** An IP address, with a port or without one. */
export const nameServer: SettingReader<string> = text => {
  try {
    new Resolver().setServers([text])
    return text
  } catch {
    throw new Error(`must list IP addresses, each with a port or without one, not "${shown(text)}"`)
  }
}

/** `main.example`. Browsers would ignore the leading dot of a cookie's domain (RFC 6265bis §5.6.3). */
export const hostName: SettingReader<string> = text => {
  if (
    !/^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/.test(text)
  )
    throw new Error('must be a lower-case host name without scheme, port or leading dot')
  return text
}

/**
 * An IP address or CIDR block. "Every proxy" is not offered: it would let any client choose its own address.
 */
export const proxyAddress: SettingReader<string> = text => {
  const [address = '', prefix] = text.split('/')
  const version = isIP(address)
  const isPrefixFine =
    prefix === undefined ||
    (/^\d+$/.test(prefix) && Number(prefix) > 0 && Number(prefix) <= (version === 4 ? 32 : 128))
  if (version === 0 || !isPrefixFine)
    throw new Error(`must list IP addresses or CIDR blocks, not "${shown(text)}"`)
  return text
}

function shown(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
