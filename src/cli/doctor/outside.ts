import { ALGORITHM } from '@mainstay-auth/verify/token-rules'
import { listedOrigins } from '../../cors/satellite.js'
import { isLoopback } from '../../platform/config/origin.js'
import type { Settings } from '../../platform/config/settings.js'
import { causeMessage } from '../../platform/errors/api-error.js'
import { loadKeys, PUBLISH_BEFORE_USE_SECONDS, verifiesUntil } from '../../tokens/signing-keys.js'
import { checkCookie, checkPreflights, checkVary } from './browser.js'
import { withPostgres } from './database.js'
import {
  type Check,
  certificateFinding,
  compareClocks,
  type Finding,
  fault,
  notStarted,
  ok,
  runInTurn,
  skipped,
  warning,
} from './finding.js'
import { ask, doctorToken, type HttpAnswer, type Outside } from './probe.js'

const REMEDY = 'Look at the proxy and the log of the service'

/** Everything about the running service as its clients reach it. It sends no password and changes nothing. */
export function outsideCheck(outside: Outside): Check {
  return { name: 'service.answer', todo: REMEDY, isGroup: true, run: () => checkOutside(outside) }
}

async function checkOutside(outside: Outside): Promise<Finding[]> {
  let reached: Finding[]
  try {
    reached = await checkHttps(outside)
  } catch (error) {
    const check = 'service.answer'
    const saw = `${outside.origin.href} cannot be reached: ${causeMessage(error)}`
    return [
      notStarted(check, outside.settings, outside.origin, error) ??
        fault(check, saw, 'Start the service, or correct its name and proxy'),
      skipped('service', 'nothing more can be asked from outside'),
    ]
  }
  const satellite = await openSatellite(outside.settings)
  const checks: Check[] = [
    { name: 'cors.preflight', todo: REMEDY, run: () => checkPreflights(outside, satellite) },
    { name: 'cors.vary', todo: REMEDY, run: () => checkVary(outside, satellite) },
    { name: 'cookie', todo: REMEDY, run: () => checkCookie(outside) },
    { name: 'keys.published', todo: REMEDY, run: () => checkJwks(outside) },
    { name: 'keys.agreement', todo: REMEDY, run: () => checkAgreement(outside) },
  ]
  return [...reached, ...(await runInTurn(checks))]
}

const LIVE = { path: '/health/live' }
/** What the service itself sends, and what browsers' preload lists ask for. */
const HSTS_SECONDS = 31_536_000
/** Error codes of node:tls and OpenSSL for certificates that a browser would refuse too. */
const CERTIFICATE_CODES = /CERT|SIGNED|SIGNATURE|ISSUER|ALTNAME|HOSTNAME|UNABLE_TO_/

/** Whether anything answers, and with which certificate. Rejects when nothing does. */
async function checkHttps(outside: Outside): Promise<Finding[]> {
  const { origin, clock } = outside
  const { answer, refusal } = await askOnce(outside)
  return [
    addressFinding(outside),
    ...(refusal ? [refusal] : protocolFindings(origin, answer, clock.now())),
    ...(origin.protocol === 'https:' ? [hstsFinding(answer), ...(await checkPlainHttp(outside))] : []),
    answer.status === 200
      ? ok('service.answer', `${origin.href} answers`)
      : fault(
          'service.answer',
          `${origin.href} answers ${answer.status} to ${LIVE.path}`,
          'Look at the proxy: it must send every path to the service',
        ),
    clockFinding(answer),
  ]
}

/** A certificate that is not valid is a finding, and the rest is checked all the same. */
async function askOnce(outside: Outside): Promise<{ answer: HttpAnswer; refusal?: Finding }> {
  try {
    return { answer: await outside.ask(LIVE) }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!CERTIFICATE_CODES.test(code)) throw error
    outside.isUnverified = true
    const saw = `The certificate of ${outside.origin.host} is not valid: ${causeMessage(error)}`
    const refusal = fault('https.certificate', saw, 'Serve a valid certificate for this name, with its chain')
    return { answer: await outside.ask(LIVE), refusal }
  }
}

function addressFinding({ origin, isPublicUrl, settings: { publicUrl } }: Outside): Finding {
  const check = 'service.address'
  if (isPublicUrl) return ok(check, `${publicUrl} is PUBLIC_URL`)
  return warning(
    check,
    `${origin.href} is not PUBLIC_URL (${publicUrl})`,
    'Run doctor with PUBLIC_URL too: clients and the provider use that',
  )
}

