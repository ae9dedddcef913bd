import { Body, Controller, Post, Req, Res } from '@nestjs/common'
import { ApiOperation, ApiTags, IntersectionType } from '@nestjs/swagger'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Settings } from '../platform/config/settings.js'
import { Answers, Refuses } from '../platform/http/endpoint.js'
import { ListOf } from '../platform/http/fields.js'
import { type Client, CurrentClient } from '../platform/http/request.js'
import { ExemptFromWriteLimit, LiveSession } from '../sessions/guards.js'
import { CurrentActor, type SessionActor } from '../sessions/session-actor.js'
import { Public } from '../tokens/jwt.guard.js'
import { type Email, EmailAddress } from '../users/email.js'
import { NewPassword, Password } from '../users/passwords/passwords.js'
import { answerToLink, LINK_LOGIN, LinkLoginAnswer, LinkLoginBody, linkContextOf } from './link-login.js'
import { PasswordChanges, PasswordForgot } from './password.js'

class PasswordForgotBody {
  @EmailAddress({ example: 'owner@example.com' }) email!: Email
}

class NewPasswordBody {
  @NewPassword({ description: 'The new password', example: 'four words nobody guesses' }) password!: string
}

class PasswordResetBody extends IntersectionType(LinkLoginBody, NewPasswordBody) {}

class PasswordResetAnswer extends LinkLoginAnswer {
  @ListOf(String, {
    nullable: true,
    description: 'Origins of the satellites where the user may log in; null means everywhere',
  })
  satellites!: readonly string[] | null
}

class PasswordChangeBody extends NewPasswordBody {
  @Password({ description: 'The password that the user has now', example: 'correct horse battery staple' })
  currentPassword!: string
}

@ApiTags('Passwords')
@Controller('api/password')
export class PasswordController {
  constructor(
    private readonly forgotten: PasswordForgot,
    private readonly changes: PasswordChanges,
    private readonly settings: Settings,
  ) {}

  /** Public: a user who has forgotten their password cannot log in. */
  @Public()
  @Post('forgot')
  @ApiOperation({
    summary: 'Request a link to choose a new password',
    description:
      'The answer is the same for every address and takes the same time. The link works once, within 30 minutes, and invalidates earlier ones.',
  })
  @Answers(202, 'If there is such a user, the mail is on its way')
  @Refuses('MAIL_UNAVAILABLE')
  forgot(@Body() { email }: PasswordForgotBody, @CurrentClient() client: Client) {
    return this.forgotten.request(email, client)
  }

  /** Public: the link is the proof. */
  @Public()
  @Post('reset')
  @ApiOperation({
    summary: 'Choose a new password with a mailed link',
    description:
      'Uses up the link and ends all sessions of the user. If the address that it was mailed to was changed within ' +
      `the last 7 days, that address comes back. With a weak password the link stays valid for another try. ${LINK_LOGIN}`,
  })
  @Answers(200, 'The new password is set', PasswordResetAnswer)
  @Refuses('INVALID_LINK', 'EMAIL_TAKEN', 'WEAK_PASSWORD', 'TOO_BUSY')
  async reset(
    @Body() body: PasswordResetBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const context = linkContextOf(body, request, this.settings)
    const { login, satellites } = await this.changes.reset(body.token, body.password, context)
    return { satellites, ...answerToLink(login, context, reply, this.settings) }
  }

  @Post('change')
  @ExemptFromWriteLimit()
  @LiveSession({ cookieBound: true })
  @ApiOperation({
    summary: 'Change your password',
    description:
      'Requires the current password. A main session needs its cookie too. Ends all other sessions of the user; this one ' +
      'continues. A pending transfer of the account and a pending change of e-mail address are cancelled.',
  })
  @Answers(204, 'The new password is set')
  @Refuses('WEAK_PASSWORD', 'INVALID_CREDENTIALS', 'OWNER_LOGIN_BARRED', 'HANDOFF_REQUIRED', 'TOO_BUSY')
  change(@CurrentActor() actor: SessionActor, @Body() passwords: PasswordChangeBody) {
    return this.changes.change(actor, passwords)
  }
}
