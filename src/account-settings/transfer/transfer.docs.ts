import { ApiProperty } from '@nestjs/swagger'
import { BODY_REFUSALS, Documented } from '../../http/documented.js'
import { documentedOnMainSite } from '../main-site-refusals.js'

const INSTANT = { type: String, format: 'date-time' } as const

export class TransferAnswer {
  @ApiProperty({ type: String, format: 'uuid', description: 'Who is to be the owner' })
  userId!: string

  @ApiProperty(INSTANT)
  requestedAt!: string

  @ApiProperty({ ...INSTANT, description: 'Not done before, nor before it is accepted' })
  readyAt!: string

  @ApiProperty({ ...INSTANT, description: 'Off when it is not accepted by then' })
  expiresAt!: string

  @ApiProperty({ ...INSTANT, nullable: true })
  acceptedAt!: string | null
}

const LINK_REFUSALS = [
  ...BODY_REFUSALS,
  'INVALID_LINK',
  'TOO_MANY_ATTEMPTS',
  'MAIL_UNAVAILABLE',
  'DATABASE_UNAVAILABLE',
] as const

export const RequestTransferDocs = () =>
  documentedOnMainSite({
    summary: 'Ask a member to become the owner',
    description:
      'For the owner on the main site, after a re-authentication. The member is mailed a link to accept, good for 7 days; the owner is ' +
      'mailed a link to stop it. Once it is accepted and TRANSFER_WAIT has passed, the member is the owner, with every permission on all ' +
      'sites, and the owner a member with what new members have. It waits longer while a change of e-mail address of either ' +
      'can be undone, and is called off by a new password.',
    status: 202,
    answer: 'The transfer is under way',
    type: TransferAnswer,
    refusals: [
      ...BODY_REFUSALS,
      'OWNER_REQUIRED',
      'REAUTHENTICATION_REQUIRED',
      'NOT_FOUND',
      'EMAIL_UNDO_OPEN',
      'TRANSFER_PENDING',
      'TOO_MANY_ATTEMPTS',
      'MAIL_UNAVAILABLE',
    ],
  })

export const CancelTransferDocs = () =>
  documentedOnMainSite({
    summary: 'Cancel the transfer that is under way',
    description: 'For the owner on the main site.',
    status: 204,
    answer: 'It is off; both are told by mail',
    refusals: ['OWNER_REQUIRED', 'NOT_FOUND'],
  })

export const AcceptTransferDocs = () =>
  Documented({
    summary: 'Accept to become the owner',
    description: 'With the link in the mail to the member. The owner is told, with another link to stop it.',
    status: 200,
    answer: 'Accepted; the transfer is done at `readyAt` at the earliest',
    type: TransferAnswer,
    refusals: LINK_REFUSALS,
  })

export const StopTransferDocs = () =>
  Documented({
    summary: 'Stop a transfer with a mailed link',
    description:
      'With the link in a mail to the owner, or to an address that the owner can still return to. Both are told by mail.',
    status: 204,
    answer: 'The transfer is off',
    refusals: LINK_REFUSALS,
  })
