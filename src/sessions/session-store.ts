import type { Db } from '../database/connection.js'
import type { Session } from './session.js'
import type { StoreChanges } from './session-change.js'
import type { SessionHandle } from './session-id.js'
import type { UserSessions } from './user-sessions.js'

/** What a session is used from. */
export type Whereabouts = Pick<Session, 'ip' | 'userAgent'>

/**
 * Where live sessions are. One list of contract tests holds for every implementation. Each method throws
 * `SESSION_STORE_UNAVAILABLE` or `DATABASE_UNAVAILABLE` (503) when the store is out of reach: "I cannot tell"
 * is never answered as "there is none".
 */
export abstract class SessionStore {
  constructor(private readonly userSessions: UserSessions) {}

  /** Keeps a new session until its `expiresAt`. It counts once it is among its user's in the database: see SessionsService. */
  abstract create(session: Session): Promise<void>

  /** The live session, or null when the handle is unknown, ended, or `expiresAt` is `now` or earlier. */
  abstract find(sid: SessionHandle, now: Date): Promise<Session | null>

  /** {@link find} for many, in about one round trip: those that are live, in the order of their handles here. */
  abstract findAll(sids: readonly SessionHandle[], now: Date): Promise<Session[]>

  /** Stamps lastUsed and returns the session as it was before; null if it is not live. Never brings back a session that has ended. */
  abstract touch(sid: SessionHandle, usedAt: Date): Promise<Session | null>

  /**
   * Notes that the client of the session has changed; false when it is not live, or not at `from` any more: of several
   * who see the same change one is told true.
   */
  abstract move(sid: SessionHandle, from: Whereabouts, to: Whereabouts, now: Date): Promise<boolean>

  /** Stamps `reauthenticatedAt`, or takes the stamp away; false when the session is not live. */
  abstract stampReauthentication(sid: SessionHandle, at: Date | null, now: Date): Promise<boolean>

  /** Makes changes that are committed; safe to repeat. When it throws the store makes them before it serves those sessions again. */
  abstract apply(changes: StoreChanges): Promise<void>

  /** Makes changes in the transaction that records them, if the sessions are in that very database; nothing elsewhere. */
  abstract applyIn(transaction: Db, changes: StoreChanges): Promise<void>

  /** Takes a session away of which no client has ever heard; false when there was none. Others are ended by SessionChanges. */
  abstract remove(sid: SessionHandle): Promise<boolean>

  /** Clears away what expired at `now` or before; says how many entries went. Only garbage collection: expiry never waits for it. */
  abstract removeExpired(now: Date): Promise<number>

  /** Throws when the store does not answer. */
  abstract ping(): Promise<void>

  /** The user's live sessions, those used least lately first; of the same time, those opened first. */
  async listByUser(userId: string, now: Date): Promise<Session[]> {
    const sessions = await this.findAll(await this.userSessions.sidsOf(userId, now), now)
    return sessions.sort((one, other) => one.lastUsed.getTime() - other.lastUsed.getTime())
  }
}
