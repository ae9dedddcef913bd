import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common'
import { ApiExcludeController } from '@nestjs/swagger'
import { IdInPath } from '../../platform/http/request.js'
import { CountsAsWrite } from '../../sessions/guards/write-limit.guard.js'
import { CurrentOperatorActor, ForOperators, type OperatorActor, withReason } from '../operator.guard.js'
import { ReasonBody } from '../reason.dto.js'
import { FailedMailService } from './failed-mail.service.js'
import { FailedMailsQuery } from './failed-mails.dto.js'

/** Mails that could not be sent. */
@ApiExcludeController()
@Controller('api/operator/mails')
export class OperatorMailsController {
  constructor(private readonly mails: FailedMailService) {}

  @ForOperators()
  @CountsAsWrite()
  @Get()
  list(@Query() query: FailedMailsQuery, @CurrentOperatorActor() actor: OperatorActor) {
    return this.mails.list(query, actor)
  }

  @ForOperators()
  @Post(':id/resend')
  @HttpCode(204)
  async resend(
    @Param('id', IdInPath) id: string,
    @Body() { reason }: ReasonBody,
    @CurrentOperatorActor() actor: OperatorActor,
  ): Promise<void> {
    await this.mails.resend(id, withReason(actor, reason), actor.client)
  }
}
