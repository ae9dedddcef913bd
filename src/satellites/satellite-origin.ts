import { parse } from 'tldts'

export interface OriginRules {
  /**
   * Hosts that are ours with everything under them: the cookie's domain, or those of the API and the main
   * site.
   */
  readonly ownHosts: readonly string[]
  /** Outside production: http, ports and loopback hosts are fine. */
  readonly isLenient: boolean
}

/** DNS allows 253 characters for a name. */
const MAX_HOST_LENGTH = 253
/** One asterisk, with or without letters around it, is the whole left-most label. */
const WILDCARD_LABEL = /^[a-z0-9-]*\*[a-z0-9-]*$/

/**
 * Why `text` cannot be the origin of a satellite, as a sentence for whoever typed it; null when it can. It
 * must be byte for byte what browsers send, on a host that somebody can own alone.
 */
export function originFault(text: string, rules: OriginRules): string | null {
  if (text.includes('*')) return 'Only a preview satellite may have an asterisk in its origin'
  return spellingFault(text) ?? addressFault(new URL(text), rules) ?? hostFault(new URL(text).hostname, rules)
}

/**
 * Like {@link originFault}, for the origins of preview deployments: `https://*.preview.example.com` or
 * `https://shop-*.example.com`. The asterisk stands for letters, digits and hyphens within the left-most
 * label.
 */
export function previewPatternFault(text: string, rules: OriginRules): string | null {
  const sample = text.replace('*', 'x')
  if (sample === text)
    return 'The origin of a preview satellite has one asterisk: https://*.preview.example.com'
  if (!URL.canParse(sample)) return spellingFault(sample)
  const [label = '', ...rest] = hostOf(text).split('.')
  if (!WILDCARD_LABEL.test(label) || sample.includes('*'))
    return 'There may be one asterisk, in the left-most label of the host'
  return originFault(sample, rules) ?? hostFault(rest.join('.'), rules)
}

/** The host that a proof is looked up at; of a preview pattern the one below which the previews are. */
export function proofHostOf(origin: string): string {
  const host = hostOf(origin)
  return host.includes('*') ? host.slice(host.indexOf('.') + 1) : host
}

function hostOf(origin: string): string {
  return origin.replace(/^https?:\/\//, '').replace(/:\d+$/, '')
}

function spellingFault(text: string): string | null {
  if (!URL.canParse(text)) return 'This is not an origin, such as https://shop.example.com'
  const { origin, protocol } = new URL(text)
  if (!/^https?:$/.test(protocol)) return 'An origin begins with https://'
  return origin === text ? null : `Browsers send this origin as ${origin}`
}

function addressFault({ protocol, port, hostname }: URL, { isLenient }: OriginRules): string | null {
  if (isLenient && isLocal(hostname)) return null
  if (protocol !== 'https:') return 'A satellite must use https'
  return port === '' || isLenient ? null : 'A satellite must use port 443'
}

function hostFault(host: string, { ownHosts, isLenient }: OriginRules): string | null {
  if (host.length > MAX_HOST_LENGTH || host.endsWith('.')) return 'This is not the name of a host'
  const own = ownHosts.find(name => host === name || host.endsWith(`.${name}`))
  if (own) return `${own} belongs to this service, with everything under it`
  if (isLenient && isLocal(host)) return null
  const { isIp, domain } = parse(host, { allowPrivateDomains: true })
  if (isIp) return 'An IP address cannot be a satellite; it needs a name'
  return domain === null ? `${host} is shared by everybody who has a name under it` : null
}

/** Browsers resolve these to the machine itself (RFC 6761 §6.3). */
export function isLocal(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost')
}
