import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common'
import { ApiExcludeController } from '@nestjs/swagger'
import { IsInt, IsOptional, Matches } from 'class-validator'
import { ApiError } from '../platform/errors/api-error.js'
import { Line, ParseText } from '../platform/http/fields.js'
import { decodeCursor, encodeCursor, PageCursor } from '../platform/http/paging.js'
import { IdInPath, UUID_PATTERN } from '../platform/http/request.js'
import { ActiveSessions } from '../sessions/active-sessions.js'
import { CountsAsWrite } from '../sessions/guards.js'
import { asSessionHandle } from '../sessions/session.js'
import { FactorResetRequests } from '../team/factor-reset.js'
import { UserAdministration } from '../users/user-changes.js'
import { Users } from '../users/users.js'
import { Directory } from './directory.js'
import {
  CurrentOperatorActor,
  ForOperators,
  type OperatorActor,
  ReasonBody,
  withReason,
} from './operator.guard.js'
import { BLOCKS_A_STEP } from './search.js'

class SearchQuery {
  @ParseText(text => text.trim())
  @Line({ min: 2, max: 254 })
  q!: string

  /** The block at which the step begins. */
  @PageCursor(blockInCursor, IsInt)
  after?: number
}

const BLOCK = /^[1-9]\d{0,8}$/

function blockInCursor(text: string): number | null {
  const block = Number(decodeCursor(text, BLOCK) ?? Number.NaN)
  // Steps that overlapped would find more in each.
  return block % BLOCKS_A_STEP === 0 ? block : null
}

class AccountQuery {
  /** The id of the last member on the previous page. */
  @Matches(UUID_PATTERN)
  @IsOptional()
  after?: string
}

@ApiExcludeController()
@Controller('api/operator')
export class DirectoryController {
  constructor(
    private readonly directory: Directory,
    private readonly users: Users,
  ) {}

  @ForOperators()
  @CountsAsWrite()
  @Get('search')
  async find(@Query() { q, after = 0 }: SearchQuery, @CurrentOperatorActor() actor: OperatorActor) {
    const { next, ...found } = await this.directory.search(q, after, actor)
    return { ...found, next: next === null ? null : encodeCursor(String(next)) }
  }

  @ForOperators()
  @CountsAsWrite()
  @Get('viewed')
  viewed(@CurrentOperatorActor() actor: OperatorActor) {
    return this.directory.lastViewed(actor)
  }

  @ForOperators()
  @CountsAsWrite()
  @Get('accounts/:id')
  async account(
    @Param('id', IdInPath) id: string,
    @Query() { after }: AccountQuery,
    @CurrentOperatorActor() actor: OperatorActor,
  ) {
    const last = after === undefined ? null : await this.users.findInAccount(after, id)
    return this.directory.account(id, last, actor)
  }

  @ForOperators()
  @CountsAsWrite()
  @Get('users/:id')
  user(@Param('id', IdInPath) id: string, @CurrentOperatorActor() actor: OperatorActor) {
    return this.directory.user(id, actor)
  }
}

/** What operators can change about a person. */
@ApiExcludeController()
@Controller('api/operator/users/:id')
export class PersonController {
  constructor(
    private readonly administration: UserAdministration,
    private readonly users: Users,
    private readonly sessions: ActiveSessions,
    private readonly factorResets: FactorResetRequests,
  ) {}

  @ForOperators()
  @Post('disable')
  @HttpCode(200)
  async disable(
    @Param('id', IdInPath) id: string,
    @Body() { reason }: ReasonBody,
    @CurrentOperatorActor() actor: OperatorActor,
  ) {
    return { ended: await this.administration.disable(await this.require(id), withReason(actor, reason)) }
  }

  @ForOperators()
  @Post('enable')
  @HttpCode(204)
  async enable(
    @Param('id', IdInPath) id: string,
    @Body() { reason }: ReasonBody,
    @CurrentOperatorActor() actor: OperatorActor,
  ): Promise<void> {
    await this.administration.enable(await this.require(id), withReason(actor, reason))
  }

  @ForOperators()
  @Post('sessions/end')
  @HttpCode(200)
  async endSessions(
    @Param('id', IdInPath) id: string,
    @Body() { reason }: ReasonBody,
    @CurrentOperatorActor() actor: OperatorActor,
  ) {
    return { ended: await this.administration.endSessions(await this.require(id), withReason(actor, reason)) }
  }

  @ForOperators()
  @Post('sessions/:sid/end')
  @HttpCode(204)
  async endSession(
    @Param('id', IdInPath) id: string,
    @Param('sid') text: string,
    @Body() { reason }: ReasonBody,
    @CurrentOperatorActor() actor: OperatorActor,
  ): Promise<void> {
    const sid = asSessionHandle(text)
    const { client, ...operatorAction } = withReason(actor, reason)
    const isEnded = sid && (await this.sessions.end(id, sid, client, 'ended by an operator', operatorAction))
    if (!isEnded) throw new ApiError('NOT_FOUND')
  }

  @ForOperators()
  @Post('factors/reset')
  @HttpCode(202)
  async resetFactors(
    @Param('id', IdInPath) id: string,
    @Body() { reason }: ReasonBody,
    @CurrentOperatorActor() actor: OperatorActor,
  ) {
    const { client } = actor
    return { resetAt: await this.factorResets.requestByOperator(withReason(actor, reason), id, client) }
  }

  @ForOperators()
  @Post('factors/reset/cancel')
  @HttpCode(204)
  async cancelReset(
    @Param('id', IdInPath) id: string,
    @Body() { reason }: ReasonBody,
    @CurrentOperatorActor() actor: OperatorActor,
  ): Promise<void> {
    await this.factorResets.cancelByOperator(withReason(actor, reason), id)
  }

  private async require(id: string) {
    const user = await this.users.find(id)
    if (!user) throw new ApiError('NOT_FOUND')
    return user
  }
}
