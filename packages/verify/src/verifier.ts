import { type CryptoKey, type JWTHeaderParameters, jwtVerify } from 'jose'
import { AccessTokenError } from './access-token-error.js'
import { type Caller, type Permission, readCaller } from './caller.js'
import { PublishedKeys } from './published-keys.js'

export interface VerifierOptions {
  /** `JWT_ISSUER` of the service: its PUBLIC_URL, unless somebody chose otherwise. */
  readonly issuer: string
  /** `JWT_AUDIENCE` of the service; the issuer unless told. */
  readonly audience?: string
  /** `<issuer>/.well-known/jwks.json` unless told. */
  readonly jwksUrl?: string
}

/** The two clocks of a verifier; tests bring their own. */
export interface Time {
  now(): Date
  /** Milliseconds of a clock that is never set. */
  elapsed(): number
}

const SYSTEM_TIME: Time = { now: () => new Date(), elapsed: () => performance.now() }

/** Never taken from the token: choosing it is the server's business (RFC 8725 §3.1). */
const ALGORITHM = 'ES256'
/** RFC 9068 §2.1: a token of another class is not an access token, whoever signed it. */
const TYPE = 'at+jwt'
/** Ours have about 800 characters. */
const MAX_TOKEN_LENGTH = 4_096
/** Clocks of two machines may differ. */
const TOLERANCE_SECONDS = 5
const MAX_IAT_AHEAD_SECONDS = 60
/** Compact JWS with a 64-byte signature in canonical base64url: one token has one spelling, as at the service itself. */
const COMPACT_ES256 = /^[\w-]+\.[\w-]+\.[\w-]{85}[AQgw]$/
/** The scheme is case-insensitive (RFC 9110 §11.1). */
const BEARER = /^bearer (\S+)$/i

/** Accepts the service's access tokens by signature alone: nothing is asked of the service but its public keys. */
export class AccessTokenVerifier {
  private readonly keys: PublishedKeys
  private readonly issuer: string
  private readonly audience: string

  constructor(
    { issuer, audience = issuer, jwksUrl }: VerifierOptions,
    private readonly time: Time = SYSTEM_TIME,
  ) {
    this.issuer = issuer
    this.audience = audience
    this.keys = new PublishedKeys(
      jwksUrl ?? `${issuer.replace(/\/+$/, '')}/.well-known/jwks.json`,
      time.elapsed,
    )
  }

  /**
   * The caller of a valid token that has the permission, if one is asked for. Throws an {@link AccessTokenError}:
   * `INVALID_ACCESS_TOKEN` (401), `PERMISSION_REQUIRED` (403), or `KEYS_UNAVAILABLE` (503) when the service's keys could
   * not be fetched: never a 401 for an outage.
   */
  async verify(token: string, permission?: Permission): Promise<Caller> {
    const caller = readCaller(await this.payloadOf(token))
    if (!caller) throw new AccessTokenError('INVALID_ACCESS_TOKEN')
    if (permission && !caller.permissions[permission]) throw new AccessTokenError('PERMISSION_REQUIRED')
    return caller
  }

  /** As {@link verify}, for the lines of a request's Authorization header; none is `ACCESS_TOKEN_REQUIRED`, two are invalid. */
  async verifyHeader(lines: readonly string[] | undefined, permission?: Permission): Promise<Caller> {
    const [line, second] = lines ?? []
    if (!line) throw new AccessTokenError('ACCESS_TOKEN_REQUIRED')
    const token = second === undefined ? BEARER.exec(line)?.[1] : undefined
    if (!token) throw new AccessTokenError('INVALID_ACCESS_TOKEN')
    return this.verify(token, permission)
  }

  private async payloadOf(token: string): Promise<Record<string, unknown>> {
    const now = this.time.now()
    try {
      if (token.length > MAX_TOKEN_LENGTH || !COMPACT_ES256.test(token)) throw new Error('Not an ES256 token')
      const { payload } = await jwtVerify(token, header => this.keyOf(header), {
        algorithms: [ALGORITHM],
        typ: TYPE,
        issuer: this.issuer,
        audience: this.audience,
        requiredClaims: ['exp', 'iat'],
        clockTolerance: TOLERANCE_SECONDS,
        currentDate: now,
      })
      if ((payload.iat as number) > now.getTime() / 1000 + MAX_IAT_AHEAD_SECONDS)
        throw new Error('Issued in the future')
      return payload
    } catch (cause) {
      if (cause instanceof AccessTokenError) throw cause
      throw new AccessTokenError('INVALID_ACCESS_TOKEN', { cause })
    }
  }

  /** The service sends no critical extensions, and refuses even those that are understood here (RFC 7515 §4.1.11). */
  private keyOf(header: JWTHeaderParameters): Promise<CryptoKey> {
    if ('crit' in header) throw new Error('Critical extensions')
    return this.keys.keyOf(header)
  }
}
