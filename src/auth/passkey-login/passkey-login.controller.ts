import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { PasskeySites } from '../../factors/passkeys.js'
import { CHALLENGE_SECONDS, PasskeyChallenges } from '../../factors/webauthn.js'
import { type Client, CurrentClient } from '../../platform/http/request.js'
import { Public } from '../../tokens/jwt.guard.js'
import { LoginTransport } from '../login.controller.js'
import {
  PasskeyLoginBody,
  PasskeyLoginDocs,
  type PasskeyOptionsAnswer,
  PasskeyOptionsDocs,
} from './passkey-login.dto.js'
import { PasskeyLoginService } from './passkey-login.service.js'

@ApiTags('Auth')
@Controller('api/login/passkey')
export class PasskeyLoginController {
  constructor(
    private readonly passkeyLogin: PasskeyLoginService,
    private readonly challenges: PasskeyChallenges,
    private readonly sites: PasskeySites,
    private readonly transport: LoginTransport,
  ) {}

  /** What a browser needs to ask for a passkey. Public: it says nothing about anybody, and stores nothing. */
  @Public()
  @Post('options')
  @HttpCode(200)
  @PasskeyOptionsDocs()
  options(): PasskeyOptionsAnswer {
    return {
      challenge: this.challenges.issue({ for: 'assertion' }),
      rpId: this.sites.rpId,
      timeout: CHALLENGE_SECONDS * 1000,
      userVerification: 'required',
      allowCredentials: [],
    }
  }

  /** Logs in with a passkey. Public: its signature is the proof. */
  @Public()
  @Post()
  @HttpCode(200)
  @PasskeyLoginDocs()
  async login(
    @Body() body: PasskeyLoginBody,
    @CurrentClient() client: Client,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const context = this.transport.contextOf(body, client, request)
    const loggedIn = await this.passkeyLogin.login(body.response, context)
    return this.transport.answer(loggedIn, body, reply)
  }
}
