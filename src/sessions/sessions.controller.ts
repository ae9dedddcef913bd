import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Settings } from '../config/settings.js'
import { ApiError } from '../errors/api-error.js'
import { type Client, CurrentClient } from '../http/client.js'
import { Public } from '../tokens/public.decorator.js'
import { type PresentedSession, presentedSession, presentsNothing } from './presented-session.js'
import { RefreshService } from './refresh.service.js'
import { RefusedRefreshes } from './refused-refreshes.js'
import { RefreshDocs } from './sessions.docs.js'

@ApiTags('Auth')
@Controller('api')
export class SessionsController {
  constructor(
    private readonly refreshService: RefreshService,
    private readonly refused: RefusedRefreshes,
    private readonly settings: Settings,
  ) {}

  /** A new access token for the session of the cookie (main site) or of X-Session-ID (everybody else). */
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
    return { accessToken: await this.refreshService.refresh(presented, client) }
  }

  private async presented(request: FastifyRequest, client: Client): Promise<PresentedSession> {
    try {
      return presentedSession(request, this.settings)
    } catch (refusal) {
      // A visitor who was never logged in has guessed at nothing.
      if (isNotFound(refusal) && !presentsNothing(request, this.settings))
        return this.refused.refuseUnknown(client, 'not presented')
      this.refused.note(client, 'not presented')
      throw refusal
    }
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'SESSION_NOT_FOUND'
}

/** Read by hand: the validation of queries would cost every refresh more than it is worth for one word. */
function isOptional({ query }: FastifyRequest): boolean {
  return (query as { optional?: unknown }).optional === 'true'
}
