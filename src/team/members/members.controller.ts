import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { IdInPath } from '../../platform/http/request.js'
import { MainSite } from '../../sessions/guards/protection.decorators.js'
import { ContainsDamage } from '../../sessions/guards/write-limit.guard.js'
import { CurrentActor, type SessionActor } from '../../sessions/session-actor.js'
import { AllowedSatellites } from '../allowed-satellites.js'
import { PermissionChangesBody, SatelliteChangesBody } from './member-access.dto.js'
import { MemberList } from './member-list.js'
import { MemberRemoval } from './member-removal.js'
import {
  DisableMemberDocs,
  EnableMemberDocs,
  FindMemberDocs,
  ListMembersDocs,
  MembersQuery,
  RemoveMemberDocs,
  SetPermissionsDocs,
  SetSatellitesDocs,
} from './members.dto.js'
import { MembersService } from './members.service.js'
import { SatelliteAccess } from './satellite-access.js'

@ApiTags('Team')
@Controller('api/team')
@MainSite({ permission: 'teamManagement' })
export class MembersController {
  constructor(
    private readonly members: MembersService,
    private readonly removal: MemberRemoval,
    private readonly memberList: MemberList,
    private readonly satelliteAccess: SatelliteAccess,
    private readonly allowedSatellites: AllowedSatellites,
  ) {}

  /** The users of the caller's account, a page at a time. */
  @Get()
  @ListMembersDocs()
  list(@CurrentActor() actor: SessionActor, @Query() query: MembersQuery) {
    return this.memberList.list(actor.accountId, query)
  }

  @Get(':userId')
  @FindMemberDocs()
  find(@CurrentActor() actor: SessionActor, @Param('userId', IdInPath) userId: string) {
    return this.memberList.find(actor.accountId, userId)
  }

  /** Grants or takes away the permissions that are named. */
  @ContainsDamage()
  @Put(':userId/permissions')
  @HttpCode(204)
  @SetPermissionsDocs()
  setPermissions(
    @CurrentActor() actor: SessionActor,
    @Param('userId', IdInPath) userId: string,
    @Body() body: PermissionChangesBody,
  ) {
    return this.members.setPermissions(actor, userId, body)
  }

  /** Sets the satellites that the member may log in at, or changes those that are named. */
  @ContainsDamage()
  @Put(':userId/satellites')
  @HttpCode(204)
  @SetSatellitesDocs()
  async setSatellites(
    @CurrentActor() actor: SessionActor,
    @Param('userId', IdInPath) userId: string,
    @Body() body: SatelliteChangesBody,
  ) {
    const { satellites = [], add = [] } = body
    await this.allowedSatellites.require(actor.accountId, satellites)
    await this.allowedSatellites.require(actor.accountId, add, 'add')
    return this.satelliteAccess.change(actor, userId, body)
  }

  @ContainsDamage()
  @Post(':userId/disable')
  @HttpCode(204)
  @DisableMemberDocs()
  disable(@CurrentActor() actor: SessionActor, @Param('userId', IdInPath) userId: string) {
    return this.members.disable(actor, userId)
  }

  @Post(':userId/enable')
  @HttpCode(204)
  @EnableMemberDocs()
  enable(@CurrentActor() actor: SessionActor, @Param('userId', IdInPath) userId: string) {
    return this.members.enable(actor, userId)
  }

  @ContainsDamage()
  @Delete(':userId')
  @HttpCode(204)
  @MainSite({ reauthenticated: true })
  @RemoveMemberDocs()
  remove(@CurrentActor() actor: SessionActor, @Param('userId', IdInPath) userId: string) {
    return this.removal.remove(actor, userId)
  }
}
