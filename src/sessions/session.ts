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
  /** The strictest idle timeout that applied when the session was read; null for none. */
  readonly idleSeconds: number | null
  /** When the user last re-authenticated, which the login of a main session counts as; null if never. */
  readonly reauthenticatedAt: Date | null
  /** What the user has proved, at login and since. */
  readonly amr: AuthMethods
  /** When they last proved as much as `amr` says. */
  readonly authTime: Date
}

/** How long sessions may go without a refresh. */
export interface IdleTimeouts {
  /** Within this time after a use, no session is over for want of use. */
  readonly leastIdleSeconds: number
  /** Whether there may be idle timeouts that accounts have not set. */
  readonly haveIdleTimeouts: boolean
  /**
   * The idle timeout of a session there, in seconds: the strictest of the service's, the satellite's and `other`; null
   * for none. It is never shorter than {@link leastIdleSeconds}, in case access tokens have been given longer lives.
   */
  idleSeconds(site: SiteOfSession, other: number | null): number | null
}

export type SiteOfSession = Pick<Session, 'source' | 'origin'>

/** Whether nobody has used the session for as long as its idle timeout. */
export function isIdle(
  { lastUsed, idleSeconds }: Pick<Session, 'lastUsed' | 'idleSeconds'>,
  now: Date,
): boolean {
  return idleSeconds !== null && now.getTime() - lastUsed.getTime() >= idleSeconds * 1000
}

/**
 * Whether the session is used by the same browser as before, from the same network: addresses change all the
 * time within one, and recording each change would cost every refresh a round trip.
 */
export function isSameClient({ ip, userAgent }: Session, client: Client): boolean {
  if (userAgent !== client.userAgent) return false
  return ip === client.ip || subnetOf(ip) === subnetOf(client.ip)
}
