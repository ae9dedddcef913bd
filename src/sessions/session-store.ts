import type { Db } from '../platform/database/connection.js'
import type { Permissions } from '../platform/permissions.js'
import type { AuthMethods } from '../tokens/access-tokens.js'
import type { Session, SessionHandle } from './session.js'
import type { UserSessions } from './user-sessions.js'

/** Where a session is used from. */
export type ClientAddress = Pick<Session, 'ip' | 'userAgent'>

/** What a re-authentication records in its session. */
export interface ReauthenticationStamp {
  readonly at: Date
  /** Added to the session's methods. */
  readonly methods: AuthMethods
  /** Whether `authTime` becomes `at`. */
  readonly movesAuthTime: boolean
}

/**
 * Stores live sessions. One set of contract tests covers every implementation. Each method throws
 * `SESSION_STORE_UNAVAILABLE` or `DATABASE_UNAVAILABLE` (503) when the store is unreachable: "cannot tell" is
 * never reported as "there is none".
 */
export abstract class SessionStore {
  constructor(private readonly userSessions: UserSessions) {}

  /**
   * Stores a new session until its `expiresAt`. It is valid once it is in the database's list: see
   * SessionsService.
   */
  abstract create(session: Session): Promise<void>

  /** The live session; null when the handle is unknown, the session has ended, or `expiresAt` is `now` or earlier. */
  abstract find(sid: SessionHandle, now: Date): Promise<Session | null>

  /** Like {@link find}, for many in about one round trip: returns the live ones, in the given order. */
  abstract findAll(sids: readonly SessionHandle[], now: Date): Promise<Session[]>

  /**
   * Stamps lastUsed and returns the session as it was before; null if it is not live. Never brings back a
   * session that has ended.
   */
  abstract touch(sid: SessionHandle, usedAt: Date): Promise<Session | null>

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

  /** Stamps a re-authentication; false when the session is not live. */
  abstract stampReauthentication(
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
   * Applies committed changes; safe to repeat. If it throws, the store will apply them before it serves those
   * sessions again.
   */
  abstract apply(changes: StoreChanges): Promise<void>

  /**
   * Applies changes in the transaction that records them, if the sessions are in that database; otherwise
   * does nothing.
   */
  abstract applyIn(transaction: Db, changes: StoreChanges): Promise<void>

  /**
   * Removes a session that no client has ever heard of; false when there is none. All others are ended by
   * SessionChanges.
   */
  abstract remove(sid: SessionHandle): Promise<boolean>

  /** Removes what has expired by `now`; returns how many. Garbage collection only: expiry does not depend on it. */
  abstract removeExpired(now: Date): Promise<number>

  /** Throws when the store does not answer. */
  abstract ping(): Promise<void>

  /** The user's live sessions, least recently used first; among equals, the earliest opened first. */
  async listByUser(userId: string, now: Date): Promise<Session[]> {
    const sessions = await this.findAll(await this.userSessions.sidsOf(userId, now), now)
    return sessions.sort((one, other) => one.lastUsed.getTime() - other.lastUsed.getTime())
  }
}

/** The changes that can be requested for live sessions. */
export type SessionChange =
  | {
      readonly kind: 'end'
      readonly sid: SessionHandle
      /** Whether the satellite sessions opened from it continue; false by default. */
      readonly keepsChildren?: boolean
    }
  | {
      readonly kind: 'end-all'
      readonly userId: string
      readonly keep?: SessionHandle
      /** Whether to write an audit row even when there is no session to end; true by default. */
      readonly auditsEvenIfNoneEnded?: boolean
    }
  | { readonly kind: 'set-permissions'; readonly userId: string; readonly granted: Permissions }

/**
 * Sets the permissions of these sessions to what was granted, each within the limits of its source. Of two
 * grants, the one with the higher `version` is later.
 */
export interface SessionGrant {
  readonly version: number
  readonly sids: readonly SessionHandle[]
  readonly granted: Permissions
}

/**
 * What a store is told about changes: which sessions have ended, and what others may do now. It names
 * sessions explicitly, so it means the same whenever it is applied, and can be applied twice, late and in any
 * order.
 */
export interface StoreChanges {
  readonly ended: readonly SessionHandle[]
  readonly grants: readonly SessionGrant[]
}

export const NO_CHANGES: StoreChanges = { ended: [], grants: [] }

/** Both combined. */
export function mergeChanges(one: StoreChanges, other: StoreChanges): StoreChanges {
  return { ended: [...one.ended, ...other.ended], grants: [...one.grants, ...other.grants] }
}

/** The part that concerns sessions for which `isConcerned` returns true. */
export function changesOf(
  { ended, grants }: StoreChanges,
  isConcerned: (sid: SessionHandle) => boolean,
): StoreChanges {
  return {
    ended: ended.filter(isConcerned),
    grants: grants
      .map(grant => ({ ...grant, sids: grant.sids.filter(isConcerned) }))
      .filter(({ sids }) => sids.length > 0),
  }
}

/** How many sessions are named. */
export function sizeOf({ ended, grants }: StoreChanges): number {
  return grants.reduce((size, { sids }) => size + sids.length, ended.length)
}
