import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  HttpCode,
  Injectable,
  Post,
  UseGuards,
} from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { type Client, CurrentClient, requestOf } from '../../http/client.js'
import { DocumentedGuard, documentationOf } from '../../http/documented.js'
import { MailedLinkBody } from '../../links/mailed-token.dto.js'
import { MainSourceGuard } from '../../sessions/guards/main-source.guard.js'
import { MainSite } from '../../sessions/guards/protection.decorators.js'
import type { Session } from '../../sessions/session.js'
import { CurrentActor, CurrentSession, type SessionActor } from '../../sessions/session-actor.js'
import { AccessTokens } from '../../tokens/access-tokens.js'
import { JwtGuard, Public, requireCaller } from '../../tokens/jwt.guard.js'
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

/**
 * For public routes that a main session may call too. Without an access token the request passes without a
 * session. With one, it must be a live main session; otherwise it is refused as by {@link MainSourceGuard}.
 */
@Injectable()
@DocumentedGuard({
  refusals: [JwtGuard, MainSourceGuard].flatMap(guard => documentationOf(guard).refusals),
})
export class OptionalMainSessionGuard implements CanActivate {
  constructor(
    private readonly accessTokens: AccessTokens,
    private readonly mainSource: MainSourceGuard,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context)
    if (request.headers.authorization === undefined) return true
    request.caller = requireCaller(request, this.accessTokens)
    return this.mainSource.canActivate(context)
  }
}

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
