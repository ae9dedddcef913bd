import { applyDecorators, Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common'
import { ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger'
import { Answers, Refuses } from '../platform/http/endpoint.js'
import { Flag, Id, Instant, ListOf, Nested, OneOf, ParseText, Text, Whole } from '../platform/http/fields.js'
import { PageLimit } from '../platform/http/paging.js'
import { IdInPath } from '../platform/http/request.js'
import { PERMISSIONS, type Permission, type Permissions } from '../platform/permissions.js'
import { SiteSessionsAnswer } from '../sessions/active-sessions.controller.js'
import { ContainsDamage, MainSite } from '../sessions/guards.js'
import { CurrentActor, type SessionActor } from '../sessions/session-actor.js'
import { PartOfName } from '../users/name-text.js'
import type { Role } from '../users/user.js'
import { AllowedSatellites } from './allowed-satellites.js'
import { PermissionChangesBody, PermissionsBody, SatelliteChangesBody } from './member-access.dto.js'
import { MEMBER_SORTS, MemberCursor, MemberList, type MemberPlace, type MemberSort } from './member-list.js'
import { MemberSessions, Members, type TeamMember } from './members.js'

const DEFAULT_PAGE = 100
const ROLES: readonly Role[] = ['owner', 'member']

/** For query fields: `true` or `false`. */
const YesOrNo = (description: string) =>
  applyDecorators(
    ParseText(text => (/^(true|false)$/.test(text) ? text === 'true' : null)),
    Flag({ optional: true, description }),
  )

/** A page of the team. */
class MembersQuery {
  @PageLimit(DEFAULT_PAGE) limit: number = DEFAULT_PAGE

  @OneOf(MEMBER_SORTS, {
    optional: true,
    default: 'joined',
    description:
      'By when they joined, by name (or e-mail address, without one) or by their last login (those who never logged in come first); ' +
      'with a minus, from the last to the first. The owner is always the first',
  })
  sort: MemberSort = 'joined'

  @MemberCursor() after?: MemberPlace

  @PartOfName(
    'Only those whose name or e-mail address contains this, in upper or lower case. With this or another filter, a page looks at ' +
      '10,000 members at most, so it may be short or empty although there is a `next`',
  )
  q?: string

  @OneOf(ROLES, { optional: true, description: 'Only those with this role' }) role?: Role

  @OneOf(PERMISSIONS, { optional: true, description: 'Only those who have been granted this permission' })
  permission?: Permission

  @YesOrNo('Only those with, or without, a second factor') hasSecondFactor?: boolean
  @YesOrNo('Only those who are, or are not, disabled') isDisabled?: boolean
}

class TeamMemberAnswer implements TeamMember {
  @Id() userId!: string
  @Text({ format: 'email' }) email!: string
  @Text({ nullable: true }) name!: string | null
  @OneOf(ROLES) role!: Role

  @Nested(PermissionsBody, { description: 'As granted; on satellites only some of them count' })
  permissions!: Permissions

  @ListOf(String, { nullable: true, description: 'Origins to log in at; null means all' })
  satellites!: readonly string[] | null

  @Flag() isDisabled!: boolean
  @Flag() hasSecondFactor!: boolean
  @Flag({ description: 'Whether they may do nothing until they have a second factor' }) mustEnrol!: boolean

  @Instant({
    nullable: true,
    description: 'When a requested reset of their second factors happens; null when none is pending',
  })
  factorResetAt!: Date | null

  @Instant({
    nullable: true,
    description: 'The last login, at any site; null for users who have never logged in',
  })
  lastLoginAt!: Date | null

  @Instant() createdAt!: Date
}

class TeamAnswer {
  @ListOf(TeamMemberAnswer, { description: 'The owner, then the members in the order of `sort`' })
  users!: TeamMemberAnswer[]

  @Text({ nullable: true, description: 'For `after`, with the same `sort`; null on the last page' })
  next!: string | null

  @Whole({
    description: 'How many users the account has, whatever the filter; 50,000 stands for any higher number',
  })
  total!: number
}

const MAIN_SITE_ONLY =
  'Main site only. Access token and session cookie must belong to the same session, and it must currently have the ' +
  'teamManagement permission.'

@ApiTags('Team')
@Controller('api/team')
@MainSite({ permission: 'teamManagement' })
export class MembersController {
  constructor(
    private readonly members: Members,
    private readonly memberList: MemberList,
    private readonly allowedSatellites: AllowedSatellites,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List the members of the account', description: MAIN_SITE_ONLY })
  @Answers(200, 'One page of the users, including the owner and disabled members', TeamAnswer)
  list(@CurrentActor() actor: SessionActor, @Query() query: MembersQuery) {
    return this.memberList.list(actor.accountId, query)
  }

  @Get(':userId')
  @ApiOperation({ summary: 'Get one member of the account', description: MAIN_SITE_ONLY })
  @Answers(200, 'As in the list', TeamMemberAnswer)
  find(@CurrentActor() actor: SessionActor, @Param('userId', IdInPath) userId: string) {
    return this.memberList.find(actor.accountId, userId)
  }

  @ContainsDamage()
  @Put(':userId/permissions')
  @ApiOperation({
    summary: "Change a member's permissions",
    description:
      `${MAIN_SITE_ONLY} Live sessions of the member get them at their next refresh. Callers cannot change their own ` +
      'permissions or give any that they do not have; the owner always has all. Giving payments, accountSettings or teamManagement requires a re-authentication.',
  })
  @Answers(204, 'The member has these permissions, and as before those that are not named')
  @Refuses('OWN_RIGHTS', 'LAST_OWNER', 'REAUTHENTICATION_REQUIRED')
  setPermissions(
    @CurrentActor() actor: SessionActor,
    @Param('userId', IdInPath) userId: string,
    @Body() body: PermissionChangesBody,
  ) {
    return this.members.setPermissions(actor, userId, body)
  }

  @ContainsDamage()
  @Put(':userId/satellites')
  @ApiOperation({
    summary: 'Change where a member may log in',
    description:
      `${MAIN_SITE_ONLY} \`satellites\` is all of them; \`add\` and \`remove\` change what is set, or what \`satellites\` sets, and leave the rest. ` +
      `The member's sessions at other satellites end. Lifting the limit gives the member every permission ` +
      'that they were granted, so the rules for giving them apply.',
  })
  @Answers(
    204,
    'The member may log in at these satellites only, and as before at those that are not named; null means everywhere',
  )
  @Refuses('UNKNOWN_SATELLITE', 'OWN_RIGHTS', 'LAST_OWNER', 'REAUTHENTICATION_REQUIRED')
  async setSatellites(
    @CurrentActor() actor: SessionActor,
    @Param('userId', IdInPath) userId: string,
    @Body() body: SatelliteChangesBody,
  ) {
    const { satellites = [], add = [] } = body
    await this.allowedSatellites.require(actor.accountId, satellites)
    await this.allowedSatellites.require(actor.accountId, add, 'add')
    return this.members.changeSatellites(actor, userId, body)
  }

  @ContainsDamage()
  @Post(':userId/disable')
  @ApiOperation({
    summary: 'Disable a member',
    description: `${MAIN_SITE_ONLY} All sessions of the member end.`,
  })
  @Answers(204, 'The member is disabled')
  @Refuses('OWN_RIGHTS', 'LAST_OWNER')
  disable(@CurrentActor() actor: SessionActor, @Param('userId', IdInPath) userId: string) {
    return this.members.disable(actor, userId)
  }

  @Post(':userId/enable')
  @ApiOperation({
    summary: 'Enable a disabled member',
    description:
      `${MAIN_SITE_ONLY} This gives the member's permissions back, so the rules for giving them apply: the caller must have ` +
      'them, and payments, accountSettings or teamManagement require a re-authentication.',
  })
  @Answers(204, 'The member may log in')
  @Refuses(
    'OWN_RIGHTS',
    'LAST_OWNER',
    'DISABLED_BY_OPERATOR',
    'PLAN_LIMIT_REACHED',
    'REAUTHENTICATION_REQUIRED',
  )
  enable(@CurrentActor() actor: SessionActor, @Param('userId', IdInPath) userId: string) {
    return this.members.enable(actor, userId)
  }

  @ContainsDamage()
  @Delete(':userId')
  @MainSite({ reauthenticated: true })
  @ApiOperation({
    summary: 'Remove a member',
    description: `${MAIN_SITE_ONLY} All sessions of the member end, the links mailed to them stop working, and the invitations that they sent are withdrawn; a pending transfer of the account to them is cancelled. They are mailed, and can only come back through an invitation. It requires a re-authentication.`,
  })
  @Answers(204, 'The member is removed; what they did stays in the audit log')
  @Refuses('OWN_RIGHTS', 'LAST_OWNER', 'DISABLED_BY_OPERATOR')
  remove(@CurrentActor() actor: SessionActor, @Param('userId', IdInPath) userId: string) {
    return this.members.remove(actor, userId)
  }
}

class MemberSessionsAnswer {
  @ListOf(SiteSessionsAnswer, { description: 'Most recently used first' }) sites!: SiteSessionsAnswer[]
}

class EndedMemberSessionsAnswer {
  @ApiProperty({ type: Number, description: 'How many were ended' }) ended!: number
}

const EXCEPT_OWNER = "Main site only, with teamManagement. The owner's sessions are the owner's alone."

@ApiTags('Team')
@Controller('api/team/:userId/sessions')
@MainSite({ permission: 'teamManagement' })
export class TeamSessionsController {
  constructor(private readonly sessions: MemberSessions) {}

  @Get()
  @ApiOperation({ summary: 'List the live sessions of a member by site', description: EXCEPT_OWNER })
  @Answers(200, 'The live sessions', MemberSessionsAnswer)
  @Refuses('OWNER_REQUIRED')
  list(@CurrentActor() actor: SessionActor, @Param('userId', IdInPath) userId: string) {
    return this.sessions.list(actor, userId)
  }

  @ContainsDamage()
  @Delete()
  @ApiOperation({
    summary: 'End all sessions of a member',
    description: `${EXCEPT_OWNER} The member may log in again.`,
  })
  @Answers(200, 'Ended', EndedMemberSessionsAnswer)
  @Refuses('OWNER_REQUIRED')
  async endAll(@CurrentActor() actor: SessionActor, @Param('userId', IdInPath) userId: string) {
    return { ended: await this.sessions.endAll(actor, userId) }
  }

  @ContainsDamage()
  @Delete(':sid')
  @ApiOperation({
    summary: 'End one session of a member',
    description: `${EXCEPT_OWNER} A session that is not in the member's list is 404.`,
  })
  @Answers(204, 'Ended')
  @Refuses('OWNER_REQUIRED')
  end(
    @CurrentActor() actor: SessionActor,
    @Param('userId', IdInPath) userId: string,
    @Param('sid') sid: string,
  ) {
    return this.sessions.end(actor, userId, sid)
  }
}

class TeamSatelliteAnswer {
  @Text({ description: 'What `satellites` of members and invitations take' }) origin!: string
  @Text() name!: string

  @OneOf(['production', 'preview'], {
    description: 'Members who may log in everywhere need access by name to previews',
  })
  kind!: string

  @OneOf(['pending', 'active', 'suspended'], {
    description: 'Users can log in only at active ones',
  })
  state!: string
}

class TeamSatellitesAnswer {
  @ListOf(TeamSatelliteAnswer) satellites!: TeamSatelliteAnswer[]
}

@ApiTags('Team')
@Controller('api/team/satellites')
@MainSite({ permission: 'teamManagement' })
export class TeamSatellitesController {
  constructor(private readonly allowedSatellites: AllowedSatellites) {}

  @Get()
  @ApiOperation({
    summary: 'List the satellites that members can be given access to',
    description:
      'Main site only, with teamManagement. What `GET /api/satellites` says besides is for those with accountSettings.',
  })
  @Answers(
    200,
    "The account's own, oldest first, then those that every account may use",
    TeamSatellitesAnswer,
  )
  async list(@CurrentActor() { accountId }: SessionActor) {
    return { satellites: await this.allowedSatellites.list(accountId) }
  }
}
