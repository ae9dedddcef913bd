import type { Caller } from '@mainstay-auth/verify/token-rules'
import { Injectable } from '@nestjs/common'
import { and, eq, gt } from 'drizzle-orm'
import type { Satellite } from '../cors/satellite.js'
import { Satellites } from '../cors/satellites.js'
import { leastIdleSeconds, Settings } from '../platform/config/settings.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { accounts } from '../platform/database/schema/accounts.js'
import { sessionLinks, sessions } from '../platform/database/schema/sessions.js'
import { removeExpiredRows } from '../platform/database/sql.js'
import { ApiError, causeMessage } from '../platform/errors/api-error.js'
import type { Client } from '../platform/http/request.js'
import { Logger } from '../platform/log.js'
import {
  effectivePermissions,
  type GrantLimits,
  type Permissions,
  type Source,
  withinLimit,
  withinLimits,
} from '../platform/permissions.js'
import { Clock, secondsAfter, unixSeconds } from '../platform/time.js'
import { AccessTokens, type AuthMethods, acrOf, namesOf } from '../tokens/access-tokens.js'
import { SessionChanges } from './changes.js'
import {
  handleOf,
  type IdleTimeouts,
  isIdle,
  newSessionId,
  type Session,
  type SessionHandle,
  type SessionId,
  type SiteOfSession,
} from './session.js'
import { type OwnedSession, SessionStore } from './session-store.js'

/** How long a session lasts at its site, whether it may continue there, and its tokens. Queries no store. */
@Injectable()
export class SessionTerms implements IdleTimeouts {
  constructor(
    private readonly satellites: Satellites,
    private readonly accessTokens: AccessTokens,
    private readonly settings: Settings,
  ) {}

  /** The lifetime of a session that begins now. */
  lifetimeSeconds(site: SiteOfSession): number {
    return this.lifetimeAt(this.satelliteOf(site))
  }

  get leastIdleSeconds(): number {
    return leastIdleSeconds(this.settings)
  }

  get haveIdleTimeouts(): boolean {
    return this.settings.sessionIdleSeconds !== null || this.satellites.haveIdleTimeouts
  }

  idleSeconds(site: SiteOfSession, other: number | null): number | null {
    const limits = [this.settings.sessionIdleSeconds, this.satelliteOf(site)?.idleSeconds, other]
    const given = limits.filter(limit => typeof limit === 'number')
    return given.length === 0 ? null : Math.max(this.leastIdleSeconds, Math.min(...given))
  }

  /**
   * Whether the session may continue: its satellite is active, and has belonged to its account since before
   * the session began. Sessions of the main site and of apps always may. A session that lasts longer than this
   * preview allows was opened at a satellite with exactly this origin, which has been removed.
   */
  mayContinue(session: Session): boolean {
    return this.mayContinueAt(session, this.satelliteOf(session))
  }

  /** A new access token for the session's {@link callerOf caller}. */
  issueToken(session: Session): string {
    return this.accessTokens.issue(this.callerOf(session), session.idleSeconds)
  }

  /**
   * What a token says of the session, with no more permissions than the satellite allows now. Throws
   * `SESSION_NOT_FOUND` unless the session {@link mayContinue}.
   */
  callerOf(session: Session): Caller {
    const satellite = this.satelliteOf(session)
    if (!this.mayContinueAt(session, satellite)) throw new ApiError('SESSION_NOT_FOUND')
    return callerAt(session, satellite)
  }

  private mayContinueAt(session: Session, satellite: Satellite | null): boolean {
    if (!satellite) return !this.isOfSatellite(session)
    return (
      (satellite.accountId ?? session.accountId) === session.accountId &&
      satellite.activeSince <= session.createdAt.getTime() &&
      (satellite.kind === 'production' || lengthOf(session) <= this.lifetimeAt(satellite))
    )
  }

