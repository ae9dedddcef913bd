import { Module } from '@nestjs/common'
import { AccountsModule } from '../accounts/accounts.module.js'
import { AttemptsModule } from '../attempts/attempts.module.js'
import { AuditModule } from '../audit/audit.module.js'
import { AuthModule } from '../auth/auth.module.js'
import { BillingModule } from '../billing/billing.module.js'
import { MailModule } from '../mail/mail.module.js'
import { OneTimeTokensModule } from '../one-time-tokens/one-time-tokens.module.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { AccountController } from './account.controller.js'
import { AccountService } from './account.service.js'
import { AccountDeletionController } from './account-deletion.controller.js'
import { AccountDeletion } from './account-deletion.service.js'
import { AccountMails } from './account-mails.js'
import { AccountRemoval } from './account-removal.js'
import { Accounts } from './accounts.js'
import { DueAccounts } from './due-accounts.js'
import { EmailChangeController } from './email-change.controller.js'
import { EmailChangeService } from './email-change.service.js'
import { EmailChangeMails } from './email-change-mails.js'
import { EmailChanges } from './email-changes.js'
import { EmailRestoring } from './email-restoring.js'
import { EmailUndoService } from './email-undo.service.js'
import { MailedLinks } from './mailed-links.js'
import { OwnedAccounts } from './owned-accounts.js'
import { OwnershipTransfer } from './ownership-transfer.service.js'
import { PersonExport } from './person-export.js'
import { PersonRecords } from './person-records.js'
import { ProfileController } from './profile.controller.js'
import { ProfileService } from './profile.service.js'
import { UndoTokens } from './undo-tokens.js'

@Module({
  imports: [
    AccountsModule,
    AttemptsModule,
    AuditModule,
    AuthModule,
    BillingModule,
    MailModule,
    OneTimeTokensModule,
    SessionsModule,
  ],
  controllers: [ProfileController, EmailChangeController, AccountController, AccountDeletionController],
  providers: [
    ProfileService,
    PersonExport,
    PersonRecords,
    EmailChangeMails,
    EmailChangeService,
    EmailChanges,
    EmailRestoring,
    EmailUndoService,
    MailedLinks,
    UndoTokens,
    AccountDeletion,
    AccountMails,
    AccountRemoval,
    AccountService,
    Accounts,
    DueAccounts,
    OwnedAccounts,
    OwnershipTransfer,
  ],
})
export class AccountSettingsModule {}
