import type { KnownOrigins } from '../../cors/cors.module.js'

const MAX_LENGTH = 2_048
/**
 * Printable ASCII without the backslash, which browsers read as a slash. Only a path, query or fragment may
 * follow the origin.
 */
const SAFE_TEXT = /^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/

/** Origin, path, query with its question mark, fragment with its hash. */
const PARTS = /^(\w+:\/\/[^/?#]*)([^?#]*)(\?[^#]*)?(.*)$/s

/**
 * Whether the browser may be sent here after payment: an absolute URL that starts, byte for byte, with a
 * known origin, and has no user name. Known origins are https, except loopback hosts in development.
 */
export function isSafeReturnUrl(text: string, { mainOrigin, satellites }: KnownOrigins): boolean {
  if (text.length > MAX_LENGTH || !SAFE_TEXT.test(text) || !URL.canParse(text)) return false
  const { origin } = new URL(text)
  const isKnown = origin === mainOrigin || satellites.has(origin)
  // A user name would stand between the slashes and the host.
  return isKnown && text.startsWith(origin) && /^([/?#]|$)/.test(text.slice(origin.length))
}

/** The address with `checkout=<id>` in its query, for a return after payment. */
export function withCheckout(returnUrl: string, checkoutId: string): string {
  return withParameter(returnUrl, 'checkout', checkoutId)
}

/**
 * The address with `portal=closed` in its query, for a return from the portal, where the plan may have
 * changed.
 */
export function withPortal(returnUrl: string): string {
  return withParameter(returnUrl, 'portal', 'closed')
}

/**
 * The address with its bytes as they were given, because its site may have signed them, or may read them in its own
 * way: `URL.searchParams` would write the whole query anew.
 */
function withParameter(address: string, name: string, value: string): string {
  const [, start, path, given = '', fragment] = PARTS.exec(address) as RegExpExecArray
  const query = given
    .slice(1)
    .split('&')
    .filter(parameter => !new URLSearchParams(parameter).has(name))
    .join('&')
  const separator = query === '' || query.endsWith('&') ? '' : '&'
  return `${start}${path || '/'}?${query}${separator}${name}=${value}${fragment}`
}
