import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger'
import { IsIn, IsOptional } from 'class-validator'
import { BODY_REFUSALS, Documented } from '../../platform/http/endpoint.js'

const ONLY = ['pending'] as const

export class RequestResetQuery {
  @ApiPropertyOptional({
    enum: ONLY,
    description: 'Only mails a new link to the pending reset: `NOT_FOUND` when there is none any more',
  })
  @IsIn(ONLY)
  @IsOptional()
  only?: (typeof ONLY)[number]
}

export class FactorResetAnswer {
  @ApiProperty({ type: String, format: 'date-time', description: 'When it happens, unless it is stopped' })
  resetAt!: Date
}

const WHAT =
  'All passkeys, the authenticator app, recovery codes and remembered devices of the member are removed, and all their sessions end. ' +
  'The password stays.'

export const RequestResetDocs = () =>
  Documented({
    summary: "Reset a member's second factors, after 24 hours",
    description:
      `For a member who has lost theirs. ${WHAT} The member is mailed a link to do it at once, or to stop it. Asking again changes ` +
      'nothing but the link, which is mailed anew; the earlier one stops working. Nobody can ask for themselves, for the ' +
      'owner, or for somebody who may do what they may not.',
    status: 202,
    answer: 'It has been requested',
    type: FactorResetAnswer,
    refusals: [
      'INVALID_QUERY',
      'NOT_FOUND',
      'OWN_RIGHTS',
      'LAST_OWNER',
      'EMAIL_UNDO_OPEN',
      'TOO_MANY_ATTEMPTS',
      'MAIL_UNAVAILABLE',
    ],
  })

export const CancelResetDocs = () =>
  Documented({
    summary: "Cancel a reset of a member's second factors",
    description:
      'One that the caller could request, whoever requested it. Whatever is requested for the caller themselves is stopped by ' +
      'the mailed link.',
    status: 204,
    answer: 'It has been cancelled',
    refusals: ['NOT_FOUND', 'OWN_RIGHTS', 'LAST_OWNER'],
  })

const LINK_REFUSALS = [
  ...BODY_REFUSALS,
  'INVALID_LINK',
  'TOO_MANY_ATTEMPTS',
  'DATABASE_UNAVAILABLE',
  'SESSION_STORE_UNAVAILABLE',
] as const

export const ConfirmResetDocs = () =>
  Documented({
    summary: 'Reset the second factors now',
    description: `With the link mailed to the member, while it goes to their present address. ${WHAT}`,
    status: 204,
    answer: 'They have been removed',
    refusals: LINK_REFUSALS,
  })

export const StopResetDocs = () =>
  Documented({
    summary: 'Stop a reset of the second factors',
    description: 'With the link mailed to the member, or to somebody for whom an operator has requested it.',
    status: 204,
    answer: 'They stay',
    refusals: LINK_REFUSALS,
  })
