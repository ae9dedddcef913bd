import { Body, Controller, HttpCode, Post } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { type Client, CurrentClient } from '../../http/client.js'
import { CurrentSession } from '../../sessions/actor.js'
import { LiveSession } from '../../sessions/guards/protection.decorators.js'
import type { Session } from '../../sessions/session.js'
import { Public } from '../../tokens/jwt.guard.js'
import { CountsAsWrite } from '../../tokens/write-limit.guard.js'
import {
  PasswordChangeBody,
  PasswordChangeDocs,
  PasswordForgotBody,
  PasswordForgotDocs,
  PasswordResetBody,
  PasswordResetDocs,
} from './password.dto.js'
import { PasswordLinkReset } from './password-by-link.service.js'
import { PasswordChange } from './password-change.service.js'
import { PasswordForgot } from './password-forgot.service.js'

@ApiTags('Passwords')
@Controller('api/password')
export class PasswordController {
  constructor(
    private readonly passwordForgot: PasswordForgot,
    private readonly passwordReset: PasswordLinkReset,
    private readonly passwordChange: PasswordChange,
  ) {}

  /**
   * Mails a reset link, if there is such a user. Public: whoever has forgotten their password cannot log in.
   */
  @Public()
  @Post('forgot')
  @HttpCode(202)
  @PasswordForgotDocs()
  forgot(@Body() { email }: PasswordForgotBody, @CurrentClient() client: Client) {
    return this.passwordForgot.mailLink(email, client)
  }

  /** Sets a new password. Public: the link is the proof. */
  @Public()
  @Post('reset')
  @HttpCode(204)
  @PasswordResetDocs()
  reset(@Body() { token, password }: PasswordResetBody, @CurrentClient() client: Client) {
    return this.passwordReset.reset(token, password, client)
  }

  /** Sets a new password for the user of this session, who also supplies the current one. */
  @Post('change')
  @CountsAsWrite(false)
  @HttpCode(204)
  @LiveSession({ cookieBound: true })
  @PasswordChangeDocs()
  change(
    @CurrentSession() session: Session,
    @Body() passwords: PasswordChangeBody,
    @CurrentClient() client: Client,
  ) {
    return this.passwordChange.change(session, passwords, client)
  }
}
