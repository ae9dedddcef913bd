import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { setRememberedDeviceCookie } from '../../factors/remembered-devices.js'
import { type Client, CurrentClient } from '../../platform/http/request.js'
import { Public } from '../../tokens/jwt.guard.js'
import { LoginTransport } from '../login/login-transport.js'
import { DeviceMemory } from './device-memory.js'
import { SecondFactorBody, SecondFactorDocs } from './second-factor.dto.js'
import { SecondFactorChallenges } from './second-factor-challenges.js'
import { SecondFactorLoginService } from './second-factor-login.service.js'

@ApiTags('Auth')
@Controller('api/login')
export class SecondFactorController {
  constructor(
    private readonly challenges: SecondFactorChallenges,
    private readonly secondFactorLogin: SecondFactorLoginService,
    private readonly deviceMemory: DeviceMemory,
    private readonly transport: LoginTransport,
  ) {}

  /** The second step of a login. Public: the challenge and the factor are the proof. */
  @Public()
  @Post('second-factor')
  @HttpCode(200)
  @SecondFactorDocs()
  async complete(
    @Body() body: SecondFactorBody,
    @CurrentClient() client: Client,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const challenge = await this.challenges.take(body.challenge, client)
    const login = { source: challenge.source, deviceId: body.deviceId }
    const context = this.transport.contextOf(login, client, request)
    const loggedIn = await this.secondFactorLogin.complete(challenge, body, context)
    const remembered =
      body.rememberDevice && login.source === 'main' && (await this.deviceMemory.remember(loggedIn, context))
    if (remembered) setRememberedDeviceCookie(reply, remembered)
    return this.transport.answer(loggedIn, login, reply)
  }
}
