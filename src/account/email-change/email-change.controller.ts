import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { type Client, CurrentClient } from '../../platform/http/request.js'
import { MailedLinkBody } from '../../platform/one-time-tokens.js'
import { OptionalMainSessionGuard } from '../../sessions/guards/optional-main-session.guard.js'
import { MainSite } from '../../sessions/guards/protection.decorators.js'
import type { Session } from '../../sessions/session.js'
import { CurrentActor, CurrentSession, type SessionActor } from '../../sessions/session-actor.js'
import { Public } from '../../tokens/jwt.guard.js'
import {
  AskEmailChangeDocs,
  ConfirmEmailBody,
  ConfirmEmailChangeDocs,
  EmailChangeBody,
  UndoEmailChangeDocs,
} from './email-change.dto.js'
import { EmailChangeService } from './email-change.service.js'
import { EmailConfirmationService } from './email-confirmation.service.js'
import { EmailUndoService } from './email-undo.service.js'

@ApiTags('Profile')
@Controller('api/email')
export class EmailChangeController {
  constructor(
    private readonly emailChange: EmailChangeService,
    private readonly emailConfirmation: EmailConfirmationService,
    private readonly emailUndo: EmailUndoService,
  ) {}

  /** Requests another e-mail address. */
  @Post('change')
  @HttpCode(202)
  @MainSite({ enrolled: true, reauthenticated: true })
  @AskEmailChangeDocs()
  change(@CurrentActor() actor: SessionActor, @Body() { email }: EmailChangeBody) {
    return this.emailChange.request(actor, email)
  }

  /**
   * Changes the address. Public, because the link may be opened on another device; there the password takes
   * the place of the session.
   */
  @Public()
  @Post('confirm')
  @HttpCode(204)
  @ConfirmEmailChangeDocs()
  @UseGuards(OptionalMainSessionGuard)
  confirm(
    @CurrentSession() session: Session | null,
    @Body() { token, password }: ConfirmEmailBody,
    @CurrentClient() client: Client,
  ) {
    return this.emailConfirmation.confirm(token, { session, password }, client)
  }

  /** Changes it back. Public, because a user who has to undo a change may no longer be able to log in. */
  @Public()
  @Post('undo')
  @HttpCode(204)
  @UndoEmailChangeDocs()
  undo(@Body() { token }: MailedLinkBody, @CurrentClient() client: Client) {
    return this.emailUndo.undo(token, client)
  }
}
