import { Body, Controller, Delete, Post } from '@nestjs/common'
import { ApiOperation, ApiTags } from '@nestjs/swagger'
import { Answers, Refuses } from '../platform/http/endpoint.js'
import { Id, Instant, Text } from '../platform/http/fields.js'
import { type Client, CurrentClient } from '../platform/http/request.js'
import { MailedLinkBody } from '../platform/one-time-tokens.js'
import { ContainsDamage, MainSite } from '../sessions/guards.js'
import { CurrentActor, type SessionActor } from '../sessions/session-actor.js'
import { Public } from '../tokens/jwt.guard.js'
import { OwnerGuard } from './account.js'
import { OwnershipTransferService, transferAnswer } from './transfer.js'

class TransferBody {
  @Id({ description: 'A member of the account' }) userId!: string
}

/** A transfer as seen by users who may change the account's settings. */
class TransferAnswer {
  @Id({ description: 'The future owner' }) userId!: string
  @Instant() requestedAt!: Date
  @Instant({ description: 'The earliest time at which it is done' }) readyAt!: Date
  @Instant({ description: 'It is cancelled if it has not been accepted by then' }) expiresAt!: Date
  @Instant({ nullable: true }) acceptedAt!: Date | null
}

/** The account's pending transfer, with who becomes the owner. */
export class PendingTransferAnswer extends TransferAnswer {
  @Text({ format: 'email' }) email!: string
  @Text({ nullable: true }) name!: string | null
}

@ApiTags('Account')
@Controller('api/account/transfer')
export class TransferController {
  constructor(private readonly transfers: OwnershipTransferService) {}

  @Post()
  @MainSite({ guard: OwnerGuard, reauthenticated: true })
  @ApiOperation({
    summary: 'Ask a member to become the owner',
    description:
      'For the owner on the main site, after a re-authentication. The member is mailed a link to accept, valid for 7 days; the owner is ' +
      'mailed a link to stop it. Once it has been accepted and TRANSFER_WAIT_SECONDS has passed, 12 hours after the acceptance at the earliest, the member becomes the owner, with every permission ' +
      'on all sites, and the owner becomes a member with the permissions of a new member. It waits longer while a change of ' +
      "either's e-mail address can be undone. A new password of the owner cancels it, and so does disabling or removing either.",
  })
  @Answers(202, 'The transfer is pending', TransferAnswer)
  @Refuses('NOT_FOUND', 'EMAIL_UNDO_OPEN', 'TRANSFER_PENDING', 'MAIL_UNAVAILABLE')
  async request(@CurrentActor() actor: SessionActor, @Body() { userId }: TransferBody) {
    return transferAnswer(await this.transfers.request(actor, userId))
  }

  @ContainsDamage()
  @Delete()
  @MainSite({ guard: OwnerGuard })
  @ApiOperation({ summary: 'Cancel the pending transfer', description: 'For the owner on the main site.' })
  @Answers(204, 'It is cancelled; both are notified by mail')
  @Refuses('NOT_FOUND')
  cancel(@CurrentActor() actor: SessionActor) {
    return this.transfers.cancel(actor)
  }

  /** Public: the link is the proof, and may be opened on another device. */
  @Public()
  @Post('accept')
  @ApiOperation({
    summary: 'Accept ownership',
    description: 'With the link mailed to the member. The owner is mailed another link to stop it.',
  })
  @Answers(200, 'Accepted; the transfer is done at `readyAt` at the earliest', TransferAnswer)
  @Refuses('INVALID_LINK', 'MAIL_UNAVAILABLE', 'SECOND_FACTOR_ENROLMENT_REQUIRED')
  async accept(@Body() { token }: MailedLinkBody, @CurrentClient() client: Client) {
    return transferAnswer(await this.transfers.accept(token, client))
  }

  /** Public, because an owner who has to stop it may no longer be able to log in. */
  @Public()
  @Post('stop')
  @ApiOperation({
    summary: 'Stop a transfer with a mailed link',
    description:
      "With a link mailed to the owner or to one of the owner's earlier addresses that can still come back. Owner and member are notified by mail.",
  })
  @Answers(204, 'The transfer is cancelled')
  @Refuses('INVALID_LINK', 'MAIL_UNAVAILABLE')
  stop(@Body() { token }: MailedLinkBody, @CurrentClient() client: Client) {
    return this.transfers.stop(token, client)
  }
}
