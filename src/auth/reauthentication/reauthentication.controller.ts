import { Body, Controller, HttpCode, Post } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { LiveSession } from '../../sessions/guards/protection.decorators.js'
import { CurrentActor, type SessionActor } from '../../sessions/session-actor.js'
import { CountsAsWrite } from '../../tokens/write-limit.guard.js'
import { ReauthenticateBody, ReauthenticateDocs } from './reauthentication.dto.js'
import { ReauthenticationService } from './reauthentication.service.js'

@ApiTags('Auth')
@Controller('api')
export class ReauthenticationController {
  constructor(private readonly reauthentication: ReauthenticationService) {}

  /** The user supplies the password again, to do what an unattended browser must not. */
  @Post('reauthenticate')
  @CountsAsWrite(false)
  @HttpCode(200)
  @LiveSession()
  @ReauthenticateDocs()
  async reauthenticate(@CurrentActor() actor: SessionActor, @Body() { password }: ReauthenticateBody) {
    return { reauthenticatedUntil: await this.reauthentication.reauthenticate(actor, password) }
  }
}
