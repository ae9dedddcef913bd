import { Body, Controller, HttpCode, Post } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { type Client, CurrentClient } from '../../http/client.js'
import { Public } from '../../tokens/public.decorator.js'
import { NotMeBody } from './unrecognized-login.body.js'
import { NotMeDocs } from './unrecognized-login.docs.js'
import { NotMeService } from './unrecognized-login.service.js'

@ApiTags('Sessions')
@Controller('api/sessions')
export class NotMeController {
  constructor(private readonly notMe: NotMeService) {}

  /**
   * Logs the user out everywhere and starts a reset. Public: the link is the proof, and its user may not be
   * logged in anywhere.
   */
  @Public()
  @Post('not-me')
  @HttpCode(204)
  @NotMeDocs()
  disown(@Body() { token }: NotMeBody, @CurrentClient() client: Client) {
    return this.notMe.disown(token, client)
  }
}
