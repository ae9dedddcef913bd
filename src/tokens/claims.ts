import { isPermissions, type Permissions, SOURCES, type Source } from '../permissions/permissions.js'

/**
 * The payload of an access token: the three that the specification names (userId, which is the same as sub,
 * permissions and exp) and those of RFC 9068 §2.2. Times are in whole seconds.
 */
export interface Claims {
  readonly iss: string
  readonly aud: string
  readonly sub: string
  readonly userId: string
  readonly accountId: string
  readonly sid: string
  readonly source: Source
  readonly permissions: Permissions
  readonly iat: number
  readonly exp: number
  readonly jti: string
}

/**
 * Who the access token says is calling. Its payments permission is for display; payments read the session
 * store.
 */
export interface Caller {
  readonly userId: string
  readonly accountId: string
  readonly sid: string
  readonly source: Source
  readonly permissions: Permissions
}

/** Clocks of two nodes may differ by this much. */
const CLOCK_SKEW_SECONDS = 60

export interface ExpectedClaims {
  readonly issuer: string
  readonly audience: string
  readonly maxLifetimeSeconds: number
}

/**
 * The payload as claims when all are present and as expected; null otherwise. Does not compare `exp` with the
 * clock.
 */
export function readClaims(
  payload: Record<string, unknown>,
  expected: ExpectedClaims,
  nowSeconds: number,
): Claims | null {
  const { iss, aud, sub, userId, accountId, sid, source, permissions, iat, exp, jti } = payload
  const isComplete =
    iss === expected.issuer &&
    aud === expected.audience &&
    [sub, userId, accountId, sid, jti].every(isText) &&
    sub === userId &&
    SOURCES.includes(source as Source) &&
    isPermissions(permissions)
  return isComplete && isLifetime(iat, exp, expected, nowSeconds) ? (payload as unknown as Claims) : null
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function isLifetime(
  iat: unknown,
  exp: unknown,
  { maxLifetimeSeconds }: ExpectedClaims,
  nowSeconds: number,
): boolean {
  return (
    Number.isSafeInteger(iat) &&
    Number.isSafeInteger(exp) &&
    (iat as number) > 0 &&
    (iat as number) <= nowSeconds + CLOCK_SKEW_SECONDS &&
    (exp as number) > (iat as number) &&
    (exp as number) - (iat as number) <= maxLifetimeSeconds
  )
}
