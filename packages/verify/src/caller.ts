/**
 * How a user proved their identity (RFC 8176): `pwd` a password; `otp` a code from an app, or a recovery
 * code; `hwk` a passkey that stays on its device; `swk` one that may be on several; `user` that the device
 * verified who is holding it.
 */
export const AUTH_METHODS = ['pwd', 'otp', 'hwk', 'swk', 'user'] as const
export type AuthMethod = (typeof AUTH_METHODS)[number]

/** How much was proved: one factor, or two. A passkey that verified its user counts as two. */
export const ACRS = ['urn:mainstay:acr:1', 'urn:mainstay:acr:2'] as const
export type Acr = (typeof ACRS)[number]

/** How and how recently a caller must have logged in, or proved their identity again (RFC 9470). */
export interface RequiredAuthentication {
  /** At least this level. */
  readonly acr?: Acr
  /** At most this long ago. */
  readonly maxAgeSeconds?: number
}

/** What a token says about its user's authentication. */
export interface Authentication {
  /** Unix time in seconds; null in tokens from services that do not state it yet. */
  readonly authTime: number | null
  readonly amr: readonly AuthMethod[]
  readonly acr: Acr | null
}

/**
 * Whether the authentication meets the requirement. One that does not say when or how it happened does not,
 * and nothing meets an `acr` that is not known here.
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

/** The challenge of RFC 9470 §3: what a client must provide next time. */
export function stepUpChallenge({ acr, maxAgeSeconds }: RequiredAuthentication): string {
  return [
    'Bearer error="insufficient_user_authentication"',
    ...(acr === undefined ? [] : [`acr_values="${acr}"`]),
    ...(maxAgeSeconds === undefined ? [] : [`max_age="${maxAgeSeconds}"`]),
  ].join(', ')
}

/** The claims in a payload; those that are missing or not understood count as absent. */
export function readAuthentication(payload: Readonly<Record<string, unknown>>): Authentication {
  const { auth_time: authTime, amr, acr } = payload
  return {
    authTime: Number.isSafeInteger(authTime) ? (authTime as number) : null,
    amr: Array.isArray(amr) ? AUTH_METHODS.filter(method => amr.includes(method)) : [],
    acr: ACRS.find(known => known === acr) ?? null,
  }
}

/** 0 when absent. */
function rankOf(acr: Acr | null): number {
  return acr === null ? 0 : ACRS.indexOf(acr) + 1
}

/**
 * Where a session is used: `main` is the main site, with a cookie; `satellite` is everything else, including
 * apps.
 */
export const SOURCES = ['main', 'satellite'] as const
export type Source = (typeof SOURCES)[number]

export const PERMISSIONS = [
  'payments',
  'accountSettings',
  'teamManagement',
  'dataEntry',
  'viewReports',
] as const
export type Permission = (typeof PERMISSIONS)[number]
export type Permissions = Readonly<Record<Permission, boolean>>

/**
 * Who is calling, from a token whose signature was verified. The session may have ended since: a token stays
 * valid until it expires.
 */
export interface Caller extends Authentication {
  readonly userId: string
  readonly accountId: string
  /** The public handle of the session; safe to log. */
  readonly sid: string
  /** A satellite session never has more than dataEntry and viewReports. */
  readonly source: Source
  /**
   * Where the session is used: a satellite's id, `main`, or `mobile` for clients without a page (RFC 9068
   * §2.2). Null in tokens from services that do not state it yet.
   */
  readonly clientId: string | null
  /** `payments` is for display: before money moves, the service reads the session. */
  readonly permissions: Permissions
}
