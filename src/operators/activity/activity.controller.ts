import { Controller, Get, Query } from '@nestjs/common'
import { ApiExcludeController } from '@nestjs/swagger'
import { CountsAsWrite } from '../../sessions/guards/write-limit.guard.js'
import { CurrentOperatorActor, ForOperators, type OperatorActor } from '../operator.guard.js'
import { ActivityQuery } from './activity.dto.js'
import { OperatorActivity } from './operator-activity.js'

/** What operators did. */
@ApiExcludeController()
@Controller('api/operator')
export class OperatorActivityController {
  constructor(private readonly activity: OperatorActivity) {}

  @ForOperators()
  @CountsAsWrite()
  @Get('activity')
  list(@Query() query: ActivityQuery, @CurrentOperatorActor() actor: OperatorActor) {
    return this.activity.list(query, actor)
  }

  /** Resolves the operator ids in the audit log. */
  @ForOperators()
  @Get('operators')
  operators() {
    return this.activity.operatorNames()
  }
}
