/** What the service takes of an address, besides its origin (src/billing/checkout.ts). */
const ACCEPTABLE = /^[\x21-\x5b\x5d-\x7e]{1,2048}$/

/**
 * The address in the form that the service takes, so that no plan is chosen in vain; null if there is none. An address
 * with `ü` or a space is written as a browser would; others keep their bytes.
 */
export function acceptableReturn(text: string): string | null {
  if (!URL.canParse(text)) return null
  const { protocol, origin, href, username, password } = new URL(text)
  if (!/^https?:$/.test(protocol) || username || password) return null
  const isAcceptable = ACCEPTABLE.test(text) && /^([/?#]|$)/.test(text.slice(origin.length))
  // A browser leaves the backslash in a query and in a fragment.
  const url = isAcceptable && text.startsWith(origin) ? text : href.replaceAll('\\', '%5C')
  return ACCEPTABLE.test(url) ? url : null
}
