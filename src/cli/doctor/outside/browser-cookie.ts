import { parse } from 'tldts'
import { isWithin } from '../../../platform/config/domain.js'

/** A `Set-Cookie` line, as a browser reads it (RFC 6265bis §5.6). */
export interface ReadCookie {
  readonly name: string
  /** Names in lower case; an attribute without a value has an empty one. */
  readonly attributes: ReadonlyMap<string, string>
}

export function readCookie(line: string): ReadCookie {
  const [pair = '', ...rest] = line.split(';')
  const attributes = rest.map(part => {
    const [name = '', ...value] = part.split('=')
    return [name.trim().toLowerCase(), value.join('=').trim()] as const
  })
  return { name: pair.slice(0, Math.max(0, pair.indexOf('='))).trim(), attributes: new Map(attributes) }
}

/**
 * Why a browser would not keep a cookie that the server of `url` sets; null when it would (RFC 6265bis §5.7).
 */
export function reasonToRefuse({ name, attributes }: ReadCookie, url: URL): string | null {
  const domain = attributes.get('domain')?.replace(/^\./, '').toLowerCase() ?? ''
  const isSecure = attributes.has('secure')
  if (isSecure && !isTrustworthy(url)) return `it is Secure, and ${url.origin} is not https`
  if (domain !== '' && !covers(domain, url.hostname))
    return `its Domain ${domain} does not cover ${url.hostname}`
  if (domain !== '' && domain !== url.hostname && isPublicSuffix(domain))
    return `its Domain ${domain} is shared by everybody who has a name under it`
  if (attributes.get('samesite')?.toLowerCase() === 'none' && !isSecure)
    return 'it has SameSite=None without Secure'
  if (/^__secure-/i.test(name) && !isSecure) return 'a __Secure- cookie must be Secure'
  const isHostPrefixed = /^__host-/i.test(name)
  if (isHostPrefixed && !(isSecure && domain === '' && attributes.get('path') === '/'))
    return 'a __Host- cookie must be Secure, have Path=/ and no Domain'
  return null
}

/** Whether pages of one are on the same site as the other, so that `SameSite=Lax` cookies are sent. */
export function isSameSite(one: URL, other: URL): boolean {
  return one.protocol === other.protocol && siteOf(one.hostname) === siteOf(other.hostname)
}

/** Whether a cookie of this domain is sent to the host (RFC 6265bis §5.1.3). */
function covers(domain: string, host: string): boolean {
  return host === domain || (isWithin(host, domain) && !parse(host).isIp)
}

function siteOf(host: string): string {
  return parse(host, { allowPrivateDomains: true }).domain ?? host
}

function isPublicSuffix(domain: string): boolean {
  return parse(domain, { allowPrivateDomains: true }).publicSuffix === domain
}

/** Browsers treat this machine as if it were https. */
function isTrustworthy({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
