import type { Caller } from '@mainstay-auth/verify/token-rules'
import { Body, Controller, HttpCode, Post, Query, Req, Res } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Settings } from '../../platform/config/settings.js'
import { type Client, CurrentClient } from '../../platform/http/request.js'
import { ExemptFromWriteLimit } from '../../sessions/guards/write-limit.guard.js'
import { clearSessionCookie } from '../../sessions/session-cookie.js'
import { CurrentCaller, Public } from '../../tokens/jwt.guard.js'
import { LoginBody, LoginDocs, LogoutDocs, LogoutQuery } from './login.dto.js'
import { LoginService } from './login.service.js'
import { LoginSessions } from './login-sessions.js'
import { LoginTransport } from './login-transport.js'

@ApiTags('Auth')
@Controller('api')
export class LoginController {
  constructor(
    private readonly loginService: LoginService,
    private readonly loginSessions: LoginSessions,
    private readonly transport: LoginTransport,
    private readonly settings: Settings,
  ) {}

  /**
   * Logs in with e-mail address and password. The main site gets its session as a cookie, all others in the
   * body.
   */
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
    const context = this.transport.contextOf(body, client, request)
    return this.transport.answer(await this.loginService.login(body, context), body, reply)
  }

  /**
   * Ends the session of the access token; on the main site also clears its cookie and ends the satellites' sessions
   * that were handed off from it. A cookie that meanwhile names another session stays: a logout may be repeated after the
   * next login.
   */
  @Post('logout')
  @ExemptFromWriteLimit()
  @HttpCode(204)
  @LogoutDocs()
  async logout(
    @CurrentCaller() caller: Caller,
    @CurrentClient() client: Client,
    @Query() { scope }: LogoutQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    await this.loginSessions.end(caller, client, scope)
    clearSessionCookie(reply, caller, this.settings)
  }
}
