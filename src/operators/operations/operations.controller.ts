import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common'
import { ApiExcludeController } from '@nestjs/swagger'
import { IsIn, IsOptional } from 'class-validator'
import { and, desc, eq, isNull } from 'drizzle-orm'
import {
  BillingInspection,
  EVENT_STATES,
  type EventState,
} from '../../billing/operations/billing-inspection.js'
import { BillingReplay } from '../../billing/operations/billing-replay.js'
import { Database } from '../../database/database.js'
import { auditLog } from '../../database/schema.js'
import { ApiError } from '../../errors/api-error.js'
import { PartsMonitor } from '../../health/parts-monitor.js'
import { IdInPath } from '../../http/id-in-path.js'
import { SatelliteAdministration } from '../../satellite-registry/satellite-administration.js'
import { because, CurrentOperatorActor, ForOperators, type OperatorActor } from '../operator.guard.js'
import { ReasonBody } from '../reason.dto.js'
import { shownSatellite } from './shown-satellite.js'

/** The newest or oldest of a list that people read. */
const MOST = 100

export class EventsQuery {
  @IsIn(EVENT_STATES)
  @IsOptional()
  state?: EventState
}

export class SatellitesQuery {
  @IsIn(['pending', 'active', 'suspended'])
  @IsOptional()
  state?: 'pending' | 'active' | 'suspended'
}

/** Satellites of all accounts. */
@ApiExcludeController()
@Controller('api/operator/satellites')
export class OperatorSatellitesController {
  constructor(private readonly satellites: SatelliteAdministration) {}

  @ForOperators()
  @Get()
  async list(@Query() { state }: SatellitesQuery) {
    const found = await this.satellites.listNewest(state, MOST)
    return { satellites: found.map(shownSatellite) }
  }

  @ForOperators()
  @Post(':id/suspend')
  @HttpCode(204)
  async suspend(
    @Param('id', IdInPath) id: string,
    @Body() { reason }: ReasonBody,
    @CurrentOperatorActor() actor: OperatorActor,
  ): Promise<void> {
    await this.satellites.suspend(await this.require(id), because(actor, reason))
  }

  @ForOperators()
  @Post(':id/resume')
  @HttpCode(204)
  async resume(
    @Param('id', IdInPath) id: string,
    @Body() { reason }: ReasonBody,
    @CurrentOperatorActor() actor: OperatorActor,
  ): Promise<void> {
    await this.satellites.resume(await this.require(id), because(actor, reason))
  }

  private async require(id: string) {
    const found = await this.satellites.find(id)
    if (!found) throw new ApiError('NOT_FOUND')
    return found.satellite
  }
}

/** Events of the payment provider. */
@ApiExcludeController()
@Controller('api/operator/events')
export class OperatorEventsController {
  private readonly inspection: BillingInspection

  constructor(
    database: Database,
    private readonly replays: BillingReplay,
  ) {
    this.inspection = new BillingInspection(database)
  }

  @ForOperators()
  @Get()
  async list(@Query() { state }: EventsQuery) {
    const filter = state ? { state } : {}
    return { events: await this.inspection.listEvents(filter, MOST) }
  }

  /** Handles it again in the background, whatever its state. */
  @ForOperators()
  @Post(':id/replay')
  @HttpCode(202)
  async replay(
    @Param('id') id: string,
    @Body() { reason }: ReasonBody,
    @CurrentOperatorActor() actor: OperatorActor,
  ): Promise<void> {
    if (!(await this.replays.request(id, because(actor, reason)))) throw new ApiError('NOT_FOUND')
  }
}

/** How the service is. */
@ApiExcludeController()
@Controller('api/operator')
export class OperatorHealthController {
  private readonly inspection: BillingInspection

  constructor(
    private readonly database: Database,
    private readonly parts: PartsMonitor,
  ) {
    this.inspection = new BillingInspection(database)
  }

  @ForOperators()
  @Get('health')
  async health() {
    const { subscriptionsByPrice, ...billing } = await this.inspection.health()
    return {
      ...this.parts.status(),
      billing: { ...billing, subscriptionsByPrice: Object.fromEntries(subscriptionsByPrice) },
    }
  }

  /** The newest mails that could not be sent. */
  @ForOperators()
  @Get('mails')
  async failedMails() {
    const isFailedMail = and(
      isNull(auditLog.accountId),
      eq(auditLog.action, 'mail'),
      eq(auditLog.outcome, 'failed'),
    )
    const { id, at, detail } = auditLog
    const rows = await this.database.report(db =>
      db.select({ id, at, detail }).from(auditLog).where(isFailedMail).orderBy(desc(id)).limit(MOST),
    )
    return {
      mails: rows.map(row => ({
        id: row.id,
        at: row.at,
        subject: row.detail.subject,
        to: row.detail.email ?? null,
      })),
    }
  }
}
