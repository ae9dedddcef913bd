import { Body, Controller, Delete, HttpCode, Param, Post, Query } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { type Client, CurrentClient, IdInPath } from '../../platform/http/request.js'
import { MailedLinkBody } from '../../platform/one-time-tokens.js'
import { MainSite } from '../../sessions/guards/protection.decorators.js'
import { ContainsDamage } from '../../sessions/guards/write-limit.guard.js'
import { CurrentActor, type SessionActor } from '../../sessions/session-actor.js'
import { Public } from '../../tokens/jwt.guard.js'
import {
  CancelResetDocs,
  ConfirmResetDocs,
  RequestResetDocs,
  RequestResetQuery,
  StopResetDocs,
} from './factor-reset.dto.js'
import { FactorResetService } from './factor-reset.service.js'
import { FactorResetLinksService } from './factor-reset-links.service.js'

@ApiTags('Team')
@Controller('api/team/:userId/second-factor/reset')
@MainSite({ permission: 'teamManagement' })
export class FactorResetController {
  constructor(private readonly resets: FactorResetService) {}

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
 * Public: people who have lost their factors cannot log in, and the others may be at another device. The link
 * is the proof.
 */
@ApiTags('Team')
@Controller('api/second-factor-reset')
export class FactorResetLinksController {
  constructor(private readonly links: FactorResetLinksService) {}

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
