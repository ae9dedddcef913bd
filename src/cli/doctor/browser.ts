import { parse } from 'tldts'
import { isWithin } from '../../platform/config/origin.js'
import type { Settings } from '../../platform/config/settings.js'
import { type Finding, fault, ok, skipped } from './finding.js'
import { doctorToken, type HttpAnswer, type Outside } from './probe.js'

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']
const COOKIE = 'cookie'
const COOKIE_NAME = 'sessionId'
/** Of no site: the name is reserved (RFC 6761 §6.4). */
const UNKNOWN_ORIGIN = 'https://doctor.invalid'
const PROXY = 'Take CORS out of the proxy: the service answers preflights itself'

/** Preflights of the main site, of a satellite if there is one, and of an unknown origin, as they arrive through all proxies. */
export async function checkPreflights(outside: Outside, satellite: string | null): Promise<Finding[]> {
  const { mainOrigin } = outside.settings
  const expected: Expected[] = [
    { origin: mainOrigin, headers: ['Content-Type', 'Authorization'], hasCredentials: true },
    ...(satellite
      ? [
          {
            origin: satellite,
            headers: ['Content-Type', 'Authorization', 'X-Session-ID'],
            hasCredentials: false,
          },
        ]
      : []),
  ]
  const answered = await Promise.all(expected.map(each => checkPreflight(outside, each)))
  return [...answered, await checkUnknownOrigin(outside)]
}

async function checkPreflight(outside: Outside, expected: Expected): Promise<Finding> {
  const answer = await preflight(outside, expected.origin, expected.headers)
  const faults = faultsOf(answer, expected)
  if (faults.length === 0) return ok('cors.preflight', `pages of ${expected.origin} may ask`)
  return fault('cors.preflight', `The preflight of ${expected.origin}: ${faults.join(', ')}`, PROXY)
}

function preflight(outside: Outside, origin: string, headers: readonly string[]): Promise<HttpAnswer> {
  return outside.ask({
    method: 'OPTIONS',
    path: '/api/login',
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': headers.join(', ').toLowerCase(),
    },
  })
}

interface Expected {
  readonly origin: string
  readonly headers: readonly string[]
  readonly hasCredentials: boolean
}

function faultsOf({ status, headers }: HttpAnswer, expected: Expected): string[] {
  const allowed = listOf(headers['access-control-allow-headers'])
  const methods = listOf(headers['access-control-allow-methods'])
  const credentials = headers['access-control-allow-credentials']
  const missing = [
    ...expected.headers.filter(name => !allowed.includes(name.toLowerCase())),
    ...METHODS.filter(name => !methods.includes(name.toLowerCase())),
  ]
  return [
    ...(status >= 200 && status < 300 ? [] : [`status ${status}`]),
    ...(headers['access-control-allow-origin'] === expected.origin
      ? []
      : [`allows ${headers['access-control-allow-origin'] ?? 'no origin'}`]),
    ...(missing.length > 0 ? [`does not allow ${missing.join(', ')}`] : []),
    ...((credentials === 'true') === expected.hasCredentials
      ? []
      : [`credentials are ${credentials === 'true' ? '' : 'not '}allowed`]),
  ]
}

function listOf(header: string | undefined): string[] {
  return (header ?? '').split(',').map(item => item.trim().toLowerCase())
}

/** A proxy that allows any origin would let any page act as its visitor. */
async function checkUnknownOrigin(outside: Outside): Promise<Finding> {
  const check = 'cors.strangers'
  const { headers } = await preflight(outside, UNKNOWN_ORIGIN, ['Content-Type'])
  const allowed = headers['access-control-allow-origin']
  if (allowed === undefined) return ok(check, 'pages of other origins are refused')
  return fault(check, `A page of ${UNKNOWN_ORIGIN} is allowed (${allowed})`, PROXY)
}

/**
 * Whether answers that depend on the origin say so, so that no cache gives one site's answer to another. Checked
 * with the list of public keys, the only answer that may be cached.
 */
