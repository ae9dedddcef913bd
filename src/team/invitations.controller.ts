import { Body, Controller, Delete, Get, Param, Post, Req, Res } from '@nestjs/common'
import { ApiOperation, ApiTags } from '@nestjs/swagger'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  answerToLink,
  LINK_LOGIN,
  LinkLoginAnswer,
  LinkLoginBody,
  linkContextOf,
} from '../auth/link-login.js'
import { Settings } from '../platform/config/settings.js'
import { Answers, Refuses } from '../platform/http/endpoint.js'
import { Id, Instant, ListOf, Nested, Text } from '../platform/http/fields.js'
import { IdInPath } from '../platform/http/request.js'
import type { Permissions } from '../platform/permissions.js'
import { ContainsDamage, MainSite } from '../sessions/guards.js'
import { CurrentActor, type SessionActor } from '../sessions/session-actor.js'
import { Public } from '../tokens/jwt.guard.js'
import { type Email, EmailAddress } from '../users/email.js'
import { Name } from '../users/name-text.js'
import { NewPassword } from '../users/passwords/passwords.js'
import { initialGrant } from '../users/user.js'
import { AllowedSatellites } from './allowed-satellites.js'
import { AcceptInvitation, INVITATION_DAYS, Invitations, type InviteRequest } from './invitations.js'
import { PermissionsBody, PermissionsField, permissionsIn, SatelliteOrigins } from './member-access.dto.js'

class InvitationBody {
  @EmailAddress({ example: 'colleague@example.com' }) email!: Email

  /** Default: dataEntry and viewReports. */
  @PermissionsField({ optional: true }) permissions?: Permissions
  @SatelliteOrigins() satellites?: string[] | null
}

class AcceptInvitationBody extends LinkLoginBody {
  @NewPassword() password!: string
  @Name({ optional: true }) name?: string
}

class InvitedAnswer {
  @Id() id!: string
  @Text({ format: 'email' }) email!: string
  @Instant() expiresAt!: Date
}

class InvitationAnswer extends InvitedAnswer {
  @Nested(PermissionsBody) permissions!: PermissionsBody

  @ListOf(String, { nullable: true, description: 'Origins; null means all satellites' })
  satellites!: string[] | null

  @Id({ description: 'userId' }) invitedBy!: string
  @Instant() createdAt!: string
}

class InvitationsAnswer {
  @ListOf(InvitationAnswer, { description: 'Oldest first' }) invitations!: InvitationAnswer[]
}

/** The new member, and the origins that they may log in at. */
class AcceptedAnswer extends LinkLoginAnswer {
  @Id() userId!: string

  @ListOf(String, { nullable: true, description: 'Origins to log in at; null means all' })
  satellites!: readonly string[] | null
}

const INVITE_REFUSALS = [
  'UNKNOWN_SATELLITE',
  'OWN_RIGHTS',
  'REAUTHENTICATION_REQUIRED',
  'EMAIL_TAKEN',
  'TOO_MANY_INVITATIONS',
  'PLAN_LIMIT_REACHED',
  'MAIL_UNAVAILABLE',
] as const

@ApiTags('Team')
@Controller('api/team/invitations')
@MainSite({ permission: 'teamManagement' })
export class InvitationsController {
  constructor(
    private readonly invitations: Invitations,
    private readonly allowedSatellites: AllowedSatellites,
  ) {}

  @Post()
  @ApiOperation({
    summary: 'Invite a user by e-mail',
    description:
      `Main site only, with teamManagement. The link in the mail works once, within ${INVITATION_DAYS} days, and replaces an earlier one to ` +
      'the same address. Callers can give only permissions that they have. Giving payments, accountSettings or teamManagement requires a ' +
      're-authentication. The answer does not tell whether the address has a login in another account.',
  })
  @Answers(201, 'The mail is on its way', InvitedAnswer)
  @Refuses(...INVITE_REFUSALS)
  invite(
    @CurrentActor() actor: SessionActor,
    @Body() { email, permissions = initialGrant('member'), satellites = null }: InvitationBody,
  ) {
    return this.mail(actor, { email, permissions: permissionsIn(permissions), satellites })
  }

  @Post(':id/resend')
  @ApiOperation({
    summary: 'Send an open invitation again',
    description:
      `Main site only, with teamManagement. The new link has a new id, works for ${INVITATION_DAYS} days and replaces the previous one. It counts, ` +
      'and can be refused, like a new invitation with the same contents.',
  })
  @Answers(201, 'The mail is on its way', InvitedAnswer)
  @Refuses(...INVITE_REFUSALS)
  async resend(@CurrentActor() actor: SessionActor, @Param('id', IdInPath) id: string) {
    return this.mail(actor, await this.invitations.find(actor.accountId, id))
  }

  @Get()
  @ApiOperation({
    summary: 'The open invitations of the account',
    description: 'Main site only, with teamManagement.',
  })
  @Answers(200, 'Invitations that have not been accepted, withdrawn, replaced or expired', InvitationsAnswer)
  async list(@CurrentActor() actor: SessionActor) {
    const open = await this.invitations.list(actor.accountId)
    return { invitations: open.map(({ accountId: _, ...invitation }) => invitation) }
  }

  @ContainsDamage()
  @Delete(':id')
  @ApiOperation({ summary: 'Withdraw an invitation', description: 'Main site only, with teamManagement.' })
  @Answers(204, 'The link no longer works')
  withdraw(@CurrentActor() actor: SessionActor, @Param('id', IdInPath) id: string) {
    return this.invitations.withdraw(actor, id)
  }

  private async mail(actor: SessionActor, request: InviteRequest): Promise<InvitedAnswer> {
    await this.allowedSatellites.require(actor.accountId, request.satellites)
    const { id, email, expiresAt } = await this.invitations.invite(actor, request)
    return { id, email, expiresAt }
  }
}

@ApiTags('Team')
@Controller('api/invitations')
export class AcceptInvitationController {
  constructor(
    private readonly acceptInvitation: AcceptInvitation,
    private readonly settings: Settings,
  ) {}

  /** Public: they have no login yet, and the link is the proof. */
  @Public()
  @Post('accept')
  @ApiOperation({
    summary: 'Join a team with a mailed link',
    description:
      'Uses up the link and creates the member. It works as long as the inviter could still send the same invitation. ' +
      `With a weak password the link stays valid for another try. ${LINK_LOGIN}`,
  })
  @Answers(201, 'The member has joined', AcceptedAnswer)
  @Refuses('PLAN_LIMIT_REACHED', 'INVALID_LINK', 'WEAK_PASSWORD', 'EMAIL_TAKEN', 'TOO_BUSY')
  async accept(
    @Body() body: AcceptInvitationBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const context = linkContextOf(body, request, this.settings)
    const { login, ...accepted } = await this.acceptInvitation.accept(body, context)
    return { ...accepted, ...answerToLink(login, context, reply, this.settings) }
  }
}