function protocolFindings(origin: URL, { certificate }: HttpAnswer, now: Date): Finding[] {
  if (certificate) return [certificateFinding('https.certificate', certificate, origin.href, now)]
  if (origin.protocol === 'https:') return [ok('https.certificate', 'asked without TLS where --at leads')]
  if (isLoopback(origin.hostname)) return [ok('https.certificate', 'this machine needs no https')]
  return [
    fault(
      'https.certificate',
      `${origin.host} is served without TLS: browsers do not keep the cookie, and tokens can be read`,
      'Serve it over https alone',
    ),
  ]
}

function hstsFinding({ headers }: HttpAnswer): Finding {
  const check = 'https.hsts'
  const header = headers['strict-transport-security']
  if (header === undefined)
    return fault(
      check,
      'The answers have no Strict-Transport-Security',
      'Let the proxy pass the header of the service on',
    )
  const maxAge = Number(/max-age="?(\d+)/i.exec(header)?.[1] ?? 0)
  if (maxAge >= HSTS_SECONDS) return ok(check, header)
  return warning(check, `Strict-Transport-Security is ${header}`, `Make max-age at least ${HSTS_SECONDS}`)
}

/** A user who types the name without https must not get an answer from the API. */
async function checkPlainHttp({ target, origin }: Outside): Promise<Finding[]> {
  const check = 'https.only'
  if (origin.port !== '' || target.at) return []
  const plain = new URL(origin)
  plain.protocol = 'http:'
  const answer = await ask({ ...target, origin: plain }, LIVE).catch(() => null)
  if (answer === null) return [ok(check, 'nothing answers over http')]
  const isSentOn = answer.status >= 300 && /^https:/i.test(answer.headers.location ?? '')
  if (isSentOn || answer.status >= 400) return [ok(check, `http is answered ${answer.status}`)]
  const saw = `${plain.href} is answered ${answer.status} without TLS`
  return [fault(check, saw, 'Let the proxy send http on to https, or refuse it')]
}

function clockFinding({ headers, sentAt, answeredAt }: HttpAnswer): Finding {
  const there = new Date(headers.date ?? Number.NaN)
  if (Number.isNaN(there.getTime()))
    return warning('clock.service', 'The answers have no Date', 'Let the proxy pass it on')
  return compareClocks('clock.service', 'The service', {
    before: sentAt,
    there,
    after: answeredAt,
    resolutionSeconds: 1,
  })
}

/**
 * The first origin of ALLOWED_ORIGINS whose pages the service has to answer; null when there is none. While the
 * database cannot be asked, which is reported elsewhere, none counts as suspended.
 */
async function openSatellite(settings: Settings): Promise<string | null> {
  const listed = [...listedOrigins(settings)]
  const suspended = await suspendedOf(listed, settings.databaseUrl).catch((): string[] => [])
  return listed.find(origin => !suspended.includes(origin)) ?? null
}

/** A registered satellite takes precedence over the list. */
async function suspendedOf(origins: readonly string[], databaseUrl: string): Promise<string[]> {
  if (origins.length === 0 || databaseUrl.startsWith('pglite:')) return []
  const rows = await withPostgres(databaseUrl, postgres =>
    postgres.rows<{ origin: string }>(
      `select origin from satellites where state = 'suspended' and origin = any($1)`,
      [origins],
    ),
  )
  return rows.map(({ origin }) => origin)
}

const JWKS_PATH = '/.well-known/jwks.json'
/**
 * This many connections reach any one of four replicas with a probability of 97 %, even if replicas are chosen at
 * random.
 */
const CONNECTIONS = 12
const SAME_KEYS = 'Give all replicas the same JWT_KEYS_FILE, and the same JWT_ISSUER and JWT_AUDIENCE'

type PublicKey = Readonly<Record<string, unknown>>

/** The list of public keys, as other backends fetch it. */
async function checkJwks(outside: Outside): Promise<Finding[]> {
  const check = 'keys.published'
  const answer = await outside.ask({ path: JWKS_PATH })
  const keys = keysIn(answer)
  if (!keys)
    return [
      fault(
        check,
        `${JWKS_PATH} is answered ${answer.status} and is no key list`,
        'Let the proxy pass that path on',
      ),
    ]
  if (keys.some(({ d }) => d !== undefined))
    return [
      fault(check, `${JWKS_PATH} shows a private key`, 'Run keys:replace --now, and find out what serves it'),
    ]
  if (!keys.every(({ kty, crv, alg, kid }) => kty === 'EC' && crv === 'P-256' && alg === ALGORITHM && kid))
    return [fault(check, `${JWKS_PATH} has keys that are not ours`, 'Look at what serves that path')]
  return [ok(check, `${keys.length} public keys`), cacheFinding(answer)]
}

function keysIn({ status, text }: HttpAnswer): PublicKey[] | null {
  try {
    const { keys } = JSON.parse(text) as { keys?: PublicKey[] }
    return status === 200 && Array.isArray(keys) && keys.length > 0 ? keys : null
  } catch {
    return null
  }
}

/** A key starts to sign ten minutes after it is published, so no cache may keep the list for longer. */
function cacheFinding({ headers }: HttpAnswer): Finding {
  const check = 'keys.cache'
  const ages = (headers['cache-control'] ?? '').matchAll(/(?:s-maxage|max-age)="?(\d+)/gi)
  const maxAge = Math.max(0, ...[...ages].map(([, seconds]) => Number(seconds)))
  const age = Number(headers.age ?? 0)
  if (maxAge <= PUBLISH_BEFORE_USE_SECONDS && age <= PUBLISH_BEFORE_USE_SECONDS)
    return ok(check, `the list is kept for ${maxAge} s`)
  return fault(
    check,
    `The list of keys is kept for ${Math.max(maxAge, age)} s: a rotation would break other backends`,
    `Let no cache keep it for longer than ${PUBLISH_BEFORE_USE_SECONDS} s`,
  )
}

/**
 * Whether all replicas have the keys of this machine: each publishes exactly those, and accepts a token that the
 * current one has signed. Asked on many new connections, which the load balancer distributes, and at each replica
 * that was named.
 */
async function checkAgreement(outside: Outside): Promise<Finding[]> {
  const check = 'keys.agreement'
  const { settings, clock, replicas } = outside
  const now = clock.now()
  const ours = await publishedHere(settings, now).catch(() => null)
  if (!ours) return [skipped(check, 'JWT_KEYS_FILE cannot be used')]
  const token = outside.reasonForNoToken === null ? await doctorToken(settings, now) : null
  const targets = [...Array.from({ length: CONNECTIONS }, () => null), ...replicas]
  const disagreeing = await Promise.all(
    targets.map(async replica => {
      const reason = await disagreement(outside, replica, ours, token).catch(error => causeMessage(error))
      return reason === null ? [] : [`${replica?.host ?? 'A connection'}: ${reason}`]
    }),
  )
  const reasons = [...new Set(disagreeing.flat())]
  if (reasons.length > 0)
    return [
      fault(check, `${disagreeing.flat().length} of ${targets.length}: ${reasons.join('; ')}`, SAME_KEYS),
    ]
  const asked = replicas.length > 0 ? ` and ${replicas.length} replicas` : ''
  return [ok(check, `${CONNECTIONS} connections${asked} have the keys of this machine`)]
}

async function publishedHere(settings: Settings, now: Date): Promise<string> {
  const keys = await loadKeys(settings.jwtKeysFile)
  const published = keys.filter(
    ({ retiredAt }) => retiredAt === null || verifiesUntil(retiredAt, settings.accessTokenTtlSeconds) > now,
  )
  return sorted(published.map(({ kid }) => kid))
}

/** What is different there; null when nothing is. */
async function disagreement(
  outside: Outside,
  replica: URL | null,
  ours: string,
  token: string | null,
): Promise<string | null> {
  const keys = keysIn(await outside.ask({ path: JWKS_PATH }, replica ?? outside.target.at))
  if (!keys) return 'publishes no keys'
  const theirs = sorted(keys.map(({ kid }) => String(kid)))
  if (theirs !== ours) return `publishes the keys ${theirs}, JWT_KEYS_FILE here has ${ours}`
  if (token === null) return null
  const { status } = await outside.ask(
    { path: '/api/data', headers: { Authorization: `Bearer ${token}` } },
    replica ?? outside.target.at,
  )
  if (status === 401) return 'does not accept a token of JWT_KEYS_FILE here'
  return status === 200 ? null : `answers ${status} to a token of JWT_KEYS_FILE here`
}

function sorted(kids: readonly string[]): string {
  return [...kids].sort().join(', ')
}
