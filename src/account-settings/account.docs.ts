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

  @ApiProperty({ ...INSTANT, nullable: true, description: 'Null while nobody has asked for a deletion' })
  deleteAt!: string | null

  @ApiProperty({
    type: TransferAnswer,
    nullable: true,
    description: 'The transfer that is under way; null when there is none',
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
    summary: 'Delete the account, after a time to think',
    description:
      'For the owner on the main site, after a re-authentication. Everything but a new checkout works as usual until `deleteAt`; asking again keeps the ' +
      'first date. Then the account goes with all its users and sessions, but not before a change of the owner’s e-mail address ' +
      'can no longer be undone. What is in the audit log stays.',
    status: 200,
    answer: 'It is going to be deleted',
    type: DeletionAnswer,
    refusals: ['OWNER_REQUIRED', 'REAUTHENTICATION_REQUIRED', 'SUBSCRIPTION_LIVE', 'MAIL_UNAVAILABLE'],
  })

export const KeepAccountDocs = () =>
  documentedOnMainSite({
    summary: 'Keep the account after all',
    description: 'For the owner on the main site.',
    status: 204,
    answer: 'It stays',
    refusals: ['OWNER_REQUIRED', 'NOT_FOUND'],
  })
