import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { Satellites } from '../../cors/satellites.js'
import { Settings } from '../../platform/config/settings.js'
import { ApiError } from '../../platform/errors/api-error.js'
import { type Client, CurrentClient } from '../../platform/http/request.js'
import { MainSite } from '../../sessions/guards/protection.decorators.js'
import { CurrentActor, type SessionActor } from '../../sessions/session-actor.js'
import { Public } from '../../tokens/jwt.guard.js'
import { answerWithoutCookie } from '../login/login-transport.js'
import {
  DestinationDocs,
  HandoffDestinationAnswer,
  IssueCodeDocs,
  OriginAnswer,
  RedeemDocs,
  SatelliteOriginDocs,
} from './handoff.dto.js'
import { HandoffService } from './handoff.service.js'
import { DestinationQuery, HandoffBody, OriginQuery, RedeemBody } from './handoff-bodies.dto.js'
import { requireOrigin } from './handoff-destinations.js'
import { HandoffRedemptionService } from './handoff-redemption.service.js'

@ApiTags('Hand-off')
@Controller('api/handoff')
export class HandoffController {
  constructor(
    private readonly handoffs: HandoffService,
    private readonly redemption: HandoffRedemptionService,
    private readonly satellites: Satellites,
    private readonly settings: Settings,
  ) {}

  /** What the main site shows before it hands a login off. */
  @Get()
  @MainSite({ enrolled: true })
  @DestinationDocs()
  async describe(
    @CurrentActor() actor: SessionActor,
    @Query() { satellite }: DestinationQuery,
  ): Promise<HandoffDestinationAnswer> {
    return { ...(await this.handoffs.describe(actor, satellite)), iss: this.settings.publicUrl }
  }

  /** Whether the main site may send a browser to this origin. Reads no store. */
  @Public()
  @Get('satellite')
  @SatelliteOriginDocs()
  requireSatellite(@Query() { origin }: OriginQuery): OriginAnswer {
    requireOrigin(origin)
    if (!this.satellites.has(origin)) throw new ApiError('SATELLITE_NOT_FOUND')
    return { origin, iss: this.settings.publicUrl }
  }

  /** Hands the login of the main site off to a satellite. */
  @Post('codes')
  @MainSite({ enrolled: true })
  @IssueCodeDocs()
  async issueCode(@CurrentActor() actor: SessionActor, @Body() body: HandoffBody) {
    // Stricter than the guard, which lets clients without an Origin pass: only a page can be redirected.
    if (actor.client.origin !== this.settings.mainOrigin) throw new ApiError('MAIN_ORIGIN_REQUIRED')
    const code = await this.handoffs.issueCode(actor, body)
    const answer = new URLSearchParams({ code, state: body.state, iss: this.settings.publicUrl })
    return { redirect: `${body.satellite}/handoff-callback#${answer}` }
  }

  /** Logs in on a satellite. */
  @Public()
  @Post('redeem')
  @HttpCode(200)
  @RedeemDocs()
  async redeem(@Body() body: RedeemBody, @CurrentClient() client: Client) {
    return answerWithoutCookie(await this.redemption.redeem(body, client), body.deviceId)
  }
}
