import { hash, randomUUID } from 'node:crypto'
import { type Client, subnetOf } from '../platform/http/request.js'
import type { Permissions, Source } from '../platform/permissions.js'
import { BASE64URL_OF_32_BYTES } from '../platform/secrets/token-hash.js'
import type { AuthMethods } from '../tokens/access-tokens.js'

/** The secret that a client presents at refresh. Never stored, logged or put in a token. */
export type SessionId = string & { readonly brand: 'SessionId' }

/**
 * The public handle of a session: the base64url SHA-256 of its sessionId. It is the store's key; safe to list
 * and log.
 */
export type SessionHandle = string & { readonly brand: 'SessionHandle' }

/** Exactly as we issue it: lower case, version 4, variant 1 (RFC 9562 §5.4). */
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** A new secret of 122 random bits. */
export function newSessionId(): SessionId {
  return randomUUID() as SessionId
}

/** The text as a sessionId; null when its form is wrong. No other text ever reaches a store. */
export function asSessionId(text: string): SessionId | null {
  return UUID_V4.test(text) ? (text as SessionId) : null
}

export function handleOf(sessionId: SessionId): SessionHandle {
  return hash('sha256', sessionId, 'base64url') as SessionHandle
}

export function asSessionHandle(text: string): SessionHandle | null {
  return BASE64URL_OF_32_BYTES.test(text) ? (text as SessionHandle) : null
}

/** The server-side record of a login. It does not contain its secret, the sessionId. */
export interface Session {
  readonly sid: SessionHandle
  readonly userId: string
  readonly accountId: string
  readonly source: Source
  /**
   * The intersection of what its source allows and what its user was granted; changes reach access tokens at
   * the next refresh.
   */
  readonly permissions: Permissions
  /** The browser's origin at login; null outside browsers. */
  readonly origin: string | null
  /** Where it is used from: at first where the login came from, later the latest different network or browser. */
  readonly ip: string
  readonly userAgent: string | null
  readonly createdAt: Date
  readonly lastUsed: Date
  /** When it expires; use does not extend it. */
  readonly expiresAt: Date
  /** When the user last re-authenticated; null if never. */
  readonly reauthenticatedAt: Date | null
  /** What the user has proved, at login and since. */
  readonly amr: AuthMethods
  /** When they last proved as much as `amr` says. */
  readonly authTime: Date
}

/**
 * Whether the session is used by the same browser as before, from the same network: addresses change all the
 * time within one, and recording each change would cost every refresh a round trip.
 */
export function isSameClient({ ip, userAgent }: Session, client: Client): boolean {
  if (userAgent !== client.userAgent) return false
  return ip === client.ip || subnetOf(ip) === subnetOf(client.ip)
}
