import type { Db } from '../platform/database/connection.js'
import type { Client } from '../platform/http/request.js'
import type { AuthMethods } from '../tokens/access-tokens.js'
import type { Session, SessionHandle } from './session.js'

/** Where a session is used from. */
export type ClientAddress = Pick<Session, 'ip' | 'userAgent'>

/** A session with its user. */
export type OwnedSession = Pick<Session, 'sid' | 'userId' | 'accountId'>

/** What a re-authentication records in its session. */
export interface ReauthenticationStamp {
  readonly at: Date
  /** Added to the session's methods. */
  readonly methods: AuthMethods
  /** Whether `authTime` becomes `at`. */
  readonly movesAuthTime: boolean
}

/** The sessions that a committed change is about: these, and all of these users and accounts. */
export interface ChangedSessions {
  readonly sids: readonly SessionHandle[]
  readonly userIds: readonly string[]
  readonly accountIds: readonly string[]
}

/**
 * The sessions. The table `sessions` is the truth; a store may keep copies, which only {@link touch} serves. One set of
 * contract tests covers every implementation. Each method throws `DATABASE_UNAVAILABLE` (503) when the truth cannot be
 * read: "cannot tell" is never reported as "there is none". SessionChanges ends sessions.
 */
export abstract class SessionStore {
  /** Adds a new session in the transaction of the login, which must have the user locked. */
  abstract add(transaction: Db, session: Session): Promise<void>

  /** How many live sessions the user has. */
  abstract countLive(db: Db, userId: string, now: Date): Promise<number>

  /** Whether the session has not been ended; with `lock`, nobody can end it until the transaction ends. */
  abstract isOpen(transaction: Db, sid: SessionHandle, options?: { readonly lock: boolean }): Promise<boolean>

  /** The owners of those of these sessions that have not been ended, in the order of login. */
  abstract ownersOf(db: Db, sids: readonly SessionHandle[]): Promise<OwnedSession[]>

  /**
   * The live session; null when the handle is unknown, the session has ended or has gone unused for its idle timeout, or
   * `expiresAt` is `now` or earlier.
   */
  abstract find(sid: SessionHandle, now: Date): Promise<Session | null>

  /**
   * Those of these that are live, in the given order. For a refresh, so it throws `SESSION_STORE_UNAVAILABLE` like
   * {@link touch}.
   */
  abstract findAll(sids: readonly SessionHandle[], now: Date, client?: Client): Promise<Session[]>

  /** The user's live sessions, least recently used first; among equals, the earliest opened first. */
  abstract listByUser(userId: string, now: Date): Promise<Session[]>

  /**
   * Stamps lastUsed and returns the session as it was before; null if it is not live. What it returns has every change
   * in it whose {@link forget} had resolved before. Throws `SESSION_STORE_UNAVAILABLE` (503) when too many wait for the
   * database, where the networks of clients take turns.
   */
  abstract touch(sid: SessionHandle, usedAt: Date, client?: Client): Promise<Session | null>

  /**
   * Records that the session's client has changed; false when the session is not live, or no longer at
   * `from`: of several calls that see the same change, only one gets true.
   */
  abstract updateClient(
    sid: SessionHandle,
    from: ClientAddress,
    to: ClientAddress,
    now: Date,
  ): Promise<boolean>

  /** Stamps a re-authentication in the transaction of its proof; false when the session is not live. */
  abstract stampReauthentication(
    transaction: Db,
    sid: SessionHandle,
    stamp: ReauthenticationStamp,
    now: Date,
  ): Promise<boolean>

  /**
   * Voids the last re-authentication and the login: `authTime` becomes 1970. False when the session is not
   * live.
   */
  abstract voidAuthentication(sid: SessionHandle, now: Date): Promise<boolean>

  /**
   * To be called when a change is committed, before it is answered: once it resolves, {@link touch} returns nothing
   * older on any replica that reaches the database. Never throws.
   */
  abstract forget(changed: ChangedSessions): Promise<void>

  /** Removes what nobody needs any more; returns how many rows. Expiry does not depend on it. */
  abstract removeExpired(now: Date): Promise<number>

  /** Throws when the store does not answer. */
  abstract ping(): Promise<void>
}
