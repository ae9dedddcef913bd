import { Controller, Post, Req, Res } from '@nestjs/common'
import { ApiCookieAuth, ApiOperation, ApiQuery, ApiResponse, ApiSecurity, ApiTags } from '@nestjs/swagger'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { RefreshAnomalyCheck } from '../anomalies/login-check.js'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Settings } from '../platform/config/settings.js'
import { ApiError } from '../platform/errors/api-error.js'
import { Answers, Refuses } from '../platform/http/endpoint.js'
import { Text } from '../platform/http/fields.js'
import { type Client, CurrentClient } from '../platform/http/request.js'
import { countsOf, Metrics } from '../platform/metrics.js'
import { SOURCES, type Source } from '../platform/permissions.js'
import { RateLimiter } from '../platform/rate-limits/rate-limiter.js'
import { Clock, unixSeconds } from '../platform/time.js'
import { SessionChanges } from '../sessions/changes.js'
import {
  handleOf,
  isSameClient,
  type Session,
  type SessionHandle,
  type SessionId,
} from '../sessions/session.js'
import { type PresentedSession, presentedSession, setSessionCookie } from '../sessions/session-cookie.js'
import { SessionStore } from '../sessions/session-store.js'
import { PastSessions, type SessionOutcome, SessionTerms } from '../sessions/sessions.js'
import { Public } from '../tokens/jwt.guard.js'

class RefreshAnswer {
  @Text({ description: 'JWT, valid for 15 minutes by default; replaces the previous one' })
  accessToken!: string
}

/** Why a refresh was refused; the answer says only what {@link PastSessions} knows. */
const REASONS = [
  'not presented',
  'not live',
  'other source',
  'other origin',
  'satellite closed',
  'anomaly',
] as const
type RefreshRefusal = (typeof REASONS)[number]

@ApiTags('Auth')
@Controller('api')
export class RefreshController {
  private readonly refreshed = countsOf(SOURCES)
  private readonly refused = countsOf(REASONS)

  constructor(
    private readonly store: SessionStore,
    private readonly terms: SessionTerms,
    private readonly anomalyCheck: RefreshAnomalyCheck,
    private readonly pastSessions: PastSessions,
    private readonly sessionChanges: SessionChanges,
    private readonly rateLimiter: RateLimiter,
    private readonly auditLog: AuditLog,
    private readonly settings: Settings,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    metrics.counter({
      name: 'refresh_refusals_total',
      help: 'Refreshes refused with 401, by the reason',
      label: 'reason',
      read: () => this.refused,
    })
    metrics.counter({
      name: 'refreshes_total',
      help: 'Access tokens given for sessions, by where the session is used',
      label: 'source',
      read: () => this.refreshed,
    })
  }

  @Public()
  @Post('refresh')
  @ApiSecurity('sessionId')
  @ApiCookieAuth('sessionCookie')
  @ApiQuery({
    name: 'optional',
    required: false,
    enum: ['true'],
    description:
      'A request that names no session is answered 204 instead of 401: browsers log every 401 as an error.',
  })
  @ApiResponse({ status: 204, description: 'With `optional=true`: the request names no session' })
  @ApiOperation({
    summary: 'Get a new access token',
    description:
      'Takes the cookie `sessionId` (main site) or the header `X-Session-ID` (all other clients), never both. Of several cookies, as a browser may have after a change of COOKIE_DOMAIN, the only live session is taken, and the others are cleared. No body. The 401 for a session that is over has the member `reason` where it is known: `revoked` (it was ended before its time: a logout, a new password, a manager), `expired` or `idle` (it was not refreshed for longer than its idle timeout). Where a session has an idle timeout, the claim `idle_timeout` of its access tokens says so, in seconds: only a refresh counts as use.',
  })
  @Answers(200, 'A new access token', RefreshAnswer)
  @Refuses(
    'SESSION_NOT_FOUND',
    'CROSS_SITE_REFUSED',
    'TOO_MANY_ATTEMPTS',
    'SESSION_STORE_UNAVAILABLE',
    'DATABASE_UNAVAILABLE',
  )
  async refresh(
    @Req() request: FastifyRequest,
    @CurrentClient() client: Client,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const presented = presentedSession(request, this.settings)
    if (presented.kind === 'nothing' && isOptional(request)) {
      reply.status(204)
      return
    }
    if (presented.kind === 'several') return this.refreshOneOf(presented.sessionIds, client, reply)
    if (presented.kind === 'unusable') return this.refuseUnusable(client)
    if (presented.kind !== 'session') {
      // A visitor who has never logged in has guessed nothing.
      this.record(client, 'not presented')
      throw new ApiError(presented.kind === 'nothing' ? 'SESSION_NOT_FOUND' : 'CROSS_SITE_REFUSED')
    }
    const accessToken = await this.tokenFor(presented, client)
    this.refreshed[presented.source]++
    return { accessToken }
  }

