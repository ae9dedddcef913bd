import { Body, Controller, Delete, Param, Post, Query } from '@nestjs/common'
import { ApiOperation, ApiTags } from '@nestjs/swagger'
import { Answers, Refuses } from '../platform/http/endpoint.js'
import { Instant, OneOf } from '../platform/http/fields.js'
import { type Client, CurrentClient, IdInPath } from '../platform/http/request.js'
import { MailedLinkBody } from '../platform/one-time-tokens.js'
import { ContainsDamage, MainSite } from '../sessions/guards.js'
import { CurrentActor, type SessionActor } from '../sessions/session-actor.js'
import { Public } from '../tokens/jwt.guard.js'
import { FactorResetLinks, FactorResetRequests } from './factor-reset.js'

const ONLY = ['pending'] as const

class RequestResetQuery {
  @OneOf(ONLY, {
    optional: true,
    description: 'Only mails a new link to the pending reset: `NOT_FOUND` when none is pending any more',
  })
  only?: (typeof ONLY)[number]
}

class FactorResetAnswer {
  @Instant({ description: 'When it happens, unless it is stopped' }) resetAt!: Date
}

const WHAT =
  'All passkeys, the authenticator app, recovery codes and remembered devices of the member are removed, and all their sessions end. ' +
  'The password stays.'

@ApiTags('Team')
@Controller('api/team/:userId/second-factor/reset')
@MainSite({ permission: 'teamManagement' })
export class FactorResetController {
  constructor(private readonly resets: FactorResetRequests) {}

  @Post()
  @MainSite({ reauthenticated: true })
  @ApiOperation({
    summary: "Reset a member's second factors, after 24 hours",
    description:
      `For a member who has lost theirs. ${WHAT} The member is mailed a link to do it at once, or to stop it. Repeating the ` +
      'request only mails a new link; the earlier one stops working. Not for the caller, the owner, or a member with a ' +
      'permission that the caller does not have.',
  })
  @Answers(202, 'It has been requested', FactorResetAnswer)
  @Refuses('OWN_RIGHTS', 'LAST_OWNER', 'EMAIL_UNDO_OPEN', 'MAIL_UNAVAILABLE')
  async request(
    @CurrentActor() actor: SessionActor,
    @Param('userId', IdInPath) userId: string,
    @Query() { only }: RequestResetQuery,
  ) {
    return { resetAt: await this.resets.request(actor, userId, only) }
  }

  @ContainsDamage()
  @Delete()
  @ApiOperation({
    summary: "Cancel a reset of a member's second factors",
    description:
      'Any reset that the caller could have requested. A reset of the caller’s own second factors is stopped by the mailed link.',
  })
  @Answers(204, 'It has been cancelled')
  @Refuses('OWN_RIGHTS', 'LAST_OWNER')
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
  @ApiOperation({
    summary: 'Reset the second factors now',
    description: `With the link mailed to the member, while it goes to their present address. ${WHAT}`,
  })
  @Answers(204, 'They have been removed')
  @Refuses('INVALID_LINK')
  confirm(@Body() { token }: MailedLinkBody, @CurrentClient() client: Client) {
    return this.links.confirm(token, client)
  }

  @Public()
  @Post('stop')
  @ApiOperation({
    summary: 'Stop a reset of the second factors',
    description: 'With the link mailed to the member, or to a user for whom an operator has requested it.',
  })
  @Answers(204, 'They stay')
  @Refuses('INVALID_LINK')
  stop(@Body() { token }: MailedLinkBody, @CurrentClient() client: Client) {
    return this.links.stop(token, client)
  }
}
