import { randomUUID } from 'node:crypto'
import {
  ACRS,
  type Acr,
  ALGORITHM,
  AUTH_METHODS,
  type AuthMethod,
  type Caller,
  type Claims,
  EXPIRY_TOLERANCE_SECONDS,
  type ExpectedClaims,
  isTokenForm,
  isTokenHeader,
  readClaims,
  TOKEN_TYPE,
} from '@mainstay-auth/verify/token-rules'
import { Injectable } from '@nestjs/common'
import { JwtService } from '@nestjs/jwt'
import { LRUCache } from 'lru-cache'
import { Settings } from '../platform/config/settings.js'
import { Clock, unixSeconds } from '../platform/time.js'
import { type SigningKey, SigningKeys } from './signing-keys.js'

/** About 2 kB each. */
const MAX_CACHED_TOKENS = 20_000

/** Issues and verifies access tokens. */
@Injectable()
export class AccessTokens {
  /**
   * Keyed by the entire token; in other projects a shorter key has let other tokens through
   * (GHSA-rp9m-7r4c-75qg).
   */
  private readonly verified = new LRUCache<string, Claims>({ max: MAX_CACHED_TOKENS })
  private readonly expected: ExpectedClaims

  constructor(
    private readonly jwt: JwtService,
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {
    this.expected = {
      issuer: settings.jwtIssuer,
      audience: settings.jwtAudience,
      maxLifetimeSeconds: settings.accessTokenTtlSeconds,
    }
    keys.onChange(() => this.verified.clear())
  }

  /**
   * A signed access token for the caller, valid for ACCESS_TOKEN_TTL_SECONDS. A client learns from it that its session
   * has an idle timeout, and keeps from refreshing for nobody.
   */
  issue(caller: Caller, idleSeconds: number | null = null): string {
    const claims = {
      ...accessTokenClaims(caller, {
        issuer: this.expected.issuer,
        audience: this.expected.audience,
        issuedAt: unixSeconds(this.clock.now()),
        lifetimeSeconds: this.settings.accessTokenTtlSeconds,
      }),
      ...(idleSeconds !== null && { idle_timeout: idleSeconds }),
    }
    const { kid, privateKey } = this.keys.current
    return this.jwt.sign(claims, { privateKey, header: { alg: ALGORITHM, typ: TOKEN_TYPE, kid } })
  }

  /** The caller, if the token is valid by signature alone; null otherwise. */
  verify(token: string): Caller | null {
    const now = unixSeconds(this.clock.now())
    const cached = this.verified.get(token)
    if (cached && now < cached.exp) return cached
    const claims = this.read(token, now)
    if (!claims) return null
    this.verified.set(token, claims)
    return claims
  }

  private read(token: string, now: number): Claims | null {
    if (!isTokenForm(token)) return null
    const key = this.keyOf(token)
    const payload = key && this.verifiedPayload(token, key, now)
    return payload ? readClaims(payload, this.expected, now) : null
  }

  /** By `kid`, among our own keys only: `jwk`, `jku` and `x5u` are ignored. */
  private keyOf(token: string): SigningKey | null {
    const header = decodeSegment(token.slice(0, token.indexOf('.')))
    if (!header || !isTokenHeader(header)) return null
    return typeof header.kid === 'string' ? this.keys.verifying(header.kid) : null
  }

  private verifiedPayload(
    token: string,
    { publicKey }: SigningKey,
    now: number,
  ): Record<string, unknown> | null {
    try {
      return this.jwt.verify<Record<string, unknown>>(token, {
        publicKey: publicKey as never,
        algorithms: [ALGORITHM],
        clockTimestamp: now,
        clockTolerance: EXPIRY_TOLERANCE_SECONDS,
      })
    } catch {
      return null
    }
  }
}

/** The claims of a token that are not about the caller. */
interface TokenFrame extends Pick<ExpectedClaims, 'issuer' | 'audience'> {
  /** Seconds since 1970. */
  readonly issuedAt: number
  readonly lifetimeSeconds: number
}

/** The claims of an access token for the caller. */
export function accessTokenClaims(
  { userId, accountId, sid, source, clientId, permissions, authTime, amr, acr }: Caller,
  { issuer, audience, issuedAt, lifetimeSeconds }: TokenFrame,
): Omit<Claims, 'clientId' | 'authTime'> {
  return {
    iss: issuer,
    aud: audience,
    sub: userId,
    userId,
    accountId,
    sid,
    source,
    client_id: clientId,
    permissions,
    auth_time: authTime,
    amr,
    acr,
    iat: issuedAt,
    exp: issuedAt + lifetimeSeconds,
    jti: randomUUID(),
  }
}

function decodeSegment(segment: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(segment, 'base64url').toString('utf8'))
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null
  } catch {
    return null
  }
}

// They are part of tokens, so everything that reads one uses the same lists.
export {
  type Acr,
  type AuthMethod,
  isEnough,
  type RequiredAuthentication,
  stepUpChallenge,
} from '@mainstay-auth/verify/token-rules'

export const [ONE_FACTOR, TWO_FACTORS] = ACRS

/** Methods as a small number, one bit each in the order of `AUTH_METHODS`; stores keep them in this form. */
export type AuthMethods = number & { readonly brand: 'AuthMethods' }

export function authMethods(...methods: readonly AuthMethod[]): AuthMethods {
  return methods.reduce((bits, method) => bits | (1 << AUTH_METHODS.indexOf(method)), 0) as AuthMethods
}

/** The union of both. */
export function withMethods(some: AuthMethods, others: AuthMethods): AuthMethods {
  return (some | others) as AuthMethods
}

const KEYS = authMethods('hwk', 'swk')
const HAS_CHECKED_ITS_USER = authMethods('user')
const PASSWORD_AND_CODE = authMethods('pwd', 'otp')
const PASSWORD = authMethods('pwd')

/** How much the methods prove together: a passkey that verified its user counts as two factors. */
export function acrOf(methods: AuthMethods): Acr {
  const isPasskey = (methods & KEYS) !== 0 && (methods & HAS_CHECKED_ITS_USER) !== 0
  const isWithCode = (methods & PASSWORD_AND_CODE) === PASSWORD_AND_CODE
  return isPasskey || isWithCode ? TWO_FACTORS : ONE_FACTOR
}

export function includesPassword(methods: AuthMethods): boolean {
  return (methods & PASSWORD) !== 0
}

/** Whether they include more than a password. */
export function hasSecondFactor(methods: AuthMethods): boolean {
  return (methods & ~PASSWORD) !== 0
}

const NAMES: readonly (readonly AuthMethod[])[] = Array.from(
  { length: 1 << AUTH_METHODS.length },
  (_, bits) => AUTH_METHODS.filter((_, index) => bits & (1 << index)),
)

/** In the form that tokens use (RFC 8176). */
export function namesOf(methods: AuthMethods): readonly AuthMethod[] {
  return NAMES[methods] ?? []
}
