import { ApiProperty } from '@nestjs/swagger'
import { BODY_REFUSALS } from '../http/documented.js'
import { documentedOnMainSite } from './main-site-refusals.js'
import { TransferAnswer } from './transfer/transfer.docs.js'

const INSTANT = { type: String, format: 'date-time' } as const

class AccountAnswer {
  @ApiProperty({ type: String, format: 'uuid' })
  accountId!: string

  @ApiProperty({ type: String, nullable: true })
  name!: string | null

  @ApiProperty(INSTANT)
  createdAt!: string

  @ApiProperty({ ...INSTANT, nullable: true, description: 'Null while no deletion has been requested' })
  deleteAt!: string | null

  @ApiProperty({
    type: TransferAnswer,
    nullable: true,
    description: 'The pending transfer; null when there is none',
  })
  transfer!: TransferAnswer | null
}

class DeletionAnswer {
  @ApiProperty(INSTANT)
  deleteAt!: string
}

export const ReadAccountDocs = () =>
  documentedOnMainSite({
    summary: 'The account',
    description: 'Main site, with the permission accountSettings.',
    status: 200,
    answer: 'The account',
    type: AccountAnswer,
    refusals: ['PERMISSION_REQUIRED'],
  })

export const ChangeAccountDocs = () =>
  documentedOnMainSite({
    summary: "Change the account's name",
    description: 'Main site, with the permission accountSettings.',
    status: 200,
    answer: 'The account with the new name',
    type: AccountAnswer,
    refusals: [...BODY_REFUSALS, 'PERMISSION_REQUIRED'],
  })

export const AskDeletionDocs = () =>
  documentedOnMainSite({
    summary: 'Delete the account, after a grace period',
    description:
      'For the owner on the main site, after a re-authentication. Everything but a new checkout works as usual until `deleteAt`; asking again keeps the ' +
      'first date. Then the account is deleted with all its users and sessions. While a change of the owner’s e-mail address can ' +
      'still be undone, the deletion waits. The audit log is kept.',
    status: 200,
    answer: 'It is going to be deleted',
    type: DeletionAnswer,
    refusals: ['OWNER_REQUIRED', 'REAUTHENTICATION_REQUIRED', 'SUBSCRIPTION_LIVE', 'MAIL_UNAVAILABLE'],
  })

export const KeepAccountDocs = () =>
  documentedOnMainSite({
    summary: 'Cancel the deletion of the account',
    description: 'For the owner on the main site.',
    status: 204,
    answer: 'The deletion is cancelled',
    refusals: ['OWNER_REQUIRED', 'NOT_FOUND'],
  })
