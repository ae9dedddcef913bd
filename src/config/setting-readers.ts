import { isIP } from 'node:net'
import { asOrigin, type Origin } from './origin.js'
import type { SettingReader } from './setting-sheet.js'

export const asText: SettingReader<string> = text => text

export function oneOf<T extends string>(choices: readonly T[]): SettingReader<T> {
  return text => {
    if (!choices.includes(text as T)) throw new Error(`must be one of ${choices.join(', ')}`)
    return text as T
  }
}

export function wholeNumber(least: number, most: number): SettingReader<number> {
  return text => {
    const number = Number(text)
    if (!/^\d+$/.test(text) || number < least || number > most)
      throw new Error(`must be a whole number from ${least} to ${most}`)
    return number
  }
}

export function originOf(allowLoopbackHttp: boolean): SettingReader<Origin> {
  return text => {
    const origin = asOrigin(text, allowLoopbackHttp)
    if (!origin)
      throw new Error(`must list exact https origins such as https://www.example.com, not "${shown(text)}"`)
    return origin
  }
}

export function listOf<T>(read: SettingReader<T>): SettingReader<T[]> {
  return text =>
    text
      .split(',')
      .map(item => item.trim())
      .filter(item => item !== '')
      .map(read)
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

/** A mail server. The only parameter is `tls=off`, so that a typing mistake cannot turn TLS off. */
export const smtpUrl: SettingReader<URL> = text => {
  const url = urlOf('smtp:', 'smtps:')(text)
  for (const [name, value] of url.searchParams)
    if (name !== 'tls' || value !== 'off') throw new Error('must have no parameter other than tls=off')
  return url
}

/** The embedded database, or PostgreSQL; with several hosts, the one that takes writes. */
export const databaseUrl: SettingReader<string> = text => {
  startingWith('pglite:', 'postgres://', 'postgresql://')(text)
  const wanted = /[?&]target_session_attrs=([^&]*)/.exec(text)?.[1] ?? 'read-write'
  if (!['read-write', 'primary'].includes(wanted))
    throw new Error('must not have a target_session_attrs other than read-write')
  return text
}

/** A base URL as text, without a trailing slash. */
export const baseUrl: SettingReader<string> = text => urlOf('https:', 'http:')(text).href.replace(/\/+$/, '')

export function startingWith(...prefixes: string[]): SettingReader<string> {
  return text => {
    if (!prefixes.some(prefix => text.startsWith(prefix)))
      throw new Error(`must start with ${prefixes.join(' or ')}`)
    return text
  }
}

/** A secret of a known kind: one of the `prefixes` and at least `leastLength` characters, never one from an example. */
export function secret(prefixes: readonly string[], leastLength: number): SettingReader<string> {
  return text => {
    startingWith(...prefixes)(text)
    if (text.length < leastLength || /changeme|example|x{8}/i.test(text))
      throw new Error(`must be a real secret of at least ${leastLength} characters`)
    return text
  }
}

/** Like {@link secret}, but not one of our sandbox's, which are published in config/development.env. */
export function productionSecret(prefixes: readonly string[], leastLength: number): SettingReader<string> {
  return text => {
    if (text.includes('payment_sandbox')) throw new Error('is a secret of the payment sandbox')
    return secret(prefixes, leastLength)(text)
  }
}

/** `main.example`: the host name that the cookie is shared under; a leading dot would be ignored by browsers (RFC 6265bis §5.6.3). */
export const cookieDomain: SettingReader<string> = text => {
  if (
    !/^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/.test(text)
  )
    throw new Error('must be a lower-case host name without scheme, port or leading dot')
  return text
}

/** An IP address or CIDR block. "Every proxy" is not offered: it would let any client choose its own address. */
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
