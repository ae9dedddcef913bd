import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { CurrentActor, type SessionActor } from '../../sessions/actor.js'
import { MainSite } from '../../sessions/guards/protection.decorators.js'
import { initialGrant } from '../../users/user.js'
import { IdInPath } from '../id-in-path.pipe.js'
import { permissionsIn } from '../members/member-access.dto.js'
import {
  InvitationBody,
  InviteDocs,
  ListInvitationsDocs,
  ResendInvitationDocs,
  WithdrawInvitationDocs,
} from './invitations.dto.js'
import type { Invitation } from './invitations.js'
import { InvitationsService } from './invitations.service.js'

@ApiTags('Team')
@Controller('api/team/invitations')
@MainSite({ permission: 'teamManagement' })
export class InvitationsController {
  constructor(private readonly invitations: InvitationsService) {}

  /** Invites somebody to the caller's team by mail. */
  @Post()
  @InviteDocs()
  async invite(
    @CurrentActor() actor: SessionActor,
    @Body() { email, permissions = initialGrant('member'), satellites = null }: InvitationBody,
  ) {
    const wish = {
      email,
      permissions: permissionsIn(permissions),
      satellites,
    }
    return asInvited(await this.invitations.invite(actor, wish))
  }

  /** Mails an open invitation again, with a new link. */
  @Post(':id/resend')
  @ResendInvitationDocs()
  async resend(@CurrentActor() actor: SessionActor, @Param('id', IdInPath) id: string) {
    return asInvited(await this.invitations.resend(actor, id))
  }

  @Get()
  @ListInvitationsDocs()
  async list(@CurrentActor() actor: SessionActor) {
    const open = await this.invitations.list(actor.accountId)
    return { invitations: open.map(({ accountId: _, ...invitation }) => invitation) }
  }

  @Delete(':id')
  @HttpCode(204)
  @WithdrawInvitationDocs()
  withdraw(@CurrentActor() actor: SessionActor, @Param('id', IdInPath) id: string) {
    return this.invitations.withdraw(actor, id)
  }
}

function asInvited({ id, email, expiresAt }: Invitation): Pick<Invitation, 'id' | 'email' | 'expiresAt'> {
  return { id, email, expiresAt }
}
