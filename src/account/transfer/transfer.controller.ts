import { Body, Controller, Delete, HttpCode, Post } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { type Client, CurrentClient } from '../../http/client.js'
import { MailedLinkBody } from '../../links/mailed-token.js'
import { CurrentSession } from '../../sessions/actor.js'
import { MainSite } from '../../sessions/guards/protection.decorators.js'
import type { Session } from '../../sessions/session.js'
import { Public } from '../../tokens/jwt.guard.js'
import { OwnerGuard } from '../owner.guard.js'
import { OwnershipTransfer } from './ownership-transfer.service.js'
import {
  AcceptTransferDocs,
  CancelTransferDocs,
  RequestTransferDocs,
  StopTransferDocs,
  TransferBody,
} from './transfer.dto.js'
import { TransferCancellation } from './transfer-cancellation.js'
import { TransferLinks } from './transfer-links.service.js'
import { transferView } from './transfer-view.js'

@ApiTags('Account')
@Controller('api/account/transfer')
export class TransferController {
  constructor(
    private readonly ownershipTransfer: OwnershipTransfer,
    private readonly cancellation: TransferCancellation,
    private readonly links: TransferLinks,
  ) {}

  /** Asks a member to become the owner in the caller's place. */
  @Post()
  @HttpCode(202)
  @MainSite({ guard: OwnerGuard, reauthenticated: true })
  @RequestTransferDocs()
  async request(
    @CurrentSession() session: Session,
    @Body() { userId }: TransferBody,
    @CurrentClient() client: Client,
  ) {
    return transferView(await this.ownershipTransfer.request(session, userId, client))
  }

  /** Cancels it. */
  @Delete()
  @HttpCode(204)
  @MainSite({ guard: OwnerGuard })
  @CancelTransferDocs()
  cancel(@CurrentSession() session: Session, @CurrentClient() client: Client) {
    return this.cancellation.byOwner(session, { client, reason: 'cancelled by the owner' })
  }

  /** The member agrees. Public: the link is the proof, and may be opened on another device. */
  @Public()
  @Post('accept')
  @HttpCode(200)
  @AcceptTransferDocs()
  async accept(@Body() { token }: MailedLinkBody, @CurrentClient() client: Client) {
    return transferView(await this.links.accept(token, client))
  }

  /** The owner stops it. Public, because whoever has to stop it may no longer be able to log in. */
  @Public()
  @Post('stop')
  @HttpCode(204)
  @StopTransferDocs()
  stop(@Body() { token }: MailedLinkBody, @CurrentClient() client: Client) {
    return this.links.stop(token, client)
  }
}