  private lifetimeAt(satellite: Satellite | null): number {
    const { sessionTtlSeconds } = this.settings
    return Math.min(sessionTtlSeconds, satellite?.sessionSeconds ?? sessionTtlSeconds)
  }

  private satelliteOf(site: SiteOfSession): Satellite | null {
    return this.isOfSatellite(site) ? this.satellites.find(site.origin as string) : null
  }

  /** Apps have no origin, and pages of the main site may also request the lesser sessions of satellites. */
  private isOfSatellite({ source, origin }: SiteOfSession): boolean {
    return source === 'satellite' && origin !== null && origin !== this.settings.mainOrigin
  }
}

function callerAt(session: Session, satellite: Satellite | null): Caller {
  const caller = {
    ...session,
    amr: namesOf(session.amr),
    acr: acrOf(session.amr),
    authTime: unixSeconds(session.authTime),
  }
  if (!satellite) return { ...caller, clientId: session.source === 'main' ? 'main' : 'mobile' }
  return {
    ...caller,
    clientId: satellite.id,
    permissions: withinLimit(session.permissions, satellite.ceiling),
  }
}

/** In seconds. */
function lengthOf({ createdAt, expiresAt }: Session): number {
  return (expiresAt.getTime() - createdAt.getTime()) / 1000
}

/**
 * Which satellite sessions came from which main-site session. Whatever ends the parent ends its children too:
 * SessionChanges does that.
 */
@Injectable()
export class SessionLinks {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Links a new session in the transaction that records it, which must have its parent locked. */
  async add(
    transaction: Db,
    { sid: childSid, userId, origin }: Session,
    { sid: parentSid, expiresAt }: Pick<Session, 'sid' | 'expiresAt'>,
  ): Promise<void> {
    const link = { childSid, parentSid, userId, origin: origin as string, expiresAt }
    await transaction.insert(sessionLinks).values(link)
  }

  /** Whether the user has logged in there by hand-off, and has not logged out since. */
  async isKnown(userId: string, origin: string): Promise<boolean> {
    const isOfUser = and(eq(sessionLinks.userId, userId), eq(sessionLinks.origin, origin))
    const isLink = and(isOfUser, gt(sessionLinks.expiresAt, this.clock.now()))
    return (await this.database.run(db => db.$count(sessionLinks, isLink))) > 0
  }

  /** Removes what has expired by `now`; returns how many rows. */
  removeExpired(now: Date): Promise<number> {
    return removeExpiredRows(this.database, sessionLinks, sessionLinks.expiresAt, now)
  }
}

/** Why a session is over: it was ended early, reached its expiry, or was not used for too long. */
export type SessionOutcome = 'revoked' | 'expired' | 'idle'

/** A session that is over, or should be: `isOpen` where nobody has ended it yet. */
export interface PastSession extends OwnedSession {
  readonly outcome: SessionOutcome
  readonly isOpen: boolean
}

interface StoredSession {
  readonly session: typeof sessions.$inferSelect
  readonly accountIdleSeconds: number | null
}

/** Made-up identifiers are looked up too, so a flood of them must not take up the database. */
const MAX_LOOKUPS_AT_ONCE = 4

