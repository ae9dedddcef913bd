import { Injectable } from '@nestjs/common'
import { RefreshAnomalyCheck } from '../../anomalies/login-check.js'
import type { Client } from '../../platform/http/request.js'
import type { Source } from '../../platform/permissions.js'
import { Clock, unixSeconds } from '../../platform/time.js'
import { handleOf, isSameClient, type Session, type SessionId } from '../../sessions/session.js'
import type { PresentedSession } from '../../sessions/session-cookie.js'
import { SessionTerms } from '../../sessions/session-terms.js'
import { SessionStore } from '../../sessions/stores/session-store.js'
import { overBecause, type RefreshRefusal, RefreshRefusals } from './refresh-refusals.js'

/** One of several that a browser presented. */
export interface LiveSession {
  readonly sessionId: SessionId
  readonly secondsLeft: number
}

@Injectable()
export class RefreshService {
  constructor(
    private readonly store: SessionStore,
    private readonly terms: SessionTerms,
    private readonly anomalyCheck: RefreshAnomalyCheck,
    private readonly refusals: RefreshRefusals,
    private readonly clock: Clock,
  ) {}

  /**
   * The only live session of the main site among these; null when there is none, or more than one: a host below the
   * same domain may have added its own.
   */
  async onlyLive(sessionIds: readonly SessionId[]): Promise<LiveSession | null> {
    const now = this.clock.now()
    const found = await this.store.findAll(sessionIds.map(handleOf), now)
    const [session, ...others] = found.filter(({ source }) => source === 'main')
    const sessionId = sessionIds.find(candidate => handleOf(candidate) === session?.sid)
    if (!session || !sessionId || others.length > 0) return null
    return { sessionId, secondsLeft: unixSeconds(session.expiresAt) - unixSeconds(now) }
  }

  /**
   * A new access token for the presented session. Throws `SESSION_NOT_FOUND`, and `TOO_MANY_ATTEMPTS` when
   * there is no such session and its network has sent many unknown ids. One round trip to the store, and no
   * database unless the client has changed, which costs another, or the session is over.
   */
  async refresh({ sessionId, source }: PresentedSession, client: Client): Promise<string> {
    const sid = handleOf(sessionId)
    const session = await this.store.touch(sid, this.clock.now())
    if (!session) return this.refusals.refusePast(client, sid)
    const refusal =
      reasonToRefuse(session, source, client) ?? (this.terms.mayContinue(session) ? null : 'satellite closed')
    if (refusal) {
      this.refusals.record(client, refusal, session)
      throw overBecause(null)
    }
    if (isSameClient(session, client)) return this.terms.issueToken(session)
    const isEnded = await this.anomalyCheck.check(session, client)
    if (isEnded) {
      this.refusals.record(client, 'anomaly', session)
      throw overBecause('revoked')
    }
    // The check took time, in which the session may have ended or lost permissions.
    const current = await this.store.find(sid, this.clock.now())
    return current ? this.terms.issueToken(current) : this.refusals.refusePast(client, sid)
  }
}

/** Why a session may not be refreshed like this; null when it may. The client is not told. */
function reasonToRefuse(session: Session, source: Source, client: Client): RefreshRefusal | null {
  if (session.source !== source) return 'other source'
  const isElsewhere = source === 'satellite' && session.origin !== null && client.origin !== null
  return isElsewhere && session.origin !== client.origin ? 'other origin' : null
}
