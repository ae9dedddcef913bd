import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common'
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger'
import { type Client, CurrentClient } from '../http/client.js'
import { CurrentSession } from '../sessions/current-session.decorator.js'
import { MainSourceGuard } from '../sessions/main-source.guard.js'
import { ReauthenticationGuard } from '../sessions/reauthentication.guard.js'
import type { Session } from '../sessions/session.js'
import { Public } from '../tokens/public.decorator.js'
import { EmailChangeBody } from './email-change.body.js'
import { AskEmailChangeDocs, ConfirmEmailChangeDocs, UndoEmailChangeDocs } from './email-change.docs.js'
import { EmailChangeService } from './email-change.service.js'
import { EmailUndoService } from './email-undo.service.js'
import { MailedLinkBody } from './mailed-link.body.js'

@ApiTags('Profile')
@Controller('api/email')
export class EmailChangeController {
  constructor(
    private readonly emailChange: EmailChangeService,
    private readonly emailUndo: EmailUndoService,
  ) {}

  /** Asks for another e-mail address. */
  @Post('change')
  @HttpCode(202)
  @ApiBearerAuth('accessToken')
  @AskEmailChangeDocs()
  @UseGuards(MainSourceGuard, ReauthenticationGuard)
  change(
    @CurrentSession() session: Session,
    @Body() { email }: EmailChangeBody,
    @CurrentClient() client: Client,
  ) {
    return this.emailChange.ask(session, email, client)
  }

  /** Changes the address. Public: the link is the proof, and may be opened on another device. */
  @Public()
  @Post('confirm')
  @HttpCode(204)
  @ConfirmEmailChangeDocs()
  confirm(@Body() { token }: MailedLinkBody, @CurrentClient() client: Client) {
    return this.emailChange.confirm(token, client)
  }

  /** Changes it back. Public: whoever has to undo it may not be able to log in any more. */
  @Public()
  @Post('undo')
  @HttpCode(204)
  @UndoEmailChangeDocs()
  undo(@Body() { token }: MailedLinkBody, @CurrentClient() client: Client) {
    return this.emailUndo.undo(token, client)
  }
}
