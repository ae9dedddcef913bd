import { applyDecorators } from '@nestjs/common'
import { ApiCookieAuth, ApiProperty } from '@nestjs/swagger'
import { BODY_REFUSALS, type Documentation, Documented } from '../http/documented.js'
import { MAIN_SITE_REFUSALS } from './main-site-refusals.js'

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
}

class DeletionAnswer {
  @ApiProperty(INSTANT)
  deleteAt!: string
}

function documentedOnMainSite(documentation: Documentation): MethodDecorator {
  const refusals = [...documentation.refusals, ...MAIN_SITE_REFUSALS]
  return applyDecorators(ApiCookieAuth('sessionCookie'), Documented({ ...documentation, refusals }))
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
      'first date. Then the account goes with all its users and sessions. What is in the audit log stays.',
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

export const TransferAccountDocs = () =>
  documentedOnMainSite({
    summary: 'Make a member the owner',
    description:
      'For the owner on the main site, after a re-authentication. The member is granted everything, on all sites; the owner becomes a ' +
      'member with what new members have. Live sessions of both follow at their next refresh.',
    status: 204,
    answer: 'The member is the owner now',
    refusals: [
      ...BODY_REFUSALS,
      'OWNER_REQUIRED',
      'REAUTHENTICATION_REQUIRED',
      'NOT_FOUND',
      'MAIL_UNAVAILABLE',
    ],
  })
