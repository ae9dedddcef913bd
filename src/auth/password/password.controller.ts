import { Body, Controller, HttpCode, Post } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { type Client, CurrentClient } from '../../platform/http/request.js'
import { LiveSession } from '../../sessions/guards/protection.decorators.js'
import { ExemptFromWriteLimit } from '../../sessions/guards/write-limit.guard.js'
import { CurrentActor, type SessionActor } from '../../sessions/session-actor.js'
import { Public } from '../../tokens/jwt.guard.js'
import {
  PasswordChangeBody,
  PasswordChangeDocs,
  PasswordForgotBody,
  PasswordForgotDocs,
  PasswordResetBody,
  PasswordResetDocs,
} from './password.dto.js'
import { PasswordChangeService } from './password-change.service.js'
import { PasswordForgotService } from './password-forgot.service.js'
import { PasswordResetService } from './password-reset.service.js'

@ApiTags('Passwords')
@Controller('api/password')
export class PasswordController {
  constructor(
    private readonly passwordForgot: PasswordForgotService,
    private readonly passwordReset: PasswordResetService,
    private readonly passwordChange: PasswordChangeService,
  ) {}

  /** Mails a reset link, if there is such a user. Public: a user who has forgotten their password cannot log in. */
  @Public()
  @Post('forgot')
  @HttpCode(202)
  @PasswordForgotDocs()
  forgot(@Body() { email }: PasswordForgotBody, @CurrentClient() client: Client) {
    return this.passwordForgot.request(email, client)
  }

  /** Sets a new password. Public: the link is the proof. */
  @Public()
  @Post('reset')
  @HttpCode(200)
  @PasswordResetDocs()
  reset(@Body() { token, password }: PasswordResetBody, @CurrentClient() client: Client) {
    return this.passwordReset.reset(token, password, client)
  }

  /** Sets a new password for the user of this session, who also supplies the current one. */
  @Post('change')
  @ExemptFromWriteLimit()
  @HttpCode(204)
  @LiveSession({ cookieBound: true })
  @PasswordChangeDocs()
  change(@CurrentActor() actor: SessionActor, @Body() passwords: PasswordChangeBody) {
    return this.passwordChange.change(actor, passwords)
  }
}
