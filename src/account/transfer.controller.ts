import { Body, Controller, Delete, HttpCode, Post } from '@nestjs/common'
import { ApiProperty, ApiTags } from '@nestjs/swagger'
import { IsUUID } from 'class-validator'
import { BODY_REFUSALS, Documented } from '../platform/http/endpoint.js'
import { type Client, CurrentClient } from '../platform/http/request.js'
import { MailedLinkBody } from '../platform/one-time-tokens.js'
import { ContainsDamage, MainSite } from '../sessions/guards.js'
import { CurrentActor, type SessionActor } from '../sessions/session-actor.js'
import { Public } from '../tokens/jwt.guard.js'
import { OwnerGuard } from './account.js'
import { OwnershipTransferService, transferAnswer } from './transfer.js'

class TransferBody {
  @ApiProperty({ type: String, format: 'uuid', description: 'A member of the account' })
  @IsUUID()
  userId!: string
}

export const INSTANT = { type: String, format: 'date-time' } as const

/** A transfer as seen by users who may change the account's settings. */
class TransferAnswer {
  @ApiProperty({ type: String, format: 'uuid', description: 'The future owner' })
  userId!: string

  @ApiProperty(INSTANT)
  requestedAt!: Date

  @ApiProperty({ ...INSTANT, description: 'The earliest time at which it is done' })
  readyAt!: Date

  @ApiProperty({ ...INSTANT, description: 'It is cancelled if it has not been accepted by then' })
  expiresAt!: Date

  @ApiProperty({ ...INSTANT, nullable: true })
  acceptedAt!: Date | null
}

/** The account's pending transfer, with who becomes the owner. */
export class PendingTransferAnswer extends TransferAnswer {
  @ApiProperty({ format: 'email' })
  email!: string

  @ApiProperty({ type: String, nullable: true })
  name!: string | null
}

const LINK_REFUSALS = [
  ...BODY_REFUSALS,
  'INVALID_LINK',
  'TOO_MANY_ATTEMPTS',
  'MAIL_UNAVAILABLE',
  'DATABASE_UNAVAILABLE',
] as const

const RequestTransferDocs = () =>
  Documented({
    summary: 'Ask a member to become the owner',
    description:
      'For the owner on the main site, after a re-authentication. The member is mailed a link to accept, valid for 7 days; the owner is ' +
      'mailed a link to stop it. Once it has been accepted and TRANSFER_WAIT_SECONDS has passed, 12 hours after the acceptance at the earliest, the member becomes the owner, with every permission ' +
      'on all sites, and the owner becomes a member with the permissions of a new member. It waits longer while a change of ' +
      "either's e-mail address can be undone. A new password of the owner cancels it, and so does disabling or removing either.",
    status: 202,
    answer: 'The transfer is pending',
    type: TransferAnswer,
    refusals: [
      ...BODY_REFUSALS,
      'NOT_FOUND',
      'EMAIL_UNDO_OPEN',
      'TRANSFER_PENDING',
      'TOO_MANY_ATTEMPTS',
      'MAIL_UNAVAILABLE',
    ],
  })

const CancelTransferDocs = () =>
  Documented({
    summary: 'Cancel the pending transfer',
    description: 'For the owner on the main site.',
    status: 204,
    answer: 'It is cancelled; both are told by mail',
    refusals: ['NOT_FOUND'],
  })

const AcceptTransferDocs = () =>
  Documented({
    summary: 'Accept ownership',
    description: 'With the link mailed to the member. The owner is told, with another link to stop it.',
    status: 200,
    answer: 'Accepted; the transfer is done at `readyAt` at the earliest',
    type: TransferAnswer,
    refusals: [...LINK_REFUSALS, 'SECOND_FACTOR_ENROLMENT_REQUIRED'],
  })

const StopTransferDocs = () =>
  Documented({
    summary: 'Stop a transfer with a mailed link',
    description:
      "With a link mailed to the owner or to one of the owner's earlier addresses that can still come back. Owner and member are told by mail.",
    status: 204,
    answer: 'The transfer is cancelled',
    refusals: LINK_REFUSALS,
  })

@ApiTags('Account')
@Controller('api/account/transfer')
export class TransferController {
  constructor(private readonly transfers: OwnershipTransferService) {}

  /** Asks a member to become the owner in the caller's place. */
  @Post()
  @HttpCode(202)
  @MainSite({ guard: OwnerGuard, reauthenticated: true })
  @RequestTransferDocs()
  async request(@CurrentActor() actor: SessionActor, @Body() { userId }: TransferBody) {
    return transferAnswer(await this.transfers.request(actor, userId))
  }

  /** Cancels it. */
  @ContainsDamage()
  @Delete()
  @HttpCode(204)
  @MainSite({ guard: OwnerGuard })
  @CancelTransferDocs()
  cancel(@CurrentActor() actor: SessionActor) {
    return this.transfers.cancel(actor)
  }

  /** The member agrees. Public: the link is the proof, and may be opened on another device. */
  @Public()
  @Post('accept')
  @HttpCode(200)
  @AcceptTransferDocs()
  async accept(@Body() { token }: MailedLinkBody, @CurrentClient() client: Client) {
    return transferAnswer(await this.transfers.accept(token, client))
  }

  /** The owner stops it. Public, because an owner who has to stop it may no longer be able to log in. */
  @Public()
  @Post('stop')
  @HttpCode(204)
  @StopTransferDocs()
  stop(@Body() { token }: MailedLinkBody, @CurrentClient() client: Client) {
    return this.transfers.stop(token, client)
  }
}
