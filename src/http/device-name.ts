import Bowser from 'bowser'
import { shortUserAgent } from './client.js'

const UNKNOWN = 'Unknown device'

/** The first product of a client that is no browser, `MainstayApp/2.1 …`, or of a robot, `(compatible; SomeBot/1.0; …`. */
const OWN_NAME = /^(?:\(compatible; )?(?!Mozilla)([A-Za-z][\w. -]{0,29})\/[\dv]/

/** Of texts that it does not know the parser calls any first word a browser. */
const BROWSERS: ReadonlySet<string | undefined> = new Set(Object.values(Bowser.BROWSER_MAP))

/** Names that say too much, or nothing to people. */
const PLAIN_NAMES: ReadonlyMap<string, string> = new Map([
  ['Microsoft Edge', 'Edge'],
  ['Samsung Internet for Android', 'Samsung Internet'],
  // What the parser says of an Android web view; the browser of that name is long gone.
  ['Android Browser', 'App'],
  ['Dalvik', 'App'],
  ['okhttp', 'App (okhttp)'],
])

/**
 * The client in words, such as `Chrome on Windows`, `Safari on iPhone`, `MainstayApp on Android` or `curl`; `Unknown device`
 * when the text does not say. The same for a whole User-Agent and for the part of it that a session keeps. Without
 * versions, so that an update does not make a new device of an old one. It is only what the client claims.
 */
export function deviceName(userAgent: string | null): string {
  const text = shortUserAgent(userAgent ?? undefined)?.replaceAll('%20', ' ')
  if (!text) return UNKNOWN
  const { browser, os, platform } = Bowser.parse(text)
  const name = OWN_NAME.exec(text)?.[1] ?? (BROWSERS.has(browser.name) ? browser.name : undefined)
  const plainName = name && (PLAIN_NAMES.get(name) ?? harmless(name))
  const system = os.name === 'iOS' ? (platform.model ?? 'iOS') : (os.name ?? appleSystem(text))
  if (!system || platform.type === 'bot') return plainName ?? UNKNOWN
  return `${plainName ?? 'App'} on ${system}`
}

/** Mail programs make links of what looks like a domain, and of long numbers: a stranger could lead people anywhere with our mails. */
function harmless(name: string): string {
  return (
    name
      .replace(/[._]+/g, ' ')
      .replace(/\d{4,}/g, '')
      .replace(/ +/g, ' ')
      .trim() || UNKNOWN
  )
}

/** What apps say where browsers name the device; Darwin is what iPhones and Macs have in common. */
function appleSystem(text: string): string | undefined {
  if (/\biOS\b/.test(text)) return 'iOS'
  return /\bDarwin\//.test(text) ? 'an Apple device' : undefined
}
