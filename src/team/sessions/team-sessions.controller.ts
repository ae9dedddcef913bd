import { Controller, Delete, Get, HttpCode, Param, UseGuards } from '@nestjs/common'
import { ApiBearerAuth, ApiCookieAuth, ApiTags } from '@nestjs/swagger'
import { MainSourceGuard } from '../../sessions/guards/main-source.guard.js'
import { PermissionGuard, RequirePermission } from '../../sessions/guards/permission.guard.js'
import { IdInPath } from '../id-in-path.pipe.js'
import { CurrentManager, type Manager } from '../manager.js'
import { EndMemberSessionDocs, EndMemberSessionsDocs, ListMemberSessionsDocs } from './team-sessions.docs.js'
import { TeamSessions } from './team-sessions.js'

@ApiTags('Team')
@ApiBearerAuth('accessToken')
@ApiCookieAuth('sessionCookie')
@Controller('api/team/:userId/sessions')
@UseGuards(MainSourceGuard, PermissionGuard)
@RequirePermission('teamManagement')
export class TeamSessionsController {
  constructor(private readonly sessions: TeamSessions) {}

  /** Where a member is logged in. */
  @Get()
  @ListMemberSessionsDocs()
  list(@CurrentManager() manager: Manager, @Param('userId', IdInPath) userId: string) {
    return this.sessions.list(manager, userId)
  }

  @Delete()
  @EndMemberSessionsDocs()
  async endAll(@CurrentManager() manager: Manager, @Param('userId', IdInPath) userId: string) {
    return { ended: await this.sessions.endAll(manager, userId) }
  }

  @Delete(':sid')
  @HttpCode(204)
  @EndMemberSessionDocs()
  end(
    @CurrentManager() manager: Manager,
    @Param('userId', IdInPath) userId: string,
    @Param('sid') sid: string,
  ) {
    return this.sessions.end(manager, userId, sid)
  }
}
