import { Body, Controller, Get, HttpCode, Post, Res } from '@nestjs/common'
import { ApiExcludeController } from '@nestjs/swagger'
import { IsString, MaxLength } from 'class-validator'
import type { FastifyReply } from 'fastify'
import { type Client, CurrentClient } from '../platform/http/request.js'
import { ExemptFromWriteLimit } from '../sessions/guards/write-limit.guard.js'
import { type Email, IsEmailAddress } from '../users/email.js'
import { IsPassword } from '../users/passwords/password-text.js'
import { CurrentOperator, ForConsole, ForOperators } from './operator.guard.js'
import { clearOperatorCookie, setOperatorCookie } from './operator-cookie.js'
import { OperatorLogin } from './operator-login.js'
import { type OperatorSession, OperatorSessions } from './operator-sessions.js'

export class OperatorLoginBody {
  @IsEmailAddress()
  email!: Email

  @IsPassword()
  password!: string

  @IsString()
  @MaxLength(20)
  code!: string
}

@ApiExcludeController()
@Controller('api/operator')
export class OperatorLoginController {
  constructor(
    private readonly login: OperatorLogin,
    private readonly sessions: OperatorSessions,
  ) {}

  @ForConsole()
  @Post('login')
  @HttpCode(204)
  async logIn(
    @Body() body: OperatorLoginBody,
    @CurrentClient() client: Client,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    setOperatorCookie(reply, await this.login.logIn(body, client))
  }

  @ForOperators()
  @ExemptFromWriteLimit()
  @Post('logout')
  @HttpCode(204)
  async logOut(
    @CurrentOperator() session: OperatorSession,
    @CurrentClient() client: Client,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.sessions.endAll(session, client)
    clearOperatorCookie(reply)
  }

  @ForOperators()
  @Get('me')
  me(@CurrentOperator() { operatorId, email, expiresAt }: OperatorSession) {
    return { id: operatorId, email, expiresAt }
  }
}
