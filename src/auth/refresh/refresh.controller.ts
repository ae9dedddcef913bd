import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Settings } from '../../config/settings.js'
import { ApiError } from '../../errors/api-error.js'
import { type Client, CurrentClient } from '../../http/client.js'
import { countsOf, Metrics } from '../../metrics/metrics.js'
import { SOURCES } from '../../permissions/permissions.js'
import { type PresentedSession, presentedSession, presentsNothing } from '../../sessions/session-cookie.js'
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
    if (isOptional(request) && presentsNothing(request, this.settings)) {
      reply.status(204)
      return
    }
    const presented = await this.presented(request, client)
    const accessToken = await this.refreshService.refresh(presented, client)
    this.refreshed[presented.source]++
    return { accessToken }
  }

  private async presented(request: FastifyRequest, client: Client): Promise<PresentedSession> {
    try {
      return presentedSession(request, this.settings)
    } catch (refusal) {
      // A visitor who has never logged in has guessed nothing.
      if (isNotFound(refusal) && !presentsNothing(request, this.settings))
        return this.refusals.refuseUnusable(client)
      this.refusals.record(client, 'not presented')
      throw refusal
    }
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'SESSION_NOT_FOUND'
}

/** Parsed by hand: query validation would cost every refresh too much for one parameter. */
function isOptional({ query }: FastifyRequest): boolean {
  return (query as { optional?: unknown }).optional === 'true'
}