export async function checkVary(outside: Outside, satellite: string | null): Promise<Finding[]> {
  const check = 'cors.vary'
  const origins = [null, outside.settings.mainOrigin, ...(satellite ? [satellite] : [])]
  const answers = await Promise.all(
    origins.map(async origin => ({
      origin,
      answer: await outside.ask({
        path: '/.well-known/jwks.json',
        headers: origin === null ? {} : { Origin: origin },
      }),
    })),
  )
  const unvaried = answers.filter(({ answer }) => !listOf(answer.headers.vary).includes('origin'))
  const confused = answers.filter(
    ({ origin, answer }) => (answer.headers['access-control-allow-origin'] ?? null) !== origin,
  )
  if (unvaried.length > 0)
    return [
      fault(
        check,
        'An answer has no Vary: Origin, so caches and browsers give it to other sites',
        'Let the proxy pass Vary on',
      ),
    ]
  if (confused.length === 0) return [ok(check, 'answers vary by Origin')]
  const saw = `An answer for ${confused[0]?.origin ?? 'no origin'} is that of another origin`
  return [fault(check, saw, 'Let the cache in front of the service heed Vary: Origin')]
}

/** Whether the main site's pages can have a cookie of the API at all, by the settings alone. */
export function checkSites({ mainOrigin, publicUrl }: Settings): Finding[] {
  const check = 'cookie.site'
  if (isSameSite(new URL(mainOrigin), new URL(publicUrl)))
    return [ok(check, 'main site and API are the same site')]
  return [
    fault(
      check,
      `Browsers send no cookie from ${mainOrigin} to ${publicUrl}: they are different sites`,
      'Serve the API under the domain of the main site',
    ),
  ]
}

/**
 * Checks the session cookie, as it arrives through all proxies, against a browser's rules. It comes from a
 * logout, which clears it with the same attributes as it is set with; there is no such session, so nothing
 * changes.
 */
export async function checkCookie(outside: Outside): Promise<Finding[]> {
  const { settings, clock } = outside
  const { reasonForNoToken } = outside
  if (reasonForNoToken !== null) return [skipped(COOKIE, reasonForNoToken)]
  const token = await doctorToken(settings, clock.now()).catch(() => null)
  if (token === null) return [skipped(COOKIE, 'JWT_KEYS_FILE cannot be used')]
  const { status, setCookies } = await outside.ask({
    method: 'POST',
    path: '/api/logout',
    headers: { Authorization: `Bearer ${token}`, Origin: settings.mainOrigin },
  })
  // keys.agreement says why.
  if (status === 401) return [skipped(COOKIE, 'the service does not accept a token of JWT_KEYS_FILE')]
  if (status !== 204)
    return [fault(COOKIE, `A logout is answered ${status}`, 'Look at the log of the service')]
  const cookies = setCookies.map(readCookie).filter(({ name }) => name === COOKIE_NAME)
  return cookieFindings(cookies, outside.origin, settings)
}

function cookieFindings(cookies: readonly ReadCookie[], origin: URL, settings: Settings): Finding[] {
  const [cookie] = cookies
  const todo = 'Let the proxy pass Set-Cookie on as it is'
  if (!cookie || cookies.length > 1)
    return [fault(COOKIE, `The session cookie arrives ${cookies.length} times`, todo)]
  const refusal = reasonToRefuse(cookie, origin)
  if (refusal !== null)
    return [
      fault(
        COOKIE,
        `A browser would not keep the session cookie: ${refusal}`,
        'Correct COOKIE_DOMAIN and the proxy',
      ),
    ]
  const wrong = wrongAttributes(cookie, settings)
  if (wrong.length === 0) return [ok(COOKIE, `a browser keeps the session cookie of ${origin.host}`)]
  return [fault(COOKIE, `The session cookie arrives ${wrong.join(', ')}`, todo)]
}

function wrongAttributes({ attributes }: ReadCookie, { cookieDomain }: Settings): string[] {
  const domain = attributes.get('domain')?.replace(/^\./, '') || null
  return [
    ...(attributes.has('httponly') ? [] : ['without HttpOnly']),
    ...(attributes.has('secure') ? [] : ['without Secure']),
    ...(attributes.get('samesite')?.toLowerCase() === 'lax' ? [] : ['without SameSite=Lax']),
    ...(attributes.get('path') === '/' ? [] : [`with Path=${attributes.get('path') ?? ''}`]),
    ...(domain === cookieDomain
      ? []
      : [`with Domain ${domain ?? 'unset'} (COOKIE_DOMAIN is ${cookieDomain ?? 'empty'})`]),
  ]
}

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
