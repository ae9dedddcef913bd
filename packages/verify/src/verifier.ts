import { type CryptoKey, type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose'
import { AccessTokenError } from './access-token-error.js'
import { isEnough, type RequiredAuthentication } from './auth-methods.js'
import { type Caller, PERMISSIONS, type Permission } from './caller.js'
import { PublishedKeys } from './published-keys.js'
import {
  ALGORITHM,
  bearerToken,
  type Claims,
  EXPIRY_TOLERANCE_SECONDS,
  type ExpectedClaims,
  isTokenForm,
  isTokenHeader,
  readClaims,
} from './token-rules.js'

export interface VerifierOptions {
  /** `JWT_ISSUER` of the service: its PUBLIC_URL unless configured otherwise. */
  readonly issuer: string
  /** `JWT_AUDIENCE` of the service; the issuer by default. */
  readonly audience?: string
  /**
   * Whose tokens to accept, by the caller's `clientId`: for a backend that serves only some satellites. All
   * by default; if set, tokens of other sites are `INVALID_ACCESS_TOKEN`.
   */
  readonly clientIds?: readonly string[]
  /**
   * The longest lifetime of a token to accept, in seconds: the service's `ACCESS_TOKEN_TTL_SECONDS`. A day by default,
   * which is the most that the service can be set to.
   */
  readonly maxLifetimeSeconds?: number
  /** `<issuer>/.well-known/jwks.json` by default. */
  readonly jwksUrl?: string
}

/** What a request needs besides a valid token. */
export interface Requirement extends RequiredAuthentication {
  readonly permission?: Permission
}

/** A verifier's two clocks; tests bring their own. */
export interface Time {
  now(): Date
  /** Milliseconds of a monotonic clock. */
  elapsed(): number
}

const SYSTEM_TIME: Time = { now: () => new Date(), elapsed: () => performance.now() }

/**
 * Verifies the service's access tokens by signature alone: it fetches nothing from the service but its public
 * keys.
 */
export class AccessTokenVerifier {
  private readonly keys: PublishedKeys
  private readonly expected: ExpectedClaims

  constructor(
    { issuer, audience = issuer, clientIds, maxLifetimeSeconds, jwksUrl }: VerifierOptions,
    private readonly time: Time = SYSTEM_TIME,
  ) {
    // From JavaScript, a text would be searched for the id.
    if (clientIds !== undefined && !Array.isArray(clientIds)) throw new TypeError('clientIds is not a list')
    this.expected = { issuer, audience, clientIds, maxLifetimeSeconds }
    this.keys = new PublishedKeys(
      jwksUrl ?? `${issuer.replace(/\/+$/, '')}/.well-known/jwks.json`,
      time.elapsed,
    )
  }

  /**
   * The caller of a valid token that has the required permission, and an authentication as recent and as
   * strong as required. Throws an {@link AccessTokenError}: `INVALID_ACCESS_TOKEN` (401),
   * `PERMISSION_REQUIRED` (403), `STEP_UP_REQUIRED` (401, with the challenge of RFC 9470), or
   * `KEYS_UNAVAILABLE` (503) when the service's keys could not be fetched: an outage is never a 401.
   */
  async verify(token: string, requirement?: Permission | Requirement): Promise<Caller> {
    const { userId, accountId, sid, source, clientId, permissions, authTime, amr, acr } =
      await this.claimsOf(token)
    const caller = { userId, accountId, sid, source, clientId, permissions, authTime, amr, acr }
    if (requirement !== undefined) this.require(requirement, caller)
    return caller
  }

  /**
   * Like {@link verify}, for the values of a request's Authorization header; none is `ACCESS_TOKEN_REQUIRED`,
   * two are invalid.
   */
  async verifyHeader(
    lines: readonly string[] | undefined,
    requirement?: Permission | Requirement,
  ): Promise<Caller> {
    const [line, second] = lines ?? []
    if (!line) throw new AccessTokenError('ACCESS_TOKEN_REQUIRED')
    const token = second === undefined ? bearerToken(line) : null
    if (!token) throw new AccessTokenError('INVALID_ACCESS_TOKEN')
    return this.verify(token, requirement)
  }

  /** Throws like {@link verify} unless the caller meets the requirement, and like {@link checkRequirement}. */
  require(requirement: Permission | Requirement, caller: Caller): void {
    const { permission, ...required } = requirementOf(requirement)
    if (permission && !caller.permissions[permission]) throw new AccessTokenError('PERMISSION_REQUIRED')
    if (!isEnough(caller, required, Math.floor(this.time.now().getTime() / 1000)))
      throw new AccessTokenError('STEP_UP_REQUIRED', { required })
  }

  /**
   * Throws a TypeError for what is no requirement, such as a list or a misspelt permission: from JavaScript,
   * everybody would meet it.
   */
  checkRequirement(requirement: Permission | Requirement): void {
    requirementOf(requirement)
  }

  private async claimsOf(token: string): Promise<Claims> {
    const now = this.time.now()
    try {
      if (!isTokenForm(token)) throw new Error('Not an access token')
      const { payload } = await jwtVerify(token, header => this.keyOf(header), {
        algorithms: [ALGORITHM],
        clockTolerance: EXPIRY_TOLERANCE_SECONDS,
        currentDate: now,
      })
      const claims = readClaims(payload, this.expected, Math.floor(now.getTime() / 1000))
      if (!claims) throw new Error(mismatchIn(payload, this.expected))
      return claims
    } catch (cause) {
      if (cause instanceof AccessTokenError) throw cause
      throw new AccessTokenError('INVALID_ACCESS_TOKEN', { cause })
    }
  }

  private keyOf(header: JWTHeaderParameters): Promise<CryptoKey> {
    if (!isTokenHeader(header)) throw new Error('Not the header of an access token')
    return this.keys.keyOf(header)
  }
}

/** Names the claim that an option of the verifier is about, since the option may be wrong. */
function mismatchIn(payload: JWTPayload, { issuer, audience, clientIds }: ExpectedClaims): string {
  const { iss, aud, client_id: clientId = null } = payload
  if (iss !== issuer) return `iss is ${JSON.stringify(iss)}, not the issuer ${issuer}`
  if (aud !== audience) return `aud is ${JSON.stringify(aud)}, not the audience ${audience}`
  if (clientIds && !clientIds.includes(clientId as string))
    return `client_id is ${JSON.stringify(clientId)}, which clientIds does not list`
  return 'A claim is missing or not as expected'
}

const REQUIREMENT_FIELDS = ['permission', 'acr', 'maxAgeSeconds']

function requirementOf(requirement: Permission | Requirement): Requirement {
  const asked: Requirement = typeof requirement === 'string' ? { permission: requirement } : requirement
  const isObject = typeof asked === 'object' && asked !== null && !Array.isArray(asked)
  const isKnown = isObject && Object.keys(asked).every(field => REQUIREMENT_FIELDS.includes(field))
  const { permission } = isKnown ? asked : {}
  if (!isKnown || (permission !== undefined && !PERMISSIONS.includes(permission)))
    throw new TypeError(`${JSON.stringify(requirement)} is not a permission or requirement`)
  return asked
}
