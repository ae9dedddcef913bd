import { Module } from '@nestjs/common'
import { AccountsModule } from '../accounts/accounts.module.js'
import { AttemptsModule } from '../attempts/attempts.module.js'
import { AuditModule } from '../audit/audit.module.js'
import { MailModule } from '../mail/mail.module.js'
import { OneTimeTokensModule } from '../one-time-tokens/one-time-tokens.module.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { AcceptInvitationController } from './accept-invitation.controller.js'
import { AcceptInvitationService } from './accept-invitation.service.js'
import { InvitationMails } from './invitation-mails.js'
import { InvitationsController } from './invitations.controller.js'
import { Invitations } from './invitations.js'
import { InvitationsService } from './invitations.service.js'
import { ListedSatellites } from './listed-satellites.js'
import { NewMembers } from './new-members.js'
import { TeamController } from './team.controller.js'
import { TeamService } from './team.service.js'
import { TeamAuthority } from './team-authority.js'
import { TeamScopes } from './team-scopes.js'
import { TeamSessionsController } from './team-sessions.controller.js'
import { TeamSessions } from './team-sessions.js'

@Module({
  imports: [AccountsModule, AttemptsModule, AuditModule, MailModule, OneTimeTokensModule, SessionsModule],
  controllers: [InvitationsController, AcceptInvitationController, TeamController, TeamSessionsController],
  providers: [
    TeamService,
    TeamScopes,
    TeamSessions,
    TeamAuthority,
    ListedSatellites,
    Invitations,
    InvitationMails,
    InvitationsService,
    NewMembers,
    AcceptInvitationService,
  ],
})
export class TeamModule {}
