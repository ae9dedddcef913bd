import { randomUUID } from 'node:crypto'
import type { Caller, Claims, ExpectedClaims } from '@mainstay-auth/verify/token-rules'

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
