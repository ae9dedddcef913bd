/**
 * How a user has proved who they are (RFC 8176): `pwd` a password, `otp` a code of an app or a recovery code,
 * `hwk` and `swk` a passkey that stays on its device or may be on several, `user` that the device has checked
 * who holds it.
 */
export const AUTH_METHODS = ['pwd', 'otp', 'hwk', 'swk', 'user'] as const
export type AuthMethod = (typeof AUTH_METHODS)[number]

/** How much was proved: one factor, or two. A passkey that has checked its user is two. */
export const ACRS = ['urn:mainstay:acr:1', 'urn:mainstay:acr:2'] as const
export type Acr = (typeof ACRS)[number]

/** How and when a caller must have logged in, or proved again who they are (RFC 9470). */
export interface RequiredAuthentication {
  /** At least this. */
  readonly acr?: Acr
  /** At most so long ago. */
  readonly maxAgeSeconds?: number
}

/** What a token says of its user's authentication. */
export interface Authentication {
  /** Unix time in seconds; null in tokens of services that do not say so yet. */
  readonly authTime: number | null
  readonly amr: readonly AuthMethod[]
  readonly acr: Acr | null
}

/**
 * Whether the authentication is as required. One that does not say when or how it was is not, and nothing is
 * as strong as an `acr` that is not known here.
 */
export function isEnough(
  { authTime, acr }: Authentication,
  required: RequiredAuthentication,
  nowSeconds: number,
): boolean {
  const { acr: leastAcr, maxAgeSeconds } = required
  const isStrong = leastAcr === undefined || (ACRS.includes(leastAcr) && rankOf(acr) >= rankOf(leastAcr))
  const isRecent =
    maxAgeSeconds === undefined || (authTime !== null && nowSeconds - authTime <= maxAgeSeconds)
  return isStrong && isRecent
}

/** The challenge of RFC 9470 §3: what a client has to bring next time. */
export function stepUpChallenge({ acr, maxAgeSeconds }: RequiredAuthentication): string {
  return [
    'Bearer error="insufficient_user_authentication"',
    ...(acr === undefined ? [] : [`acr_values="${acr}"`]),
    ...(maxAgeSeconds === undefined ? [] : [`max_age="${maxAgeSeconds}"`]),
  ].join(', ')
}

/** The claims of a payload; what is missing or not understood counts as not said. */
export function readAuthentication(payload: Readonly<Record<string, unknown>>): Authentication {
  const { auth_time: authTime, amr, acr } = payload
  return {
    authTime: Number.isSafeInteger(authTime) ? (authTime as number) : null,
    amr: Array.isArray(amr) ? AUTH_METHODS.filter(method => amr.includes(method)) : [],
    acr: ACRS.find(known => known === acr) ?? null,
  }
}

/** 0 for one that is not said. */
function rankOf(acr: Acr | null): number {
  return acr === null ? 0 : ACRS.indexOf(acr) + 1
}
