import type { Settings } from '../../../platform/config/settings.js'
import { type Finding, fault, ok, skipped } from '../finding.js'
import { isSameSite, type ReadCookie, readCookie, reasonToRefuse } from './browser-cookie.js'
import { doctorToken } from './doctor-token.js'
import type { Outside } from './outside.js'

const CHECK = 'cookie'
const NAME = 'sessionId'

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
  if (reasonForNoToken !== null) return [skipped(CHECK, reasonForNoToken)]
  const token = await doctorToken(settings, clock.now()).catch(() => null)
  if (token === null) return [skipped(CHECK, 'JWT_KEYS_FILE cannot be used')]
  const { status, setCookies } = await outside.ask({
    method: 'POST',
    path: '/api/logout',
    headers: { Authorization: `Bearer ${token}`, Origin: settings.mainOrigin },
  })
  // keys.agreement says why.
  if (status === 401) return [skipped(CHECK, 'the service does not accept a token of JWT_KEYS_FILE')]
  if (status !== 204)
    return [fault(CHECK, `A logout is answered ${status}`, 'Look at the log of the service')]
  const cookies = setCookies.map(readCookie).filter(({ name }) => name === NAME)
  return cookieFindings(cookies, outside.origin, settings)
}

function cookieFindings(cookies: readonly ReadCookie[], origin: URL, settings: Settings): Finding[] {
  const [cookie] = cookies
  const todo = 'Let the proxy pass Set-Cookie on as it is'
  if (!cookie || cookies.length > 1)
    return [fault(CHECK, `The session cookie arrives ${cookies.length} times`, todo)]
  const refusal = reasonToRefuse(cookie, origin)
  if (refusal !== null)
    return [
      fault(
        CHECK,
        `A browser would not keep the session cookie: ${refusal}`,
        'Correct COOKIE_DOMAIN and the proxy',
      ),
    ]
  const wrong = wrongAttributes(cookie, settings)
  if (wrong.length === 0) return [ok(CHECK, `a browser keeps the session cookie of ${origin.host}`)]
  return [fault(CHECK, `The session cookie arrives ${wrong.join(', ')}`, todo)]
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
