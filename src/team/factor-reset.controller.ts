import { Body, Controller, Delete, HttpCode, Param, Post, Query } from '@nestjs/common'
import { ApiProperty, ApiPropertyOptional, ApiTags } from '@nestjs/swagger'
import { IsIn, IsOptional } from 'class-validator'
import { BODY_REFUSALS, Documented } from '../platform/http/endpoint.js'
import { type Client, CurrentClient, IdInPath } from '../platform/http/request.js'
import { MailedLinkBody } from '../platform/one-time-tokens.js'
import { ContainsDamage, MainSite } from '../sessions/guards.js'
import { CurrentActor, type SessionActor } from '../sessions/session-actor.js'
import { Public } from '../tokens/jwt.guard.js'
import { FactorResetLinks, FactorResetRequests } from './factor-reset.js'

const ONLY = ['pending'] as const

class RequestResetQuery {
  @ApiPropertyOptional({
    enum: ONLY,
    description: 'Only mails a new link to the pending reset: `NOT_FOUND` when there is none any more',
  })
  @IsIn(ONLY)
  @IsOptional()
  only?: (typeof ONLY)[number]
}

class FactorResetAnswer {
  @ApiProperty({ type: String, format: 'date-time', description: 'When it happens, unless it is stopped' })
  resetAt!: Date
}

const WHAT =
  'All passkeys, the authenticator app, recovery codes and remembered devices of the member are removed, and all their sessions end. ' +
  'The password stays.'

const RequestResetDocs = () =>
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

const CancelResetDocs = () =>
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

const ConfirmResetDocs = () =>
  Documented({
    summary: 'Reset the second factors now',
    description: `With the link mailed to the member, while it goes to their present address. ${WHAT}`,
    status: 204,
    answer: 'They have been removed',
    refusals: LINK_REFUSALS,
  })

const StopResetDocs = () =>
  Documented({
    summary: 'Stop a reset of the second factors',
    description: 'With the link mailed to the member, or to somebody for whom an operator has requested it.',
    status: 204,
    answer: 'They stay',
    refusals: LINK_REFUSALS,
  })

@ApiTags('Team')
@Controller('api/team/:userId/second-factor/reset')
@MainSite({ permission: 'teamManagement' })
export class FactorResetController {
  constructor(private readonly resets: FactorResetRequests) {}

  /** Requests a reset for a member. */
  @Post()
  @HttpCode(202)
  @MainSite({ reauthenticated: true })
  @RequestResetDocs()
  async request(
    @CurrentActor() actor: SessionActor,
    @Param('userId', IdInPath) userId: string,
    @Query() { only }: RequestResetQuery,
  ) {
    return { resetAt: await this.resets.request(actor, userId, only) }
  }

  @ContainsDamage()
  @Delete()
  @HttpCode(204)
  @CancelResetDocs()
  cancel(@CurrentActor() actor: SessionActor, @Param('userId', IdInPath) userId: string) {
    return this.resets.cancel(actor, userId)
  }
}

/**
 * Public: users who have lost their factors cannot log in, and the others may be at another device. The link
 * is the proof.
 */
@ApiTags('Team')
@Controller('api/second-factor-reset')
export class FactorResetLinksController {
  constructor(private readonly links: FactorResetLinks) {}

  @Public()
  @Post('confirm')
  @HttpCode(204)
  @ConfirmResetDocs()
  confirm(@Body() { token }: MailedLinkBody, @CurrentClient() client: Client) {
    return this.links.confirm(token, client)
  }

  @Public()
  @Post('stop')
  @HttpCode(204)
  @StopResetDocs()
  stop(@Body() { token }: MailedLinkBody, @CurrentClient() client: Client) {
    return this.links.stop(token, client)
  }
}
