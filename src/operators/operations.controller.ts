import {
  Body,
  Controller,
  Get,
  HttpCode,
  Injectable,
  Param,
  type PipeTransform,
  Post,
  Query,
} from '@nestjs/common'
import { ApiExcludeController } from '@nestjs/swagger'
import { IsOptional, Matches, MaxLength } from 'class-validator'
import { isNotNull } from 'drizzle-orm'
import { BillingInspection, BillingReplay, EVENT_STATES, type EventState } from '../billing/operations.js'
import { PartsMonitor } from '../health/parts-monitor.js'
import { FailedMails } from '../mail/failed-mails.js'
import { Settings } from '../platform/config/settings.js'
import { Database } from '../platform/database/database.js'
import { accounts } from '../platform/database/schema/accounts.js'
import { ApiError } from '../platform/errors/api-error.js'
import { OneOf, ParseText } from '../platform/http/fields.js'
import { type Age, AgeCursor, ageCursor, PageLimit, pageOf } from '../platform/http/paging.js'
import { IdInPath } from '../platform/http/request.js'
import { RegisteredSatellites } from '../satellites/registered-satellites.js'
import { SatelliteAdministration } from '../satellites/registry.js'
import { CountsAsWrite } from '../sessions/guards.js'
import { shownSatellite, withAccountNames } from './directory.js'
import { Figures } from './figures.js'
import {
  CurrentOperatorActor,
  ForOperators,
  type OperatorActor,
  ReasonBody,
  withReason,
} from './operator.guard.js'

const DEFAULT_PAGE = 50

class SatellitesQuery {
  @OneOf(['pending', 'active', 'suspended'], { optional: true }) state?: 'pending' | 'active' | 'suspended'

  /** The start of the origin, with or without its scheme. */
  @ParseText(text => text.trim().toLowerCase())
  @Matches(/^\P{C}+$/u)
  @MaxLength(254)
  @IsOptional()
  origin?: string

  @PageLimit(DEFAULT_PAGE) limit: number = DEFAULT_PAGE
  @AgeCursor() after?: Age
}

/** Satellites of all accounts. */
@ApiExcludeController()
@Controller('api/operator/satellites')
export class OperatorSatellitesController {
  constructor(
    private readonly satellites: SatelliteAdministration,
    private readonly database: Database,
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
    return { satellites: await withAccountNames(this.database, rows.map(shownSatellite)), next }
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

/** The possible beginnings of an origin that was typed as this text. */
function beginningsOf(text: string): readonly string[] {
  return /^https?:/.test(text) ? [text] : [`https://${text}`, `http://${text}`]
}

/** For lists that people read. */
const MAX_EVENTS = 100
const EVENT_ID = /^[\w-]{1,255}$/

/** A malformed id of the payment provider is `NOT_FOUND` (404), like an unknown one. */
@Injectable()
class EventIdInPath implements PipeTransform<string, string> {
  transform(text: string): string {
    if (!EVENT_ID.test(text)) throw new ApiError('NOT_FOUND')
    return text
  }
}

class EventsQuery {
  @OneOf(EVENT_STATES, { optional: true }) state?: EventState
}

/** Events from the payment provider. */
@ApiExcludeController()
@Controller('api/operator/events')
export class OperatorEventsController {
  private readonly inspection: BillingInspection

  constructor(
    private readonly database: Database,
    private readonly replays: BillingReplay,
  ) {
    this.inspection = new BillingInspection(database)
  }

  @ForOperators()
  @CountsAsWrite()
  @Get()
  async list(@Query() { state }: EventsQuery) {
    const found = await this.inspection.listEvents(state ? { state } : {}, MAX_EVENTS)
    return { events: await withAccountNames(this.database, found) }
  }

  /** Processes the event again in the background, whatever its state. */
  @ForOperators()
  @Post(':id/replay')
  @HttpCode(202)
  async replay(
    @Param('id', EventIdInPath) id: string,
    @Body() { reason }: ReasonBody,
    @CurrentOperatorActor() actor: OperatorActor,
  ): Promise<void> {
    if (!(await this.replays.request(id, withReason(actor, reason)))) throw new ApiError('NOT_FOUND')
  }
}

/** Of the accounts that are to be deleted next. */
const DELETIONS = 5

/** The state of the service, and what happens in it. */
@ApiExcludeController()
@Controller('api/operator')
export class OperatorHealthController {
  private readonly inspection: BillingInspection

  constructor(
    private readonly database: Database,
    private readonly parts: PartsMonitor,
    private readonly failedMails: FailedMails,
    private readonly satellites: RegisteredSatellites,
    private readonly figures: Figures,
    private readonly settings: Settings,
  ) {
    this.inspection = new BillingInspection(database)
  }

  @ForOperators()
  @Get('health')
  async health() {
    const [billing, failed] = await Promise.all([
      this.settings.stripe && this.inspection.health(),
      this.failedMails.count(),
    ])
    return {
      ...this.parts.status(),
      mails: { failed },
      // Null where payments are off.
      billing: billing && {
        ...billing,
        subscriptionsByPrice: Object.fromEntries(billing.subscriptionsByPrice),
      },
    }
  }

  /** The state of the service, with what else may need somebody: lost proofs, and the next accounts to be deleted. */
  @ForOperators()
  @Get('attention')
  async attention() {
    const [health, failing, deletions] = await Promise.all([
      this.health(),
      this.database.run(db => this.satellites.countFailing(db)),
      this.nextDeletions(),
    ])
    return { ...health, satellites: { failing }, deletions }
  }

  /** Logins, failures and sign-ups of the last 30 days, in UTC. */
  @ForOperators()
  @Get('figures')
  async byDay() {
    return { days: await this.figures.byDay() }
  }

  private async nextDeletions() {
    const { id, name, deleteAt } = accounts
    const isPending = isNotNull(deleteAt)
    const [all, next] = await this.database.run(db =>
      Promise.all([
        db.$count(accounts, isPending),
        db.select({ id, name, deleteAt }).from(accounts).where(isPending).orderBy(deleteAt).limit(DELETIONS),
      ]),
    )
    return { all, next }
  }
}
