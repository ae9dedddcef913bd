import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { type Client, CurrentClient, IdInPath } from '../../platform/http/request.js'
import { MainSite } from '../../sessions/guards/protection.decorators.js'
import { ContainsDamage } from '../../sessions/guards/write-limit.guard.js'
import { CurrentActor, type SessionActor } from '../../sessions/session-actor.js'
import { Public } from '../../tokens/jwt.guard.js'
import { initialGrant } from '../../users/user.js'
import { AllowedSatellites } from '../allowed-satellites.js'
import { permissionsIn } from '../members/member-access.dto.js'
import { AcceptInvitationService } from './accept-invitation.service.js'
import type { InviteRequest } from './invitation-records.js'
import {
  AcceptInvitationBody,
  AcceptInvitationDocs,
  InvitationBody,
  InviteDocs,
  type InvitedAnswer,
  ListInvitationsDocs,
  ResendInvitationDocs,
  WithdrawInvitationDocs,
} from './invitations.dto.js'
import { InvitationsService } from './invitations.service.js'

@ApiTags('Team')
@Controller('api/team/invitations')
@MainSite({ permission: 'teamManagement' })
export class InvitationsController {
  constructor(
    private readonly invitations: InvitationsService,
    private readonly allowedSatellites: AllowedSatellites,
  ) {}

  /** Invites somebody to the caller's team by mail. */
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
  constructor(private readonly acceptInvitation: AcceptInvitationService) {}

  /** Creates the invited member. Public: they have no login yet, and the link is the proof. */
  @Public()
  @Post('accept')
  @AcceptInvitationDocs()
  accept(@Body() body: AcceptInvitationBody, @CurrentClient() client: Client) {
    return this.acceptInvitation.accept(body, client)
  }
}
