// What was decided here, and why: docs/decisions/README.md, "Accounts and teams"
import { Module } from '@nestjs/common'
import { AuthModule } from '../auth/auth.module.js'
import { CorsModule } from '../cors/cors.module.js'
import { FactorsModule } from '../factors/factors.module.js'
import { MailModule } from '../mail/mail.module.js'
import { AuditLogModule } from '../platform/audit/audit-log.js'
import { LinksModule } from '../platform/one-time-tokens.js'
import { RateLimitsModule } from '../platform/rate-limits/rate-limiter.js'
import { SatellitesModule } from '../satellites/satellites.module.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { UsersModule } from '../users/users.module.js'
import { AllowedSatellites } from './allowed-satellites.js'
import { FactorResetController, FactorResetLinksController } from './factor-reset.controller.js'
import {
  FactorResetCompletion,
  FactorResetJob,
  FactorResetLinks,
  FactorResetRequests,
} from './factor-reset.js'
import { AcceptInvitationController, InvitationsController } from './invitations.controller.js'
import { AcceptInvitation, Invitations } from './invitations.js'
import { MemberList } from './member-list.js'
import { MemberSessions, Members } from './members.js'
import { MembersController, TeamSatellitesController, TeamSessionsController } from './team.controller.js'
import { TeamAuthority } from './team-authority.js'

@Module({
  imports: [
    UsersModule,
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
    TeamAuthority,
    MemberList,
    Members,
    MemberSessions,
    AllowedSatellites,
    Invitations,
    AcceptInvitation,
    FactorResetRequests,
    FactorResetCompletion,
    FactorResetLinks,
    FactorResetJob,
  ],
  exports: [FactorResetRequests],
})
export class TeamModule {}
