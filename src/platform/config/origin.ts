import { parse } from 'tldts'

/** Whether a host name is this domain, or below it. */
export function isWithin(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`)
}

/** Whether anyone can register a name below this one, as below `co.uk` or `github.io`. */
export function isSharedDomain(hostname: string): boolean {
  const { domain, isIp } = parse(hostname, { allowPrivateDomains: true })
  return domain === null || isIp === true
}

/** A serialised web origin, `scheme://host[:port]`, compared as exact bytes (RFC 6454 §6.2). */
export type Origin = string & { readonly brand: 'Origin' }

/**
 * Where tools serve pages of a site that is being written: Next (3000, 3001), our examples (4000), Angular (4200), Vite
 * (5173), and many others (8080).
 */
export const LOCAL_PORTS = [3000, 3001, 4000, 4200, 5173, 8080]

/** The origins of such pages on this machine. */
export const LOCAL_ORIGINS: readonly Origin[] = LOCAL_PORTS.flatMap(port =>
  ['localhost', '127.0.0.1'].flatMap(host =>
    ['https', 'http'].map(scheme => `${scheme}://${host}:${port}` as Origin),
  ),
)

const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * The text as an origin; null unless it is byte for byte what a browser sends in `Origin`, over https, or
 * over http on a loopback host if `allowLoopbackHttp` is set.
 */
export function asOrigin(text: string, allowLoopbackHttp: boolean): Origin | null {
  if (!URL.canParse(text)) return null
  const { origin, protocol, hostname } = new URL(text)
  // A URL may contain an asterisk, but browsers never send one: an operator who lists it expects a pattern, and
  // there are none.
  if (origin !== text || hostname.includes('*')) return null
  const isSafe =
    protocol === 'https:' || (allowLoopbackHttp && protocol === 'http:' && isOnThisMachine(hostname))
  return isSafe ? (text as Origin) : null
}

/**
 * Browsers never look up names below `localhost` (RFC 6761 §6.3); other programs may, so for them only
 * `localhost` itself is on this machine.
 */
function isOnThisMachine(hostname: string): boolean {
  return isLoopback(hostname) || isWithin(hostname, 'localhost')
}

export function isLoopback(hostname: string): boolean {
  return LOOPBACK_HOSTS.has(hostname)
}

/** The host as sockets and resolvers take it: an IPv6 address without the brackets that it has in a URL. */
export function hostOf({ hostname }: Pick<URL, 'hostname'>): string {
  return hostname.replace(/^\[|\]$/g, '')
}
