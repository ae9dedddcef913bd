import { type Finding, fault, ok } from '../finding.js'
import type { HttpAnswer } from './http-probe.js'
import type { Outside } from './outside.js'

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']
/** Nobody can have it (RFC 6761 §6.4). */
const STRANGER = 'https://doctor.invalid'
const PROXY = 'Take CORS out of the proxy: the service answers preflights itself'

interface Expected {
  readonly origin: string
  readonly headers: readonly string[]
  readonly hasCredentials: boolean
}

/** Preflights of the main site, of a satellite if there is one, and of a stranger, as they arrive through all proxies. */
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
  return [...answered, await checkStranger(outside)]
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
async function checkStranger(outside: Outside): Promise<Finding> {
  const check = 'cors.strangers'
  const { headers } = await preflight(outside, STRANGER, ['Content-Type'])
  const allowed = headers['access-control-allow-origin']
  if (allowed === undefined) return ok(check, 'pages of strangers are refused')
  return fault(check, `A page of ${STRANGER} is allowed (${allowed})`, PROXY)
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
