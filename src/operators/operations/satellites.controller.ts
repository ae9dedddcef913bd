import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common'
import { ApiExcludeController } from '@nestjs/swagger'
import { IsIn, IsOptional, Matches, MaxLength } from 'class-validator'
import { ApiError } from '../../platform/errors/api-error.js'
import { type Age, AgeCursor, ageCursor, PageLimit, pageOf } from '../../platform/http/paging.js'
import { IdInPath } from '../../platform/http/request.js'
import { ParseText } from '../../platform/http/validation.js'
import { SatelliteAdministration } from '../../satellites/satellite-administration.js'
import { CountsAsWrite } from '../../sessions/guards/write-limit.guard.js'
import { CurrentOperatorActor, ForOperators, type OperatorActor, withReason } from '../operator.guard.js'
import { ReasonBody } from '../reason.dto.js'
import { AccountNames } from './account-names.js'
import { shownSatellite } from './shown-satellite.js'

const DEFAULT_PAGE = 50

export class SatellitesQuery {
  @IsIn(['pending', 'active', 'suspended'])
  @IsOptional()
  state?: 'pending' | 'active' | 'suspended'

  /** The start of the origin, with or without its scheme. */
  @ParseText(text => text.trim().toLowerCase())
  @Matches(/^\P{C}+$/u)
  @MaxLength(254)
  @IsOptional()
  origin?: string

  @PageLimit(DEFAULT_PAGE)
  limit: number = DEFAULT_PAGE

  @AgeCursor()
  after?: Age
}

/** Satellites of all accounts. */
@ApiExcludeController()
@Controller('api/operator/satellites')
export class OperatorSatellitesController {
  constructor(
    private readonly satellites: SatelliteAdministration,
    private readonly accountNames: AccountNames,
  ) {}

  /** Newest first. */
  @ForOperators()
  @CountsAsWrite()
  @Get()
  async list(@Query() { state, origin, limit, after }: SatellitesQuery) {
    const filter = { state, origin: origin ? beginningsOf(origin) : undefined, after }
    const { rows, next } = await pageOf(
      limit,
      count => this.satellites.listNewest(filter, count),
      ({ satellite }) => ageCursor(satellite),
    )
    return { satellites: await this.accountNames.addTo(rows.map(shownSatellite)), next }
  }

  @ForOperators()
  @Post(':id/suspend')
  @HttpCode(204)
  async suspend(
    @Param('id', IdInPath) id: string,
    @Body() { reason }: ReasonBody,
    @CurrentOperatorActor() actor: OperatorActor,
  ): Promise<void> {
    await this.satellites.suspend(await this.require(id), withReason(actor, reason))
  }

  @ForOperators()
  @Post(':id/resume')
  @HttpCode(204)
  async resume(
    @Param('id', IdInPath) id: string,
    @Body() { reason }: ReasonBody,
    @CurrentOperatorActor() actor: OperatorActor,
  ): Promise<void> {
    await this.satellites.resume(await this.require(id), withReason(actor, reason))
  }

  private async require(id: string) {
    const found = await this.satellites.find(id)
    if (!found) throw new ApiError('NOT_FOUND')
    return found.satellite
  }
}

/** The prefixes that an origin can have if somebody has typed this. */
function beginningsOf(text: string): readonly string[] {
  return /^https?:/.test(text) ? [text] : [`https://${text}`, `http://${text}`]
}
