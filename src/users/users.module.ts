// What was decided here, and why: docs/decisions/README.md, "Accounts and teams"
import { Module } from '@nestjs/common'
import { AnomaliesModule } from '../anomalies/anomalies.module.js'
import { CorsModule } from '../cors/cors.module.js'
import { FactorsModule } from '../factors/factors.module.js'
import { MailModule } from '../mail/mail.module.js'
import { AuditLogModule } from '../platform/audit/audit-log.js'
import { LinksModule } from '../platform/one-time-tokens.js'
import { PlansModule } from '../platform/plans.js'
import { RateLimitsModule } from '../platform/rate-limits/rate-limiter.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { Accounts } from './accounts.js'
import { ActorAuthority } from './actor-authority.js'
import { UserEmails } from './email-addresses.js'
import { MailedLinks } from './mailed-links.js'
import { AccountAdmins, OwnerNotices } from './notices.js'
import { PasswordPolicy } from './passwords/password-policy.js'
import { Passwords } from './passwords/passwords.js'
import { CancellationNotices, PendingAccountChanges, PendingTransfers } from './pending-changes.js'
import { AccountRecovery } from './recovery.js'
import { UserAdministration, UserChanges } from './user-changes.js'
import { Users } from './users.js'

const PROVIDERS = [
  Accounts,
  ActorAuthority,
  Users,
  Passwords,
  PasswordPolicy,
  UserAdministration,
  UserChanges,
  AccountRecovery,
  PendingAccountChanges,
  CancellationNotices,
  OwnerNotices,
  PendingTransfers,
  AccountAdmins,
  UserEmails,
  MailedLinks,
]

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
  providers: PROVIDERS,
  exports: PROVIDERS,
})
export class UsersModule {}
