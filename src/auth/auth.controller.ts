import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common'
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Settings } from '../config/settings.js'
import { type Client, CurrentClient } from '../http/client.js'
import { requireMainOrigin } from '../sessions/main-origin.js'
import {
  clearHostOnlyTwin,
  clearSessionCookie,
  presentedCookies,
  presentedSessionIds,
  setSessionCookie,
} from '../sessions/session-cookie.js'
import type { Caller } from '../tokens/claims.js'
import { CurrentCaller } from '../tokens/current-caller.decorator.js'
import { Public } from '../tokens/public.decorator.js'
import { CountsAsWrite } from '../tokens/write-limit.guard.js'
import { LoginDocs, LogoutDocs } from './auth.docs.js'
import { LoginBody } from './login.body.js'
import { LoginService } from './login.service.js'
import { LogoutService } from './logout.service.js'

@ApiTags('Auth')
@Controller('api')
export class AuthController {
  constructor(
    private readonly loginService: LoginService,
    private readonly logoutService: LogoutService,
    private readonly settings: Settings,
  ) {}

  /** Logs in with e-mail and password. The main site gets its session as a cookie, everybody else in the body. */
  @Public()
  @Post('login')
  @HttpCode(200)
  @LoginDocs()
  async login(
    @Body() body: LoginBody,
    @CurrentClient() client: Client,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    if (body.source === 'main') requireMainOrigin(request, this.settings)
    const replaced = body.source === 'main' ? presentedSessionIds(request) : []
    const { accessToken, sessionId } = await this.loginService.login(body, replaced, client)
    if (body.source === 'satellite') return { accessToken, sessionId }
    if (presentedCookies(request).length > 1) clearHostOnlyTwin(reply, this.settings)
    setSessionCookie(reply, sessionId, this.settings)
    return { accessToken }
  }

  /** Ends the session of the access token; on the main site the cookie goes too. */
  @Post('logout')
  @CountsAsWrite(false)
  @HttpCode(204)
  @ApiBearerAuth('accessToken')
  @LogoutDocs()
  async logout(
    @CurrentCaller() caller: Caller,
    @CurrentClient() client: Client,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    await this.logoutService.logout(caller, client)
    if (caller.source === 'main') clearSessionCookie(reply, this.settings)
  }
}
