import { Controller, HttpCode, Post, Req } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import type { FastifyRequest } from 'fastify'
import { Settings } from '../config/settings.js'
import { type Client, CurrentClient } from '../http/client.js'
import { Public } from '../tokens/public.decorator.js'
import { type PresentedSession, presentedSession } from './presented-session.js'
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
  async refresh(@Req() request: FastifyRequest, @CurrentClient() client: Client) {
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
