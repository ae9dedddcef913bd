import { ALGORITHM } from '@mainstay-auth/verify/token-rules'
import type { Settings } from '../../../platform/config/settings.js'
import { causeMessage } from '../../../platform/errors/api-error.js'
import { loadKeys, PUBLISH_BEFORE_USE_SECONDS, verifiesUntil } from '../../../tokens/signing-keys.js'
import { type Finding, fault, ok, skipped } from '../finding.js'
import { doctorToken } from './doctor-token.js'
import type { HttpAnswer } from './http-probe.js'
import type { Outside } from './outside.js'

const PATH = '/.well-known/jwks.json'
/**
 * This many connections reach any one of four replicas with a probability of 97 %, even if replicas are chosen at
 * random.
 */
const CONNECTIONS = 12
const TODO = 'Give all replicas the same JWT_KEYS_FILE, and the same JWT_ISSUER and JWT_AUDIENCE'

type PublicKey = Readonly<Record<string, unknown>>

/** The list of public keys, as other backends fetch it. */
export async function checkJwks(outside: Outside): Promise<Finding[]> {
  const check = 'keys.published'
  const answer = await outside.ask({ path: PATH })
  const keys = keysIn(answer)
  if (!keys)
    return [
      fault(
        check,
        `${PATH} is answered ${answer.status} and is no key list`,
        'Let the proxy pass that path on',
      ),
    ]
  if (keys.some(({ d }) => d !== undefined))
    return [
      fault(check, `${PATH} shows a private key`, 'Run keys:replace --now, and find out what serves it'),
    ]
  if (!keys.every(({ kty, crv, alg, kid }) => kty === 'EC' && crv === 'P-256' && alg === ALGORITHM && kid))
    return [fault(check, `${PATH} has keys that are not ours`, 'Look at what serves that path')]
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

/** A key starts to sign ten minutes after it is published, so nobody may keep the list for longer. */
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
export async function checkAgreement(outside: Outside): Promise<Finding[]> {
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
    return [fault(check, `${disagreeing.flat().length} of ${targets.length}: ${reasons.join('; ')}`, TODO)]
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
  const keys = keysIn(await outside.ask({ path: PATH }, replica ?? outside.target.at))
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