  /**
   * Takes the only live session of the main site among these, and leaves the browser with its cookie alone. Refuses
   * when there is none, or more than one: a host below the same domain may have added its own.
   */
  private async refreshOneOf(sessionIds: readonly SessionId[], client: Client, reply: FastifyReply) {
    const now = this.clock.now()
    const found = await this.store.findAll(sessionIds.map(handleOf), now, client)
    const [session, ...others] = found.filter(({ source }) => source === 'main')
    const sessionId = sessionIds.find(candidate => handleOf(candidate) === session?.sid)
    if (!session || !sessionId || others.length > 0) return this.refuseUnusable(client)
    const accessToken = await this.tokenFor({ sessionId, source: 'main' }, client)
    const secondsLeft = unixSeconds(session.expiresAt) - unixSeconds(now)
    setSessionCookie(reply, sessionId, this.settings, secondsLeft)
    this.refreshed.main++
    return { accessToken }
  }

  /**
   * A new access token for the presented session. Throws `SESSION_NOT_FOUND`, and `TOO_MANY_ATTEMPTS` when
   * there is no such session and its network has sent many unknown ids. With a copy of the session in Redis, one round
   * trip there and no database, unless the client has changed.
   */
  private async tokenFor({ sessionId, source }: PresentedSession, client: Client): Promise<string> {
    const sid = handleOf(sessionId)
    const session = await this.store.touch(sid, this.clock.now(), client)
    if (!session) return this.refusePast(client, sid)
    const refusal =
      reasonToRefuse(session, source, client) ?? (this.terms.mayContinue(session) ? null : 'satellite closed')
    if (refusal) {
      this.record(client, refusal, session)
      throw overBecause(null)
    }
    if (isSameClient(session, client)) return this.terms.issueToken(session)
    const isEnded = await this.anomalyCheck.check(session, client)
    if (isEnded) {
      this.record(client, 'anomaly', session)
      throw overBecause('revoked')
    }
    // The check took time, in which the session may have ended or lost permissions.
    const current = await this.store.touch(sid, this.clock.now(), client)
    return current ? this.terms.issueToken(current) : this.refusePast(client, sid)
  }

  /**
   * For more than one identifier, or one that cannot be ours: throws `SESSION_NOT_FOUND`, or
   * `TOO_MANY_ATTEMPTS` (429) after many from that network.
   */
  private async refuseUnusable(client: Client): Promise<never> {
    await this.countUnknown(client, 'not presented')
    throw new ApiError('SESSION_NOT_FOUND')
  }

  /**
   * Like {@link refuseUnusable}, for an identifier that may have been a session's: the refusal has the
   * `reason` why the session is over, if that is known. A holder of its identifier has been its client.
   * The store was asked first, so a live session is never refused because of unknown ones. One that went unused for its
   * idle timeout ends here, so that no longer timeout brings it back.
   */
  private async refusePast(client: Client, sid: SessionHandle): Promise<never> {
    await this.countUnknown(client, 'not live')
    const past = await this.pastSessions.find(sid)
    if (past?.isOpen) await this.sessionChanges.endIdle(past, client)
    throw overBecause(past?.outcome ?? null)
  }

  private async countUnknown(client: Client, reason: RefreshRefusal): Promise<void> {
    await this.rateLimiter.count({ kind: 'session id', subject: '', client })
    this.record(client, reason)
  }

  private record(client: Client, reason: RefreshRefusal, session: Session | null = null): void {
    this.refused[reason]++
    const event = auditEvent({ ...session, client }, 'refresh', { reason })
    this.auditLog.enqueue(event, 'refused')
  }
}

/** Why a session may not be refreshed like this; null when it may. The client is not told. */
function reasonToRefuse(session: Session, source: Source, client: Client): RefreshRefusal | null {
  if (session.source !== source) return 'other source'
  const isElsewhere = source === 'satellite' && session.origin !== null && client.origin !== null
  return isElsewhere && session.origin !== client.origin ? 'other origin' : null
}

/** `SESSION_NOT_FOUND` with the member `reason`; without it for null. */
function overBecause(reason: SessionOutcome | null): ApiError {
  return new ApiError('SESSION_NOT_FOUND', { ...(reason && { members: { reason } }) })
}

/** Parsed by hand: query validation would cost every refresh too much for one parameter. */
function isOptional({ query }: FastifyRequest): boolean {
  return (query as { optional?: unknown }).optional === 'true'
}
