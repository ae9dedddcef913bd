import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query, UseGuards } from '@nestjs/common'
import { ApiBearerAuth, ApiCookieAuth, ApiTags } from '@nestjs/swagger'
import { MainSourceGuard } from '../../sessions/guards/main-source.guard.js'
import { PermissionGuard, RequirePermission } from '../../sessions/guards/permission.guard.js'
import { ListedSatellites } from '../allowed-satellites.js'
import { IdInPath } from '../id-in-path.pipe.js'
import { CurrentManager, type Manager } from '../manager.js'
import { TeamScopes } from '../satellite-access.js'
import {
  DisableMemberDocs,
  EnableMemberDocs,
  FindMemberDocs,
  ListTeamDocs,
  RemoveMemberDocs,
  SetPermissionsDocs,
  SetSatellitesDocs,
} from './members.docs.js'
import { TeamQuery } from './members.query.js'
import { TeamService } from './members.service.js'
import { PermissionsBody, permissionsIn } from './permissions.body.js'
import { SatellitesBody } from './satellites.body.js'

@ApiTags('Team')
@ApiBearerAuth('accessToken')
@ApiCookieAuth('sessionCookie')
@Controller('api/team')
@UseGuards(MainSourceGuard, PermissionGuard)
@RequirePermission('teamManagement')
export class TeamController {
  constructor(
    private readonly team: TeamService,
    private readonly scopes: TeamScopes,
    private readonly listedSatellites: ListedSatellites,
  ) {}

  /** The users of the caller's account, a page at a time. */
  @Get()
  @ListTeamDocs()
  list(@CurrentManager() { session }: Manager, @Query() query: TeamQuery) {
    return this.team.list(session.accountId, query)
  }

  @Get(':userId')
  @FindMemberDocs()
  find(@CurrentManager() { session }: Manager, @Param('userId', IdInPath) userId: string) {
    return this.team.find(session.accountId, userId)
  }

  /** Grants exactly these permissions. */
  @Put(':userId/permissions')
  @HttpCode(204)
  @SetPermissionsDocs()
  setPermissions(
    @CurrentManager() manager: Manager,
    @Param('userId', IdInPath) userId: string,
    @Body() body: PermissionsBody,
  ) {
    return this.team.setPermissions(manager, userId, permissionsIn(body))
  }

  /** Sets the satellites that the member may log in at. */
  @Put(':userId/satellites')
  @HttpCode(204)
  @SetSatellitesDocs()
  setSatellites(
    @CurrentManager() manager: Manager,
    @Param('userId', IdInPath) userId: string,
    @Body() { satellites }: SatellitesBody,
  ) {
    this.listedSatellites.require(satellites)
    return this.scopes.set(manager, userId, satellites)
  }

  @Post(':userId/disable')
  @HttpCode(204)
  @DisableMemberDocs()
  disable(@CurrentManager() manager: Manager, @Param('userId', IdInPath) userId: string) {
    return this.team.disable(manager, userId)
  }

  @Post(':userId/enable')
  @HttpCode(204)
  @EnableMemberDocs()
  enable(@CurrentManager() manager: Manager, @Param('userId', IdInPath) userId: string) {
    return this.team.enable(manager, userId)
  }

  @Delete(':userId')
  @HttpCode(204)
  @RemoveMemberDocs()
  remove(@CurrentManager() manager: Manager, @Param('userId', IdInPath) userId: string) {
    return this.team.remove(manager, userId)
  }
}
