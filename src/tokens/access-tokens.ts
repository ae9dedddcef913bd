import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { JwtService } from '@nestjs/jwt'
import { LRUCache } from 'lru-cache'
import { Clock, unixSeconds } from '../clock/clock.js'
import { Settings } from '../config/settings.js'
import { type Caller, type Claims, type ExpectedClaims, readClaims } from './claims.js'
import type { SigningKey } from './key-file.js'
import { SigningKeys } from './signing-keys.js'

const ALGORITHM = 'ES256'
/** RFC 9068 §2.1: a token of another type is not an access token, whoever signed it. */
const TYPE = 'at+jwt'
/** Ours have about 800 characters. */
const MAX_TOKEN_LENGTH = 4_096
/** Clocks of two nodes may differ by this much. */
const EXPIRY_TOLERANCE_SECONDS = 5
/** About 2 kB each. */
const MAX_CACHED_TOKENS = 20_000

/** Compact JWS with a 64-byte signature in canonical base64url: the four spare bits of its last letter must be zero. */
const COMPACT_ES256 = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{85}[AQgw]$/

/** Issues and verifies access tokens. */
@Injectable()
export class AccessTokens {
  /** Keyed by the whole token; elsewhere a shorter key has let other tokens through (GHSA-rp9m-7r4c-75qg). */
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

  /** A signed access token for the caller, valid for ACCESS_TOKEN_TTL_SECONDS. */
  issue({ userId, accountId, sid, source, permissions }: Caller): string {
    const iat = unixSeconds(this.clock.now())
    const claims: Claims = {
      iss: this.expected.issuer,
      aud: this.expected.audience,
      sub: userId,
      userId,
      accountId,
      sid,
      source,
      permissions,
      iat,
      exp: iat + this.settings.accessTokenTtlSeconds,
      jti: randomUUID(),
    }
    const { kid, privateKey } = this.keys.current
    return this.jwt.sign(claims, {
      privateKey: privateKey as never,
      algorithm: ALGORITHM,
      header: { alg: ALGORITHM, typ: TYPE, kid },
    })
  }

  /** The caller of a valid token, by signature alone; null otherwise. */
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
    if (token.length > MAX_TOKEN_LENGTH || !COMPACT_ES256.test(token)) return null
    const key = this.keyOf(token)
    const payload = key && this.verifiedPayload(token, key, now)
    return payload ? readClaims(payload, this.expected, now) : null
  }

  /**
   * By `kid`, among our own keys only: `jwk`, `jku` and `x5u` are ignored, any `crit` is refused (RFC 7515
   * §4.1.11).
   */
  private keyOf(token: string): SigningKey | null {
    const header = decodeSegment(token.slice(0, token.indexOf('.')))
    if (header?.alg !== ALGORITHM || header.typ !== TYPE || 'crit' in header) return null
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

function decodeSegment(segment: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(segment, 'base64url').toString('utf8'))
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null
  } catch {
    return null
  }
}
