import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common'
import { ApiProperty, ApiPropertyOptional, ApiTags } from '@nestjs/swagger'
import type { ErrorCode } from '../platform/errors/api-error.js'
import { BODY_REFUSALS, Documented } from '../platform/http/endpoint.js'
import { type Client, CurrentClient, IdInPath } from '../platform/http/request.js'
import { IfPresent } from '../platform/http/validation.js'
import { IsMailedToken } from '../platform/one-time-tokens.js'
import type { Permissions } from '../platform/permissions.js'
import { ContainsDamage, MainSite } from '../sessions/guards.js'
import { CurrentActor, type SessionActor } from '../sessions/session-actor.js'
import { Public } from '../tokens/jwt.guard.js'
import { type Email, IsEmailAddress } from '../users/email.js'
import { IsName } from '../users/name-text.js'
import { IsNewPassword, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../users/passwords/passwords.js'
import { initialGrant } from '../users/user.js'
import { AllowedSatellites } from './allowed-satellites.js'
import { AcceptInvitation, INVITATION_DAYS, Invitations, type InviteRequest } from './invitations.js'
import { IsPermissions, IsSatellites, PermissionsBody, permissionsIn } from './member-access.dto.js'

class InvitationBody {
  @ApiProperty({ type: String, format: 'email', maxLength: 254, example: 'colleague@example.com' })
  @IsEmailAddress()
  email!: Email

  /** Default: dataEntry and viewReports. */
  @ApiPropertyOptional({ type: PermissionsBody })
  @IfPresent()
  @IsPermissions()
  permissions?: Permissions

  @IsSatellites({ required: false })
  satellites?: string[] | null
}

class AcceptInvitationBody {
  @IsMailedToken()
  token!: string

  @ApiProperty({ type: String, minLength: MIN_PASSWORD_LENGTH, maxLength: MAX_PASSWORD_LENGTH })
  @IsNewPassword()
  password!: string

  @IsName({ required: false })
  name?: string
}

class InvitedAnswer {
  @ApiProperty({ type: String, format: 'uuid' })
  id!: string

  @ApiProperty({ type: String, format: 'email' })
  email!: string

  @ApiProperty({ type: String, format: 'date-time' })
  expiresAt!: Date
}

class InvitationAnswer extends InvitedAnswer {
  @ApiProperty({ type: PermissionsBody })
  permissions!: PermissionsBody

  @ApiProperty({ type: [String], nullable: true, description: 'Origins; null means all satellites' })
  satellites!: string[] | null

  @ApiProperty({ type: String, format: 'uuid', description: 'userId' })
  invitedBy!: string

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: string
}

class InvitationsAnswer {
  @ApiProperty({ type: [InvitationAnswer], description: 'Oldest first' })
  invitations!: InvitationAnswer[]
}

/** The new member, and the origins that they may log in at. */
class AcceptedAnswer {
  @ApiProperty({ type: String, format: 'uuid' })
  userId!: string

  @ApiProperty({ type: [String], nullable: true, description: 'Origins to log in at; null means all' })
  satellites!: readonly string[] | null
}

const INVITE_REFUSALS: readonly ErrorCode[] = [
  'UNKNOWN_SATELLITE',
  'OWN_RIGHTS',
  'REAUTHENTICATION_REQUIRED',
  'EMAIL_TAKEN',
  'TOO_MANY_INVITATIONS',
  'PLAN_LIMIT_REACHED',
  'TOO_MANY_ATTEMPTS',
  'MAIL_UNAVAILABLE',
]

const InviteDocs = () =>
  Documented({
    summary: 'Invite somebody by e-mail',
    description:
      `Main site only, with teamManagement. The link in the mail works once, within ${INVITATION_DAYS} days, and replaces an earlier one to ` +
      'the same address. Nobody can give permissions that they do not have. Giving payments, accountSettings or teamManagement requires a ' +
      're-authentication. The answer does not tell whether the address has a login in another account.',
    status: 201,
    answer: 'The mail is on its way',
    type: InvitedAnswer,
    refusals: [...BODY_REFUSALS, ...INVITE_REFUSALS],
  })

const ResendInvitationDocs = () =>
  Documented({
    summary: 'Send an open invitation again',
    description:
      `Main site only, with teamManagement. The new link has a new id, works for ${INVITATION_DAYS} days and replaces the previous one. It counts, ` +
      'and can be refused, like a new invitation with the same contents.',
    status: 201,
    answer: 'The mail is on its way',
    type: InvitedAnswer,
    refusals: [...INVITE_REFUSALS, 'NOT_FOUND'],
  })

const ListInvitationsDocs = () =>
  Documented({
    summary: 'The open invitations of the account',
    description: 'Main site only, with teamManagement.',
    status: 200,
    answer: 'Invitations that have not been accepted, withdrawn, replaced or expired',
    type: InvitationsAnswer,
  })

const WithdrawInvitationDocs = () =>
  Documented({
    summary: 'Withdraw an invitation',
    description: 'Main site only, with teamManagement.',
    status: 204,
    answer: 'The link no longer works',
    refusals: ['NOT_FOUND'],
  })

const AcceptInvitationDocs = () =>
  Documented({
    summary: 'Join a team with a mailed link',
    description:
      'Uses the link up and creates the member; nobody is logged in. It works as long as the inviter could still give the ' +
      'same. With a weak password the link stays valid for another try.',
    status: 201,
    answer: 'The member may log in',
    type: AcceptedAnswer,
    refusals: [
      'PLAN_LIMIT_REACHED',
      ...BODY_REFUSALS,
      'INVALID_LINK',
      'WEAK_PASSWORD',
      'EMAIL_TAKEN',
      'TOO_MANY_ATTEMPTS',
      'TOO_BUSY',
      'DATABASE_UNAVAILABLE',
    ],
  })

@ApiTags('Team')
@Controller('api/team/invitations')
@MainSite({ permission: 'teamManagement' })
export class InvitationsController {
  constructor(
    private readonly invitations: Invitations,
    private readonly allowedSatellites: AllowedSatellites,
  ) {}

  /** Invites a person to the caller's team by mail. */
  @Post()
  @InviteDocs()
  invite(
    @CurrentActor() actor: SessionActor,
    @Body() { email, permissions = initialGrant('member'), satellites = null }: InvitationBody,
  ) {
    return this.mail(actor, { email, permissions: permissionsIn(permissions), satellites })
  }

  /** Mails an open invitation again, as if the manager had just made it. */
  @Post(':id/resend')
  @ResendInvitationDocs()
  async resend(@CurrentActor() actor: SessionActor, @Param('id', IdInPath) id: string) {
    return this.mail(actor, await this.invitations.find(actor.accountId, id))
  }

  @Get()
  @ListInvitationsDocs()
  async list(@CurrentActor() actor: SessionActor) {
    const open = await this.invitations.list(actor.accountId)
    return { invitations: open.map(({ accountId: _, ...invitation }) => invitation) }
  }

  @ContainsDamage()
  @Delete(':id')
  @HttpCode(204)
  @WithdrawInvitationDocs()
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
  constructor(private readonly acceptInvitation: AcceptInvitation) {}

  /** Creates the invited member. Public: they have no login yet, and the link is the proof. */
  @Public()
  @Post('accept')
  @AcceptInvitationDocs()
  accept(@Body() body: AcceptInvitationBody, @CurrentClient() client: Client) {
    return this.acceptInvitation.accept(body, client)
  }
}
