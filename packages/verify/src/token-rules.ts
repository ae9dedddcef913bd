// What an access token is, for everything that reads one: the service itself and this kit.
import {
  type Caller,
  PERMISSIONS,
  type Permissions,
  readAuthentication,
  SOURCES,
  type Source,
} from './caller.js'

export {
  ACRS,
  type Acr,
  AUTH_METHODS,
  type AuthMethod,
  type Caller,
  isEnough,
  PERMISSIONS,
  type Permission,
  type Permissions,
  type RequiredAuthentication,
  SOURCES,
  type Source,
  stepUpChallenge,
} from './caller.js'

/** Never taken from the token: the server must choose it (RFC 8725 §3.1). */
export const ALGORITHM = 'ES256'
/** RFC 9068 §2.1: a token of another type is not an access token, whoever signed it. */
export const TOKEN_TYPE = 'at+jwt'
/** A token is still accepted this long after its `exp`, because two machines' clocks differ. */
export const EXPIRY_TOLERANCE_SECONDS = 5
const MAX_ISSUED_AHEAD_SECONDS = 60
/** No service can be set to more (ACCESS_TOKEN_TTL_SECONDS). */
const LONGEST_LIFETIME_SECONDS = 24 * 60 * 60
/** Ours have about 800 characters. */
const MAX_LENGTH = 4_096
/**
 * A compact JWS with a 64-byte signature in canonical base64url: the four spare bits of its last character
 * are zero, so a signature has only one spelling.
 */
const COMPACT_ES256 = /^[\w-]+\.[\w-]+\.[\w-]{85}[AQgw]$/
/** The scheme is case-insensitive (RFC 9110 §11.1); the token is everything after one space. */
const BEARER = /^bearer [^ ]/i

/**
 * The payload of an access token: the claims that the specification names (userId, which equals sub,
 * permissions and exp) and those of RFC 9068 §2.2. Times are in whole seconds.
 */
export interface Claims extends Caller {
  readonly iss: string
  readonly aud: string
  readonly sub: string
  readonly iat: number
  readonly exp: number
  readonly jti: string
  /** RFC 9068 §2.2; the caller's `clientId`. */
  readonly client_id: string | null
  /** OpenID Connect Core §2: when the user last proved their identity, in the way that `acr` says. */
  readonly auth_time: number | null
}

export interface ExpectedClaims {
  readonly issuer: string
  readonly audience: string
  /** Any, by default. */
  readonly clientIds?: readonly string[] | undefined
  /** `exp` is at most this long after `iat`; {@link LONGEST_LIFETIME_SECONDS} by default. */
  readonly maxLifetimeSeconds?: number | undefined
}

/** The token in an Authorization header; null for another scheme. */
export function bearerToken(header: string): string | null {
  const start = 'bearer '.length
  return BEARER.test(header) && !header.includes(' ', start) ? header.slice(start) : null
}

/** Whether a text can be an access token, before anything in it is decoded. */
export function isTokenForm(token: string): boolean {
  return token.length <= MAX_LENGTH && COMPACT_ES256.test(token)
}

/**
 * Whether a token's header is that of an access token. Any `crit` is refused, whether understood or not (RFC
 * 7515 §4.1.11).
 */
export function isTokenHeader(header: { readonly alg?: unknown; readonly typ?: unknown }): boolean {
  return header.alg === ALGORITHM && header.typ === TOKEN_TYPE && !('crit' in header)
}

/**
 * The payload as claims when all are present and valid; null otherwise. Does not check `exp` against the
 * clock. Permissions that this version does not know are dropped, so that a newer service may add some.
 */
export function readClaims(
  payload: Readonly<Record<string, unknown>>,
  expected: ExpectedClaims,
  nowSeconds: number,
): Claims | null {
  const { iss, aud, sub, userId, accountId, sid, source, jti, client_id: clientId = null } = payload
  const permissions = readPermissions(payload.permissions)
  const isComplete =
    iss === expected.issuer &&
    aud === expected.audience &&
    [sub, userId, accountId, sid, jti].every(isText) &&
    sub === userId &&
    SOURCES.includes(source as Source) &&
    (clientId === null || isText(clientId)) &&
    (expected.clientIds?.includes(clientId as string) ?? true)
  if (!isComplete || !permissions || !isLifetime(payload, expected, nowSeconds)) return null
  return { ...payload, ...readAuthentication(payload), permissions, clientId } as unknown as Claims
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function readPermissions(value: unknown): Permissions | null {
  if (typeof value !== 'object' || value === null) return null
  const granted = value as Permissions
  if (!PERMISSIONS.every(name => typeof granted[name] === 'boolean')) return null
  return Object.fromEntries(PERMISSIONS.map(name => [name, granted[name]])) as unknown as Permissions
}

function isLifetime(
  { iat, exp }: Readonly<Record<string, unknown>>,
  { maxLifetimeSeconds = LONGEST_LIFETIME_SECONDS }: ExpectedClaims,
  nowSeconds: number,
): boolean {
  return (
    Number.isSafeInteger(iat) &&
    Number.isSafeInteger(exp) &&
    (iat as number) > 0 &&
    (iat as number) <= nowSeconds + MAX_ISSUED_AHEAD_SECONDS &&
    (exp as number) > (iat as number) &&
    (exp as number) - (iat as number) <= maxLifetimeSeconds
  )
}
