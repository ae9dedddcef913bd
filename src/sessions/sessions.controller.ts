import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Settings } from '../config/settings.js'
import { type Client, CurrentClient } from '../http/client.js'
import { Public } from '../tokens/public.decorator.js'
import { type PresentedSession, presentedSession, presentsNothing } from './presented-session.js'
import { RefreshService } from './refresh.service.js'
import { RefreshDocs } from './sessions.docs.js'

@ApiTags('Auth')
@Controller('api')
export class SessionsController {
  constructor(
    private readonly refreshService: RefreshService,
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
    return { accessToken: await this.refreshService.refresh(this.presented(request, client), client) }
  }

  private presented(request: FastifyRequest, client: Client): PresentedSession {
    try {
      return presentedSession(request, this.settings)
    } catch (refusal) {
      this.refreshService.noteRefusal(client, 'not presented')
      throw refusal
    }
  }
}

/** Read by hand: the validation of queries would cost every refresh more than it is worth for one word. */
function isOptional({ query }: FastifyRequest): boolean {
  return (query as { optional?: unknown }).optional === 'true'
}
