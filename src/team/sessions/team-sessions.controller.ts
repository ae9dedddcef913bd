import { Controller, Delete, Get, HttpCode, Param } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { IdInPath } from '../../platform/http/request.js'
import { MainSite } from '../../sessions/guards/protection.decorators.js'
import { ContainsDamage } from '../../sessions/guards/write-limit.guard.js'
import { CurrentActor, type SessionActor } from '../../sessions/session-actor.js'
import { EndMemberSessionDocs, EndMemberSessionsDocs, ListMemberSessionsDocs } from './team-sessions.dto.js'
import { TeamSessions } from './team-sessions.js'

@ApiTags('Team')
@Controller('api/team/:userId/sessions')
@MainSite({ permission: 'teamManagement' })
export class TeamSessionsController {
  constructor(private readonly sessions: TeamSessions) {}

  /** Where a member is logged in. */
  @Get()
  @ListMemberSessionsDocs()
  list(@CurrentActor() actor: SessionActor, @Param('userId', IdInPath) userId: string) {
    return this.sessions.list(actor, userId)
  }

  @ContainsDamage()
  @Delete()
  @EndMemberSessionsDocs()
  async endAll(@CurrentActor() actor: SessionActor, @Param('userId', IdInPath) userId: string) {
    return { ended: await this.sessions.endAll(actor, userId) }
  }

  @ContainsDamage()
  @Delete(':sid')
  @HttpCode(204)
  @EndMemberSessionDocs()
  end(
    @CurrentActor() actor: SessionActor,
    @Param('userId', IdInPath) userId: string,
    @Param('sid') sid: string,
  ) {
    return this.sessions.end(actor, userId, sid)
  }
}
