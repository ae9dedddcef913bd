import type { Permissions, Source } from '../permissions/permissions.js'
import type { Session } from './session.js'
import type { SessionHandle } from './session-id.js'

/** What a session is used from. */
export type Whereabouts = Pick<Session, 'ip' | 'userAgent'>

/**
 * Where live sessions are. One list of contract tests holds for every implementation. Each method throws
 * `SESSION_STORE_UNAVAILABLE` or `DATABASE_UNAVAILABLE` (503) when the store is out of reach: "I cannot tell"
 * is never answered as "there is none".
 */
export abstract class SessionStore {
  /** Keeps a new session until its `expiresAt`; says how many its user then has, or a little more than that, never less. */
  abstract create(session: Session): Promise<number>

  /** The live session, or null when the handle is unknown, ended, or `expiresAt` is `now` or earlier. */
  abstract find(sid: SessionHandle, now: Date): Promise<Session | null>

  /** Stamps lastUsed and returns the session as it was before; null if it is not live. Never brings back a session that has ended. */
  abstract touch(sid: SessionHandle, usedAt: Date): Promise<Session | null>

  /**
   * Notes that the client of the session has changed; false when it is not live, or not at `from` any more: of several
   * who see the same change one is told true.
   */
  abstract move(sid: SessionHandle, from: Whereabouts, to: Whereabouts, now: Date): Promise<boolean>

  /** Stamps `reauthenticatedAt`, or takes the stamp away; false when the session is not live. */
  abstract stampReauthentication(sid: SessionHandle, at: Date | null, now: Date): Promise<boolean>

  /** The user's live sessions, those used least lately first; of the same time, those made first. */
  abstract listByUser(userId: string, now: Date): Promise<Session[]>

  /** Gives every session of the user the permissions of its source. */
  abstract setPermissions(userId: string, bySource: Readonly<Record<Source, Permissions>>): Promise<void>

  /** Ends a session; false when there was none. Safe to repeat. */
  abstract remove(sid: SessionHandle): Promise<boolean>

  /** Ends the user's sessions made at `createdUntil` or before, except `keep`; says how many there were. Safe to repeat. */
  abstract removeByUser(userId: string, createdUntil: Date, keep?: SessionHandle): Promise<number>

  /** Clears away what expired at `now` or before; says how many entries went. Only garbage collection: expiry never waits for it. */
  abstract removeExpired(now: Date): Promise<number>

  /** Throws when the store does not answer. */
  abstract ping(): Promise<void>

  /**
   * `replay` is awaited at start, and again whenever the store may have lost its newest writes, before `find`,
   * `touch` and `create` are served; it may use the other methods, and is tried again until it succeeds.
   */
  abstract beforeServing(replay: () => Promise<void>): Promise<void>
}
