import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Settings } from '../../platform/config/settings.js'
import { ApiError } from '../../platform/errors/api-error.js'
import { type Client, CurrentClient } from '../../platform/http/request.js'
import { countsOf, Metrics } from '../../platform/metrics.js'
import { SOURCES } from '../../platform/permissions.js'
import type { SessionId } from '../../sessions/session.js'
import { presentedSession, setSessionCookie } from '../../sessions/session-cookie.js'
import { Public } from '../../tokens/jwt.guard.js'
import { RefreshDocs } from './refresh.dto.js'
import { RefreshService } from './refresh.service.js'
import { RefreshRefusals } from './refresh-refusals.js'

@ApiTags('Auth')
@Controller('api')
export class RefreshController {
  private readonly refreshed = countsOf(SOURCES)

  constructor(
    private readonly refreshService: RefreshService,
    private readonly refusals: RefreshRefusals,
    private readonly settings: Settings,
    metrics: Metrics,
  ) {
    metrics.counter({
      name: 'refreshes_total',
      help: 'Access tokens given for sessions, by where the session is used',
      label: 'source',
      read: () => this.refreshed,
    })
  }

  /** A new access token for the session in the cookie (main site) or in X-Session-ID (all others). */
  @Public()
  @Post('refresh')
  @HttpCode(200)
  @RefreshDocs()
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
    if (presented.kind !== 'session') return this.refuse(presented.kind, client)
    const accessToken = await this.refreshService.refresh(presented, client)
    this.refreshed[presented.source]++
    return { accessToken }
  }

  /** Takes the only session that is live, and leaves the browser with its cookie alone. */
  private async refreshOneOf(sessionIds: readonly SessionId[], client: Client, reply: FastifyReply) {
    const live = await this.refreshService.onlyLive(sessionIds)
    if (!live) return this.refuse('unusable', client)
    const { sessionId, secondsLeft } = live
    const accessToken = await this.refreshService.refresh({ sessionId, source: 'main' }, client)
    setSessionCookie(reply, sessionId, this.settings, secondsLeft)
    this.refreshed.main++
    return { accessToken }
  }

  private async refuse(presented: 'nothing' | 'unusable' | 'cross-site', client: Client): Promise<never> {
    if (presented === 'unusable') return this.refusals.refuseUnusable(client)
    // A visitor who has never logged in has guessed nothing.
    this.refusals.record(client, 'not presented')
    throw new ApiError(presented === 'nothing' ? 'SESSION_NOT_FOUND' : 'CROSS_SITE_REFUSED')
  }
}

/** Parsed by hand: query validation would cost every refresh too much for one parameter. */
function isOptional({ query }: FastifyRequest): boolean {
  return (query as { optional?: unknown }).optional === 'true'
}
