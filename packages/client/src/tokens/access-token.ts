import type { Caller } from '../http/caller.js'

export interface AccessToken {
  readonly text: string
  readonly caller: Caller
  /** By the service's clock; only ever compared with that of another token. */
  readonly issuedAtSeconds: number
  readonly lifetimeMs: number
  /** By this device's monotonic clock. */
  readonly expiresAt: number
}

/**
 * Reads a token that was requested at `requestedAt` of the monotonic clock. Its lifetime is the difference of its own
 * two times, so a device whose clock is wrong by a year works as well as any other. Throws when it is not a
 * token.
 */
export function readToken(text: string, requestedAt: number): AccessToken {
  const payload = (text.split('.')[1] as string).replaceAll('-', '+').replaceAll('_', '/')
  const { userId, accountId, sid, source, permissions, iat, exp } = JSON.parse(atob(payload))
  const lifetimeMs = (exp - iat) * 1000
  if (!(lifetimeMs > 0 && sid)) throw new TypeError('Not an access token')
  return {
    text,
    caller: { userId, accountId, sid, source, permissions },
    issuedAtSeconds: iat,
    lifetimeMs,
    expiresAt: requestedAt + lifetimeMs,
  }
}
