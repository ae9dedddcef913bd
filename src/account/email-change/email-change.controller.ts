import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { type Client, CurrentClient } from '../../http/client.js'
import { MailedLinkBody } from '../../links/mailed-token.js'
import { CurrentSession } from '../../sessions/actor.js'
import { MainSite } from '../../sessions/guards/protection.decorators.js'
import type { Session } from '../../sessions/session.js'
import { Public } from '../../tokens/jwt.guard.js'
import { OptionalMainSessionGuard } from '../optional-main-session.guard.js'
import {
  AskEmailChangeDocs,
  ConfirmEmailBody,
  ConfirmEmailChangeDocs,
  EmailChangeBody,
  UndoEmailChangeDocs,
} from './email-change.dto.js'
import { EmailChangeService } from './email-change.service.js'
import { EmailUndoService } from './email-undo.service.js'

@ApiTags('Profile')
@Controller('api/email')
export class EmailChangeController {
  constructor(
    private readonly emailChange: EmailChangeService,
    private readonly emailUndo: EmailUndoService,
  ) {}

  /** Requests another e-mail address. */
  @Post('change')
  @HttpCode(202)
  @MainSite({ reauthenticated: true })
  @AskEmailChangeDocs()
  change(
    @CurrentSession() session: Session,
    @Body() { email }: EmailChangeBody,
    @CurrentClient() client: Client,
  ) {
    return this.emailChange.request(session, email, client)
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
    return this.emailChange.confirm(token, { session, password }, client)
  }

  /** Changes it back. Public, because whoever has to undo it may no longer be able to log in. */
  @Public()
  @Post('undo')
  @HttpCode(204)
  @UndoEmailChangeDocs()
  undo(@Body() { token }: MailedLinkBody, @CurrentClient() client: Client) {
    return this.emailUndo.undo(token, client)
  }
}
