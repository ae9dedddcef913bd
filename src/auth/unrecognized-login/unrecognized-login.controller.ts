import { Body, Controller, HttpCode, Post } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { type Client, CurrentClient } from '../../platform/http/request.js'
import { MailedLinkBody } from '../../platform/one-time-tokens.js'
import { Public } from '../../tokens/jwt.guard.js'
import { UnrecognizedLoginDocs } from './unrecognized-login.dto.js'
import { UnrecognizedLoginService } from './unrecognized-login.service.js'

@ApiTags('Sessions')
@Controller('api/sessions')
export class UnrecognizedLoginController {
  constructor(private readonly unrecognizedLogin: UnrecognizedLoginService) {}

  /**
   * Logs the user out everywhere and starts a reset. Public: the link is the proof, and its user may not be
   * logged in anywhere.
   */
  @Public()
  @Post('not-me')
  @HttpCode(204)
  @UnrecognizedLoginDocs()
  report(@Body() { token }: MailedLinkBody, @CurrentClient() client: Client) {
    return this.unrecognizedLogin.report(token, client)
  }
}
