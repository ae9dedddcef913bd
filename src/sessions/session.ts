import type { Permissions, Source } from '../permissions/permissions.js'
import type { SessionHandle } from './session-id.js'

/** Server-side record of a login. Its secret, the sessionId, is not in it. */
export interface Session {
  readonly sid: SessionHandle
  readonly userId: string
  readonly accountId: string
  readonly source: Source
  /** What its source allows and its user was granted; changes reach access tokens at the next refresh. */
  readonly permissions: Permissions
  /** The browser's origin at login; null outside browsers. */
  readonly origin: string | null
  /**
   * Where it is used from: at first where the login came from, later the latest different network or browser.
   */
  readonly ip: string
  readonly userAgent: string | null
  readonly createdAt: Date
  readonly lastUsed: Date
  /** When it expires; use never moves it. */
  readonly expiresAt: Date
  /** When the user last re-authenticated; null when never. */
  readonly reauthenticatedAt: Date | null
}