/** What the database still knows about sessions that are over. */
@Injectable()
export class PastSessions {
  private readonly logger = new Logger('PastSessions')
  private lookUps = 0

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly terms: SessionTerms,
  ) {}

  /**
   * A session that is over; null for any other, when the database does not answer, or when too many such look-ups are
   * running. Never throws.
   */
  async find(sid: SessionHandle): Promise<PastSession | null> {
    if (this.lookUps >= MAX_LOOKUPS_AT_ONCE) return null
    this.lookUps++
    try {
      return await this.lookUp(sid)
    } catch (error) {
      this.logger.warn(`Could not look up why a session ended: ${causeMessage(error)}`)
      return null
    } finally {
      this.lookUps--
    }
  }

  private async lookUp(sid: SessionHandle): Promise<PastSession | null> {
    const [row] = await this.database.run(db =>
      db
        .select({ session: sessions, accountIdleSeconds: accounts.idleSeconds })
        .from(sessions)
        .leftJoin(accounts, eq(accounts.id, sessions.accountId))
        .where(eq(sessions.sid, sid)),
    )
    if (!row) return null
    const { userId, accountId } = row.session
    const outcome = this.outcomeOf(row)
    return outcome && { sid, userId, accountId, outcome, isOpen: !row.session.endedAt && outcome === 'idle' }
  }

  private outcomeOf({ session, accountIdleSeconds }: StoredSession): SessionOutcome | null {
    const now = this.clock.now()
    if (session.endedAt) return session.endedIdle ? 'idle' : 'revoked'
    if (session.expiresAt <= now) return 'expired'
    const idleSeconds = this.terms.idleSeconds(session, accountIdleSeconds)
    return isIdle({ lastUsed: session.lastUsed, idleSeconds }, now) ? 'idle' : null
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
  readonly accountIdleSeconds: number | null
}

/** A session with its secret, which only the client keeps. */
export interface NewSession {
  readonly session: Session
  readonly sessionId: SessionId
  readonly accessToken: string
}

@Injectable()
export class SessionsService {
  /** By user. A call that arrives before a run starts is served by it, so many simultaneous logins cause two runs. */
  private readonly queued = new Map<string, Promise<void>>()
  private readonly running = new Map<string, Promise<void>>()

  constructor(
    private readonly store: SessionStore,
    private readonly changes: SessionChanges,
    private readonly terms: SessionTerms,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  /**
   * A session under a new identifier; an identifier presented by the client is never reused. There is no other way to make
   * one. The caller adds it ({@link add}), if the user is unchanged since they were read: whatever ends all of a user's
   * sessions either finds it or keeps it from being added. It expires at `expiresBy` at the latest. The caller also ends
   * sessions beyond the limit: {@link endSurplus}.
   *
   * On the main site a new proof is a re-authentication as well, because its user has just given what that asks for.
   */
  create(
    user: SessionUser,
    { source, client }: { readonly source: Source; readonly client: Client },
    proof: Proof,
    expiresBy?: Date,
  ): NewSession {
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
      idleSeconds: this.terms.idleSeconds({ source, origin: client.origin }, user.accountIdleSeconds),
      reauthenticatedAt: source === 'main' && !proof.inheritedAuthTime ? times.createdAt : null,
      amr: proof.methods,
      authTime: proof.inheritedAuthTime ?? times.createdAt,
    }
    return { session, sessionId, accessToken: this.terms.issueToken(session) }
  }

  /**
   * Adds a new session in the transaction of the login, which must have the user locked; returns how many live sessions
   * they have with it.
   */
  async add(transaction: Db, session: Session): Promise<number> {
    await this.store.add(transaction, session)
    return this.store.countLive(transaction, session.userId, session.createdAt)
  }

  /**
   * Ends the least recently used sessions of a user who has `count`, if that is more than
   * `MAX_SESSIONS_PER_USER`. All replicas use the same order, so together they do not end more than they
   * should.
   */
  async endSurplus(userId: string, count: number, client: Client): Promise<void> {
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
    // Satellite sessions opened from them are counted separately, and nobody has asked to end them.
    const owned = surplus.map(({ sid, userId: owner, accountId }) => ({ sid, userId: owner, accountId }))
    await this.changes.endSurplus(owned, client)
  }
}

function timesOfNewSession(
  now: Date,
  lifetimeSeconds: number,
  expiresBy?: Date,
): Pick<Session, 'createdAt' | 'lastUsed' | 'expiresAt'> {
  // Copies keep times in whole seconds.
  const createdAt = new Date(Math.floor(now.getTime() / 1000) * 1000)
  const own = secondsAfter(createdAt, lifetimeSeconds)
  return { createdAt, lastUsed: now, expiresAt: expiresBy && expiresBy < own ? expiresBy : own }
}
