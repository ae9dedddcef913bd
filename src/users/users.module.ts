// What was decided here, and why: docs/decisions/accounts-and-teams.md
import { Module } from '@nestjs/common'
import { AnomaliesModule } from '../anomalies/anomalies.module.js'
import { AuditModule } from '../audit/audit.module.js'
import { LinksModule } from '../links/links.module.js'
import { MailModule } from '../mail/mail.module.js'
import { PermissionsModule } from '../permissions/plans-file.js'
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { AccountsService } from './accounts.service.js'
import { ImportBatch } from './import/import-batch.js'
import { UserImport } from './import/user-import.js'
import { MailedLinks } from './links/mailed-links.js'
import { UndoTokens } from './links/undo-tokens.js'
import { PasswordPolicy } from './passwords/password-policy.js'
import { Passwords } from './passwords/passwords.js'
import { PendingTransfers } from './pending-transfers.js'
import { AccountRecovery } from './recovery/account-recovery.js'
import { UserChanges } from './user-changes.js'
import { Users } from './users.js'

@Module({
  imports: [
    AnomaliesModule,
    RateLimitsModule,
    AuditModule,
    MailModule,
    LinksModule,
    PermissionsModule,
    SessionsModule,
  ],
  providers: [
    Users,
    Passwords,
    PasswordPolicy,
    AccountsService,
    UserChanges,
    AccountRecovery,
    PendingTransfers,
    UndoTokens,
    MailedLinks,
    ImportBatch,
    UserImport,
  ],
  exports: [
    Users,
    Passwords,
    PasswordPolicy,
    AccountsService,
    UserChanges,
    AccountRecovery,
    PendingTransfers,
    UndoTokens,
    MailedLinks,
  ],
})
export class UsersModule {}
