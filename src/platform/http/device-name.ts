import Bowser from 'bowser'
import { shortUserAgent } from './client.js'

/** What {@link deviceName} returns when it cannot tell. */
export const UNKNOWN_DEVICE = 'Unknown device'

/**
 * The first product of a client that is not a browser, `MainstayApp/2.1 …`, or of a robot,
 * `(compatible; SomeBot/1.0; …`.
 */
const OWN_NAME = /^(?:\(compatible; )?(?!Mozilla)([A-Za-z][\w. -]{0,29})\/[\dv]/

/** For a text that it does not know, the parser reports any first word as a browser. */
const BROWSERS: ReadonlySet<string | undefined> = new Set(Object.values(Bowser.BROWSER_MAP))

/** Names that are too detailed, or mean nothing to people. */
const PLAIN_NAMES: ReadonlyMap<string, string> = new Map([
  ['Microsoft Edge', 'Edge'],
  ['Samsung Internet for Android', 'Samsung Internet'],
  // The parser's name for an Android web view, after a browser that no longer exists.
  ['Android Browser', 'App'],
  ['Dalvik', 'App'],
  ['okhttp', 'App (okhttp)'],
])

/**
 * A readable name for the client, such as `Chrome on Windows`, `Safari on iPhone`, `MainstayApp on Android`
 * or `curl`; `Unknown device` when the text does not name one. The same for a full User-Agent and for the
 * part of it that a session keeps. Without versions, so that an update does not look like a new device. It is
 * only what the client claims.
 */
export function deviceName(userAgent: string | null): string {
  const text = shortUserAgent(userAgent ?? undefined)?.replaceAll('%20', ' ')
  if (!text) return UNKNOWN_DEVICE
  const { browser, os, platform } = Bowser.parse(text)
  const name = OWN_NAME.exec(text)?.[1] ?? (BROWSERS.has(browser.name) ? browser.name : undefined)
  const plainName = name && (PLAIN_NAMES.get(name) ?? withoutLinkLikeText(name))
  const system = os.name === 'iOS' ? (platform.model ?? 'iOS') : (os.name ?? appleSystem(text))
  if (!system || platform.type === 'bot') return plainName ?? UNKNOWN_DEVICE
  return `${plainName ?? 'App'} on ${system}`
}

/**
 * Mail programs turn long numbers, and anything that looks like a domain, into links; strangers could use our
 * mails to lead people anywhere.
 */
function withoutLinkLikeText(name: string): string {
  return (
    name
      .replace(/[._]+/g, ' ')
      .replace(/\d{4,}/g, '')
      .replace(/ +/g, ' ')
      .trim() || UNKNOWN_DEVICE
  )
}

/** Apps send this where browsers name the device; iPhones and Macs both say Darwin. */
function appleSystem(text: string): string | undefined {
  if (/\biOS\b/.test(text)) return 'iOS'
  return /\bDarwin\//.test(text) ? 'an Apple device' : undefined
}
