// What was decided here, and why: docs/decisions/accounts-and-teams.md
import { Module } from '@nestjs/common'
import { AnomaliesModule } from '../anomalies/anomalies.module.js'
import { AuthModule } from '../auth/auth.module.js'
import { CorsModule } from '../cors/cors.module.js'
import { FactorsModule } from '../factors/factors.module.js'
import { MailModule } from '../mail/mail.module.js'
import { AuditLogModule } from '../platform/audit/audit-log.module.js'
import { LinksModule } from '../platform/one-time-tokens.js'
import { RateLimitsModule } from '../platform/rate-limits/rate-limits.module.js'
import { SatellitesModule } from '../satellites/satellites.module.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { UsersModule } from '../users/users.module.js'
import { AllowedSatellites } from './allowed-satellites.js'
import { FactorResetController, FactorResetLinksController } from './factor-reset/factor-reset.controller.js'
import { FactorResetJob } from './factor-reset/factor-reset.job.js'
import { FactorResetService } from './factor-reset/factor-reset.service.js'
import { FactorResetCompletion, ResetPreconditions } from './factor-reset/factor-reset-completion.js'
import { FactorResetLinksService } from './factor-reset/factor-reset-links.service.js'
import { FactorResetMails } from './factor-reset/factor-reset-mails.js'
import { FactorResetRequests } from './factor-reset/factor-reset-requests.js'
import { AcceptInvitationService } from './invitations/accept-invitation.service.js'
import { InvitationMails } from './invitations/invitation-mails.js'
import { InvitationRecords } from './invitations/invitation-records.js'
import { AcceptInvitationController, InvitationsController } from './invitations/invitations.controller.js'
import { InvitationsService } from './invitations/invitations.service.js'
import { MemberList } from './members/member-list.js'
import { MemberRemoval } from './members/member-removal.js'
import { MembersController } from './members/members.controller.js'
import { MembersService } from './members/members.service.js'
import { OutOfScopeSessions } from './members/out-of-scope-sessions.js'
import { RemovalConsequences } from './members/removal-consequences.js'
import { SatelliteAccess } from './members/satellite-access.js'
import { TeamSessionsController } from './sessions/team-sessions.controller.js'
import { TeamSessions } from './sessions/team-sessions.js'
import { TeamAuthority } from './team-authority.js'
import { TeamSatellitesController } from './team-satellites.controller.js'

@Module({
  imports: [
    UsersModule,
    AnomaliesModule,
    FactorsModule,
    RateLimitsModule,
    AuditLogModule,
    AuthModule,
    MailModule,
    LinksModule,
    CorsModule,
    SatellitesModule,
    SessionsModule,
  ],
  controllers: [
    InvitationsController,
    AcceptInvitationController,
    TeamSatellitesController,
    MembersController,
    TeamSessionsController,
    FactorResetController,
    FactorResetLinksController,
  ],
  providers: [
    MemberList,
    MembersService,
    MemberRemoval,
    RemovalConsequences,
    OutOfScopeSessions,
    SatelliteAccess,
    TeamSessions,
    TeamAuthority,
    AllowedSatellites,
    InvitationRecords,
    InvitationMails,
    InvitationsService,
    AcceptInvitationService,
    FactorResetService,
    FactorResetRequests,
    FactorResetLinksService,
    FactorResetCompletion,
    ResetPreconditions,
    FactorResetJob,
    FactorResetMails,
  ],
  exports: [FactorResetService, FactorResetRequests],
})
export class TeamModule {}
