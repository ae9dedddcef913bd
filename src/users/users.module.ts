// What was decided here, and why: docs/decisions/accounts-and-teams.md
import { Module } from '@nestjs/common'
import { AnomaliesModule } from '../anomalies/anomalies.module.js'
import { CorsModule } from '../cors/cors.module.js'
import { FactorsModule } from '../factors/factors.module.js'
import { MailModule } from '../mail/mail.module.js'
import { AuditLogModule } from '../platform/audit/audit-log.module.js'
import { LinksModule } from '../platform/one-time-tokens.js'
import { PlansModule } from '../platform/plans.js'
import { RateLimitsModule } from '../platform/rate-limits/rate-limits.module.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { Accounts } from './accounts.js'
import { ActorAuthority } from './actor-authority.js'
import { EmailReservations } from './email-reservations.js'
import { UserSearch } from './lists/user-search.js'
import { MailedLinks } from './mailed-links.js'
import { AccountAdmins } from './notices/account-admins.js'
import { CancellationNotices } from './notices/cancellation-notices.js'
import { OwnerNotices } from './notices/owner-notices.js'
import { PasswordPolicy } from './passwords/password-policy.js'
import { Passwords } from './passwords/passwords.js'
import { PendingAccountChanges } from './pending/pending-account-changes.js'
import { PendingTransfers } from './pending/pending-transfers.js'
import { AccountCleanup } from './recovery/account-cleanup.js'
import { AccountRecovery } from './recovery/account-recovery.js'
import { InvitedMembers } from './recovery/invited-members.js'
import { StrangerSatellites } from './recovery/stranger-satellites.js'
import { TakeoverCleanup } from './recovery/takeover-cleanup.js'
import { UserAdministration, UserCreation } from './user-administration.js'
import { UserChanges } from './user-changes.js'
import { UserEmails } from './user-emails.js'
import { UserTraces } from './user-traces.js'
import { Users } from './users.js'

@Module({
  imports: [
    AnomaliesModule,
    FactorsModule,
    RateLimitsModule,
    AuditLogModule,
    MailModule,
    LinksModule,
    PlansModule,
    CorsModule,
    SessionsModule,
  ],
  providers: [
    Accounts,
    ActorAuthority,
    EmailReservations,
    Users,
    UserSearch,
    Passwords,
    PasswordPolicy,
    UserAdministration,
    UserChanges,
    UserCreation,
    AccountRecovery,
    TakeoverCleanup,
    InvitedMembers,
    StrangerSatellites,
    AccountCleanup,
    PendingAccountChanges,
    CancellationNotices,
    UserTraces,
    OwnerNotices,
    PendingTransfers,
    AccountAdmins,
    UserEmails,
    MailedLinks,
  ],
  exports: [
    Accounts,
    ActorAuthority,
    Users,
    UserSearch,
    Passwords,
    PasswordPolicy,
    UserAdministration,
    UserChanges,
    UserCreation,
    AccountRecovery,
    PendingAccountChanges,
    CancellationNotices,
    OwnerNotices,
    PendingTransfers,
    AccountAdmins,
    UserEmails,
    MailedLinks,
  ],
})
export class UsersModule {}
