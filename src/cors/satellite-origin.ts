import { parse } from 'tldts'
import { isWithin } from '../platform/config/origin.js'
import type { Settings } from '../platform/config/settings.js'
import { ApiError } from '../platform/errors/api-error.js'
import { type Fault, faultOf } from '../platform/errors/field-faults.js'
import { listedOrigins } from './satellite.js'

/** Which origins accounts may register as satellites, and how many. */
export class OriginPolicy {
  readonly maxSatellitesPerAccount: number
  private readonly rules: OriginRules
  private readonly listed: ReadonlySet<string>
  private readonly own: readonly string[]

  constructor(settings: Settings) {
    const { cookieDomain, passkeyRpId, publicUrl, mainOrigin, operators, environment } = settings
    this.maxSatellitesPerAccount = settings.maxSatellitesPerAccount
    const isLenient = environment !== 'production'
    this.own = [mainOrigin, new URL(publicUrl).origin, ...(operators ? [operators.origin] : [])]
    // A page within the domain of passkeys can replace its visitors' passkeys by others.
    const hosts = [
      ...(cookieDomain ? [cookieDomain] : this.own.map(origin => new URL(origin).hostname)),
      passkeyRpId,
    ]
    // In development everything is at localhost.
    this.rules = { ownHosts: hosts.filter(host => !(isLenient && isLocal(host))), isLenient }
    this.listed = listedOrigins(settings)
  }

  /** Throws `INVALID_BODY` with the reason for an origin, or a preview pattern, that no account can have. */
  require(origin: string, kind: 'production' | 'preview'): void {
    const fault = this.faultOf(origin, kind)
    if (fault) throw new ApiError('INVALID_BODY', { errors: [{ field: 'origin', ...fault }] })
  }

  /** Whether the operator has listed it for all accounts. */
  isListed(origin: string): boolean {
    return this.listed.has(origin)
  }

  private faultOf(origin: string, kind: 'production' | 'preview'): Fault | null {
    if (this.own.includes(origin)) return faultOf('ORIGIN_OURS')
    // Whatever its name: it is taken.
    if (this.isListed(origin)) return null
    return kind === 'preview' ? previewPatternFault(origin, this.rules) : originFault(origin, this.rules)
  }
}

interface OriginRules {
  /**
   * Hosts that are ours, with everything under them: the cookie's domain, or the hosts of the API and the
   * main site, and the domain of passkeys.
   */
  readonly ownHosts: readonly string[]
  /** Outside production: http, ports and loopback hosts are allowed. */
  readonly isLenient: boolean
}

/** DNS allows 253 characters for a name. */
const MAX_HOST_LENGTH = 253
/** Public suffixes under which no customer has a site (RFC 7686, RFC 3172). */
const NOT_FOR_SITES = /\.(onion|arpa)$/
/** One asterisk, with or without letters around it, makes up the whole left-most label. */
const WILDCARD_LABEL = /^[a-z0-9-]*\*[a-z0-9-]*$/

/**
 * Why `text` cannot be the origin of a satellite, for the person who typed it; null when it can. It must be
 * byte for byte what browsers send, on a host that one party can own alone.
 */
export function originFault(text: string, rules: OriginRules): Fault | null {
  if (text.includes('*')) return faultOf('ORIGIN_ASTERISK')
  return spellingFault(text) ?? addressFault(new URL(text), rules) ?? hostFault(new URL(text).hostname, rules)
}

/**
 * Like {@link originFault}, for the origins of preview deployments: `https://*.preview.example.com` or
 * `https://shop-*.example.com`. The asterisk stands for letters, digits and hyphens within the left-most
 * label.
 */
export function previewPatternFault(text: string, rules: OriginRules): Fault | null {
  const sample = text.replace('*', 'x')
  if (sample === text) return faultOf('ORIGIN_NO_ASTERISK')
  if (!URL.canParse(sample)) return spellingFault(sample)
  const [label = '', ...rest] = hostOf(text).split('.')
  if (!WILDCARD_LABEL.test(label) || sample.includes('*')) return faultOf('ORIGIN_ASTERISK_PLACE')
  return originFault(sample, rules) ?? hostFault(rest.join('.'), rules)
}

/** The host where a proof is looked up; for a preview pattern, the parent of the preview hosts. */
export function proofHostOf(origin: string): string {
  const host = hostOf(origin)
  return host.includes('*') ? host.slice(host.indexOf('.') + 1) : host
}

function hostOf(origin: string): string {
  return origin.replace(/^https?:\/\//, '').replace(/:\d+$/, '')
}

function spellingFault(text: string): Fault | null {
  if (!URL.canParse(text)) return faultOf('ORIGIN_FORM')
  const { origin, protocol } = new URL(text)
  if (!/^https?:$/.test(protocol)) return faultOf('ORIGIN_PROTOCOL')
  return origin === text ? null : faultOf('ORIGIN_SPELLING', { origin })
}

function addressFault({ protocol, port, hostname }: URL, { isLenient }: OriginRules): Fault | null {
  if (isLenient && isLocal(hostname)) return null
  if (protocol !== 'https:') return faultOf('ORIGIN_NOT_HTTPS')
  return port === '' || isLenient ? null : faultOf('ORIGIN_PORT')
}

function hostFault(host: string, { ownHosts, isLenient }: OriginRules): Fault | null {
  if (host.length > MAX_HOST_LENGTH || host.endsWith('.')) return faultOf('ORIGIN_HOST')
  const own = ownHosts.find(name => isWithin(host, name))
  if (own) return faultOf('ORIGIN_RESERVED', { host: own })
  if (isLenient && isLocal(host)) return null
  const { isIp, domain, isIcann, isPrivate } = parse(host, { allowPrivateDomains: true })
  if (isIp) return faultOf('ORIGIN_IP')
  // Such as corp.internal: looking for the proof would tell outsiders which names there are.
  if (!isLenient && ((!isIcann && !isPrivate) || NOT_FOR_SITES.test(host)))
    return faultOf('ORIGIN_NOT_PUBLIC', { host })
  return domain === null ? faultOf('ORIGIN_SHARED', { host }) : null
}

/** Browsers resolve these to the machine itself (RFC 6761 §6.3). */
function isLocal(host: string): boolean {
  return isWithin(host, 'localhost')
}
