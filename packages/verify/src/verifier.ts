import {
  type CryptoKey,
  createLocalJWKSet,
  errors,
  type JWSHeaderParameters,
  type JWTHeaderParameters,
  type JWTPayload,
  jwtVerify,
} from 'jose'
import { AccessTokenError } from './access-token-error.js'
import { type Caller, isEnough, PERMISSIONS, type Permission, type RequiredAuthentication } from './caller.js'
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

type FindKey = (header: JWSHeaderParameters) => Promise<CryptoKey>

/** The same as the service's Cache-Control: a key is published at least this long before it signs. */
const FRESH_MS = 600_000
/**
 * While the service cannot be reached, keys fetched within the last hour still count, so that what needs only
 * a signature keeps working.
 */
const USABLE_MS = 3_600_000
/** Made-up key ids, or requests during an outage, cause at most one fetch in this time, not one each. */
const BETWEEN_FETCHES_MS = 10_000
const TIMEOUT_MS = 3_000
/** How long requests wait for newer keys: an answer takes a round trip, and keys may have been replaced. */
const RENEWAL_WAIT_MS = 500

/** The public keys that the service publishes, cached and kept up to date. */
export class PublishedKeys {
  private find: FindKey | null = null
  private fetchedAt = Number.NEGATIVE_INFINITY
  private triedAt = Number.NEGATIVE_INFINITY
  /** Why the last request failed; null when it did not. */
  private failure: unknown = null
  private fetching: Promise<void> | null = null

  /** `elapsed` is in milliseconds, from a monotonic clock. */
  constructor(
    private readonly url: string,
    private readonly elapsed: () => number,
  ) {}

  /**
   * The key for a token's header. Keys that are not fresh are used when newer ones do not come within half a
   * second, during an outage at once. Waits for a fetch when there are no usable keys, or for an unknown key while
   * the service answers. Throws jose's JWKSNoMatchingKey when the key is not ours, and AccessTokenError
   * `KEYS_UNAVAILABLE` when that cannot be known.
   */
  async keyOf(header: JWSHeaderParameters): Promise<CryptoKey> {
    if (!this.isUsable()) await this.fetchInTurn()
    else if (this.age() > FRESH_MS) await this.renewed()
    try {
      return await this.known(header)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      const fetching = this.fetchInTurn()
      if (this.failure === null) await fetching
      // It may be a new key that we could not fetch.
      if (this.failure !== null) throw new AccessTokenError('KEYS_UNAVAILABLE', { cause: this.failure })
      return this.known(header)
    }
  }

  private age(): number {
    return this.elapsed() - this.fetchedAt
  }

  private known(header: JWSHeaderParameters): Promise<CryptoKey> {
    if (!this.find || this.age() > USABLE_MS)
      throw new AccessTokenError('KEYS_UNAVAILABLE', { cause: this.failure })
    return this.find(header)
  }

  /** During an outage no caller waits for a request that will time out. */
  private async renewed(): Promise<void> {
    const fetching = this.fetchInTurn()
    if (this.failure === null) await atMost(RENEWAL_WAIT_MS, fetching)
  }

  private isUsable(): boolean {
    return this.find !== null && this.age() <= USABLE_MS
  }

  /** One request at a time, and none too soon after the last one. A failure leaves the existing keys in place. */
  private async fetchInTurn(): Promise<void> {
    if (!this.fetching && this.elapsed() - this.triedAt < BETWEEN_FETCHES_MS) return
    this.fetching ??= this.fetch()
      .catch(error => {
        this.failure = error
      })
      .finally(() => {
        this.fetching = null
      })
    await this.fetching
  }

  private async fetch(): Promise<void> {
    this.triedAt = this.elapsed()
    const init = {
      // Frameworks that replace `fetch`, such as Next, may keep answers for ever.
      cache: 'no-store',
      // A redirect could lead to another server's keys.
      redirect: 'error' as const,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }
    const answer = await fetch(this.url, init)
    if (!answer.ok) throw new Error(`${this.url} answered ${answer.status}`)
    this.find = createLocalJWKSet((await answer.json()) as Parameters<typeof createLocalJWKSet>[0])
    this.fetchedAt = this.triedAt
    this.failure = null
  }
}

/** Waits for `work`, but no longer than `ms`. */
async function atMost(ms: number, work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const enough = new Promise<void>(resolve => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, enough])
  clearTimeout(timer)
}

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
