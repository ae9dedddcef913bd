import { Injectable } from '@nestjs/common'
import { Settings } from '../platform/config/settings.js'
import type { Client } from '../platform/http/request.js'
import {
  effectivePermissions,
  type GrantLimits,
  type Permissions,
  type Source,
  withinLimits,
} from '../platform/permissions.js'
import { Clock, secondsAfter } from '../platform/time.js'
import type { AuthMethods } from '../tokens/access-tokens.js'
import { SessionChanges } from './revocation/session-changes.js'
import { handleOf, newSessionId, type Session, type SessionId } from './session.js'
import { SessionTerms } from './session-terms.js'
import { SessionStore } from './stores/session-store.js'
import { UserSessions } from './user-sessions.js'

/** How many sessions a user may have. */
@Injectable()
export class SessionLimits {
  /** By user. A call that arrives before a run starts is served by it, so many simultaneous logins cause two runs. */
  private readonly queued = new Map<string, Promise<void>>()
  private readonly running = new Map<string, Promise<void>>()

  constructor(
    private readonly store: SessionStore,
    private readonly changes: SessionChanges,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  /**
   * Ends the least recently used sessions of a user who has `count`, if that is more than
   * `MAX_SESSIONS_PER_USER`. All replicas use the same order, so together they do not end more than they
   * should.
   */
  async enforce(userId: string, count: number, client: Client): Promise<void> {
    if (count <= this.settings.maxSessionsPerUser) return
    const run = this.queued.get(userId) ?? this.afterCurrentRun(userId, client)
    this.queued.set(userId, run)
    await run
  }

  private async afterCurrentRun(userId: string, client: Client): Promise<void> {
    // Its error goes to its own callers.
    await this.running.get(userId)?.catch(() => {})
    const run = this.queued.get(userId) as Promise<void>
    this.queued.delete(userId)
    this.running.set(userId, run)
    try {
      await this.endLeastRecentlyUsed(userId, client)
    } finally {
      this.running.delete(userId)
    }
  }

  private async endLeastRecentlyUsed(userId: string, client: Client): Promise<void> {
    const live = await this.store.listByUser(userId, this.clock.now())
    const surplus = live.slice(0, Math.max(0, live.length - this.settings.maxSessionsPerUser))
    // Satellite sessions opened from it are counted separately, and nobody has asked to end them.
    for (const session of surplus)
      await this.changes.end(session, client, 'too many sessions', { keepsChildren: true })
  }
}

/** How the user of a session has proved their identity. */
export interface Proof {
  readonly methods: AuthMethods
  /** When that was, for a session that was handed off from another one; left out when the proof is new. */
  readonly inheritedAuthTime?: Date
}

/** The user of the session. */
export interface SessionUser extends GrantLimits {
  readonly userId: string
  readonly accountId: string
  readonly granted: Permissions
}

/** A session with its secret, which only the client keeps. */
export interface NewSession {
  readonly session: Session
  readonly sessionId: SessionId
  readonly accessToken: string
}

@Injectable()
export class SessionsService {
  constructor(
    private readonly store: SessionStore,
    private readonly userSessions: UserSessions,
    private readonly limits: SessionLimits,
    private readonly terms: SessionTerms,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a session under a new identifier; an identifier presented by the client is never reused. There is
   * no other way to create a session. It is only in the store, where nobody knows its identifier. The caller
   * then confirms it in the database, in a statement that adds it to the user's list ({@link SESSION_ROW}) if
   * the user is unchanged since they were read. So whatever ends all of a user's sessions either finds it or
   * prevents its confirmation, after which the caller calls {@link discard}. It expires at `expiresBy` at the
   * latest. The caller also ends sessions beyond the limit: {@link endSurplus}.
   */
  async create(
    user: SessionUser,
    { source, client }: { readonly source: Source; readonly client: Client },
    proof: Proof,
    expiresBy?: Date,
  ): Promise<NewSession> {
    const sessionId = newSessionId()
    const lifetimeSeconds = this.terms.lifetimeSeconds({ source, origin: client.origin })
    const times = timesOfNewSession(this.clock.now(), lifetimeSeconds, expiresBy)
    const session: Session = {
      sid: handleOf(sessionId),
      userId: user.userId,
      accountId: user.accountId,
      source,
      permissions: effectivePermissions(source, withinLimits(user.granted, user)),
      origin: client.origin,
      ip: client.ip,
      userAgent: client.userAgent,
      ...times,
      reauthenticatedAt: null,
      amr: proof.methods,
      authTime: proof.inheritedAuthTime ?? times.createdAt,
    }
    const accessToken = this.terms.issueToken(session)
    await this.store.create(session)
    return { session, sessionId, accessToken }
  }

  /** Ends the least recently used sessions of a user who has `count` unexpired ones, if that exceeds the limit. */
  endSurplus(userId: string, count: number, client: Client): Promise<void> {
    return this.limits.enforce(userId, count, client)
  }

  /**
   * Removes a session whose login failed; its client never learnt of it. If that fails, the session is
   * unreachable.
   */
  async discard({ session }: NewSession): Promise<void> {
    await Promise.allSettled([this.store.remove(session.sid), this.userSessions.forget(session.sid)])
  }
}

function timesOfNewSession(
  now: Date,
  lifetimeSeconds: number,
  expiresBy?: Date,
): Pick<Session, 'createdAt' | 'lastUsed' | 'expiresAt'> {
  // Stores keep times in whole seconds.
  const createdAt = new Date(Math.floor(now.getTime() / 1000) * 1000)
  const own = secondsAfter(createdAt, lifetimeSeconds)
  return { createdAt, lastUsed: now, expiresAt: expiresBy && expiresBy < own ? expiresBy : own }
}
