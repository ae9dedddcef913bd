import { Injectable } from '@nestjs/common'
import { languageWanted } from '../mail/language.js'
import { type Actor, auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Settings } from '../platform/config/settings.js'
import { ApiError } from '../platform/errors/api-error.js'
import { formatLocation, GeoIp } from '../platform/geoip.js'
import { type Client, deviceName } from '../platform/http/request.js'
import { Clock, secondsAfter } from '../platform/time.js'
import { SessionChanges } from './changes.js'
import { Reauthentication } from './reauthentication.js'
import { asSessionHandle, type Session, type SessionHandle } from './session.js'
import type { SessionActor } from './session-actor.js'
import { SessionStore } from './session-store.js'

/** A live session as shown to people. */
export interface SessionView {
  readonly sid: SessionHandle
  /** Whether it is the caller's own. */
  readonly current: boolean
  /** A readable name; it is only what the client claims. */
  readonly device: string
  /** Roughly where its address is, in the reader's language; null when unknown. */
  readonly place: string | null
  readonly ip: string
  readonly createdAt: Date
  readonly lastUsed: Date
  readonly expiresAt: Date
  /** When it ends unless its client refreshes before; null where it has no idle timeout. */
  readonly idleAt: Date | null
}

/** The sessions of one site, most recently used first. */
export interface SiteSessions {
  /** Its origin; null for apps, which have none. */
  readonly site: string | null
  readonly kind: 'main' | 'satellite' | 'app'
  readonly sessions: readonly SessionView[]
}

/** The person viewing them: their own session, if it is one of these, and their language. */
interface Reader {
  readonly currentSid: SessionHandle | null
  readonly language: string
}

/** Lists a user's live sessions by site, and ends them. */
@Injectable()
export class ActiveSessions {
  constructor(
    private readonly store: SessionStore,
    private readonly changes: SessionChanges,
    private readonly geoIp: GeoIp,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  /**
   * The user's live sessions, either all or those of one satellite; the most recently used site comes first.
   * `language` is the viewer's, in the form of Accept-Language.
   */
  async list(
    userId: string,
    currentSid: SessionHandle | null,
    { satellite = null, language }: { satellite?: string | null; language?: string | undefined } = {},
  ): Promise<{ sites: SiteSessions[] }> {
    const reader = { currentSid, language: languageWanted(language) ?? this.settings.defaultLanguage }
    const sites = new Map<string, SiteSessions & { sessions: SessionView[] }>()
    for (const session of (await this.store.listByUser(userId, this.clock.now())).reverse()) {
      if (!matches(session, userId, satellite)) continue
      const { kind, site } = this.siteOf(session)
      const key = `${kind} ${site}`
      const ofSite = sites.get(key) ?? { site, kind, sessions: [] }
      ofSite.sessions.push(this.viewOf(session, reader))
      sites.set(key, ofSite)
    }
    return { sites: [...sites.values()] }
  }

  /**
   * Ends a session of the user; false when they have no such live session, or not at this satellite. Another
   * user's session counts as nonexistent.
   */
  async end(
    userId: string,
    sid: SessionHandle,
    client: Client | null,
    reason: string,
    { satellite = null, operator }: { satellite?: string | null } & Pick<Actor, 'operator'> = {},
  ): Promise<boolean> {
    const session = await this.store.find(sid, this.clock.now())
    if (!session || !matches(session, userId, satellite)) return false
    return this.changes.end(session, client, reason, { ...(operator && { operator }) })
  }

  /** Ends the user's sessions everywhere, except `keep`; returns how many. */
  async endOthers(
    { userId, accountId }: Pick<Session, 'userId' | 'accountId'>,
    keep: SessionHandle | null,
    client: Client,
  ): Promise<number> {
    return this.changes.commitChange(
      // Audit rows are kept forever, so ending nothing writes none.
      { kind: 'end-all', userId, ...(keep && { keep }), auditsEvenIfNoneEnded: false },
      auditEvent({ userId, accountId, client }, 'session.revoke', {
        reason: keep ? 'all others ended' : 'all ended',
        ...(keep && { keep }),
      }),
    )
  }

  private siteOf({ source, origin }: Session): Pick<SiteSessions, 'site' | 'kind'> {
    if (source === 'main') return { kind: 'main', site: this.settings.mainOrigin }
    return { kind: origin === null ? 'app' : 'satellite', site: origin }
  }

  private viewOf(session: Session, { currentSid, language }: Reader): SessionView {
    const { sid, ip, createdAt, lastUsed, expiresAt, idleSeconds } = session
    return {
      sid,
      current: sid === currentSid,
      device: deviceName(session.userAgent),
      place: formatLocation(this.geoIp.locate(ip), language),
      ip,
      createdAt,
      lastUsed,
      expiresAt,
      idleAt: idleSeconds === null ? null : secondsAfter(lastUsed, idleSeconds),
    }
  }
}

function matches(session: Session, userId: string, satellite: string | null): boolean {
  const isOfSite = satellite === null || (session.source === 'satellite' && session.origin === satellite)
  return isOfSite && session.userId === userId
}

export interface OwnSessionsView {
  /** Whether the list is complete; a satellite sees only its own sessions until the user re-authenticates. */
  readonly complete: boolean
  readonly sites: readonly SiteSessions[]
}

/**
 * What a user's session may see and do about the user's other sessions: everything or, where it is confined to
 * its satellite ({@link Reauthentication.confinementOf}), only what concerns those of that site.
 */
@Injectable()
export class OwnSessions {
  constructor(
    private readonly activeSessions: ActiveSessions,
    private readonly reauthentication: Reauthentication,
    private readonly auditLog: AuditLog,
  ) {}

  async list(actor: SessionActor): Promise<OwnSessionsView> {
    const satellite = this.reauthentication.confinementOf(actor)
    const language = actor.client.acceptLanguage
    const { sites } = await this.activeSessions.list(actor.userId, actor.sid, { satellite, language })
    return { complete: satellite === null, sites }
  }

  /** Throws `NOT_FOUND` when there is no such session, or this one may not see it. */
  async end(actor: SessionActor, sid: string): Promise<void> {
    const handle = asSessionHandle(sid)
    const satellite = this.reauthentication.confinementOf(actor)
    const isEnded =
      handle &&
      (await this.activeSessions.end(actor.userId, handle, actor.client, 'ended by its user', { satellite }))
    if (isEnded) return
    this.noteRefusal(actor, 'no such session')
    throw new ApiError('NOT_FOUND')
  }

  /**
   * Ends all others; returns how many. Throws `REAUTHENTICATION_REQUIRED` if that includes sessions that this
   * one may not see.
   */
  async endOthers(actor: SessionActor): Promise<number> {
    if (this.reauthentication.confinementOf(actor) !== null) {
      this.noteRefusal(actor, 'not re-authenticated')
      this.reauthentication.require(actor)
    }
    return this.activeSessions.endOthers(actor, actor.sid, actor.client)
  }

  private noteRefusal(actor: SessionActor, reason: string): void {
    this.auditLog.enqueue(auditEvent(actor, 'session.revoke', { reason }), 'refused')
  }
}
