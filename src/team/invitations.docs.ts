import { ApiProperty } from '@nestjs/swagger'
import type { ErrorCode } from '../errors/error-codes.js'
import { BODY_REFUSALS, Documented } from '../http/documented.js'
import { MANAGER_REFUSALS } from './manager-refusals.js'
import { PermissionsBody } from './permissions.body.js'

class InvitedAnswer {
  @ApiProperty({ type: String, format: 'uuid' })
  id!: string

  @ApiProperty({ type: String, format: 'email' })
  email!: string

  @ApiProperty({ type: String, format: 'date-time' })
  expiresAt!: string
}

class InvitationAnswer extends InvitedAnswer {
  @ApiProperty({ type: PermissionsBody })
  permissions!: PermissionsBody

  @ApiProperty({ type: [String], nullable: true, description: 'Origins; null means all satellites' })
  satellites!: string[] | null

  @ApiProperty({ type: String, format: 'uuid', description: 'userId' })
  invitedBy!: string

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: string
}

class InvitationsAnswer {
  @ApiProperty({ type: [InvitationAnswer], description: 'The oldest first' })
  invitations!: InvitationAnswer[]
}

class AcceptedAnswer {
  @ApiProperty({ type: String, format: 'uuid' })
  userId!: string

  @ApiProperty({ type: [String], nullable: true, description: 'Origins to log in at; null means all' })
  satellites!: string[] | null
}

const INVITE_REFUSALS: readonly ErrorCode[] = [
  'UNKNOWN_SATELLITE',
  ...MANAGER_REFUSALS,
  'OWN_RIGHTS',
  'REAUTHENTICATION_REQUIRED',
  'EMAIL_TAKEN',
  'TOO_MANY_INVITATIONS',
  'TOO_MANY_ATTEMPTS',
  'MAIL_UNAVAILABLE',
]

export const InviteDocs = () =>
  Documented({
    summary: 'Invite somebody by e-mail',
    description:
      'Main site only, with teamManagement. The link in the mail works once, within 7 days, and replaces an earlier one to ' +
      'the same address. Nobody gives what they do not have; giving payments or teamManagement needs a ' +
      're-authentication. The answer does not tell whether the address has a login in another account.',
    status: 201,
    answer: 'The mail is on its way',
    type: InvitedAnswer,
    refusals: [...BODY_REFUSALS, ...INVITE_REFUSALS],
  })

export const ResendInvitationDocs = () =>
  Documented({
    summary: 'Mail an open invitation again',
    description:
      'Main site only, with teamManagement. The new link has a new id, works for 7 days and replaces the one before. Counts ' +
      'and is refused as a new invitation of the same kind.',
    status: 201,
    answer: 'The mail is on its way',
    type: InvitedAnswer,
    refusals: [...INVITE_REFUSALS, 'NOT_FOUND'],
  })

export const ListInvitationsDocs = () =>
  Documented({
    summary: 'The open invitations of the account',
    description: 'Main site only, with teamManagement.',
    status: 200,
    answer: 'Those that were not accepted, withdrawn or replaced and have not expired',
    type: InvitationsAnswer,
    refusals: MANAGER_REFUSALS,
  })

export const WithdrawInvitationDocs = () =>
  Documented({
    summary: 'Withdraw an invitation',
    description: 'Main site only, with teamManagement.',
    status: 204,
    answer: 'The link is worthless',
    refusals: [...MANAGER_REFUSALS, 'NOT_FOUND'],
  })

export const AcceptInvitationDocs = () =>
  Documented({
    summary: 'Join a team with a mailed link',
    description:
      'Uses the link up and makes the member; logs in nobody. It works while whoever invited may still give what it gives. ' +
      'A weak password leaves the link good for another try.',
    status: 201,
    answer: 'The member may log in',
    type: AcceptedAnswer,
    refusals: [
      ...BODY_REFUSALS,
      'INVALID_LINK',
      'WEAK_PASSWORD',
      'EMAIL_TAKEN',
      'TOO_MANY_ATTEMPTS',
      'TOO_BUSY',
      'DATABASE_UNAVAILABLE',
    ],
  })
