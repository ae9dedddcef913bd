import { Body, Controller, Post } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { type Client, CurrentClient } from '../../http/client.js'
import { Public } from '../../tokens/jwt.guard.js'
import { type Accepted, AcceptInvitationService } from './accept-invitation.service.js'
import { AcceptInvitationBody, AcceptInvitationDocs } from './invitations.dto.js'

@ApiTags('Team')
@Controller('api/invitations')
export class AcceptInvitationController {
  constructor(private readonly acceptInvitation: AcceptInvitationService) {}

  /** Creates the member who was invited. Public: they have no login yet, and the link is the proof. */
  @Public()
  @Post('accept')
  @AcceptInvitationDocs()
  accept(@Body() body: AcceptInvitationBody, @CurrentClient() client: Client): Promise<Accepted> {
    return this.acceptInvitation.accept(body, client)
  }
}
