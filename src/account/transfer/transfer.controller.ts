import { Body, Controller, Delete, HttpCode, Post } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { type Client, CurrentClient } from '../../platform/http/request.js'
import { MailedLinkBody } from '../../platform/one-time-tokens.js'
import { MainSite } from '../../sessions/guards/protection.decorators.js'
import { ContainsDamage } from '../../sessions/guards/write-limit.guard.js'
import { CurrentActor, type SessionActor } from '../../sessions/session-actor.js'
import { Public } from '../../tokens/jwt.guard.js'
import { OwnerGuard } from '../owner.guard.js'
import { OwnershipTransferService, TransferAcceptance } from './ownership-transfer.service.js'
import {
  AcceptTransferDocs,
  CancelTransferDocs,
  RequestTransferDocs,
  StopTransferDocs,
  TransferBody,
  transferAnswer,
} from './transfer.dto.js'
import { TransferCancellation } from './transfer-cancellation.js'

@ApiTags('Account')
@Controller('api/account/transfer')
export class TransferController {
  constructor(
    private readonly ownershipTransfer: OwnershipTransferService,
    private readonly acceptance: TransferAcceptance,
    private readonly cancellation: TransferCancellation,
  ) {}

  /** Asks a member to become the owner in the caller's place. */
  @Post()
  @HttpCode(202)
  @MainSite({ guard: OwnerGuard, reauthenticated: true })
  @RequestTransferDocs()
  async request(@CurrentActor() actor: SessionActor, @Body() { userId }: TransferBody) {
    return transferAnswer(await this.ownershipTransfer.request(actor, userId))
  }

  /** Cancels it. */
  @ContainsDamage()
  @Delete()
  @HttpCode(204)
  @MainSite({ guard: OwnerGuard })
  @CancelTransferDocs()
  cancel(@CurrentActor() actor: SessionActor) {
    return this.cancellation.byOwner(actor)
  }

  /** The member agrees. Public: the link is the proof, and may be opened on another device. */
  @Public()
  @Post('accept')
  @HttpCode(200)
  @AcceptTransferDocs()
  async accept(@Body() { token }: MailedLinkBody, @CurrentClient() client: Client) {
    return transferAnswer(await this.acceptance.accept(token, client))
  }

  /** The owner stops it. Public, because an owner who has to stop it may no longer be able to log in. */
  @Public()
  @Post('stop')
  @HttpCode(204)
  @StopTransferDocs()
  stop(@Body() { token }: MailedLinkBody, @CurrentClient() client: Client) {
    return this.cancellation.byLink(token, client)
  }
}
