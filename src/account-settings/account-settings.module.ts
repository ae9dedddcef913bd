import { Module } from '@nestjs/common'
import { AccountsModule } from '../accounts/accounts.module.js'
import { AttemptsModule } from '../attempts/attempts.module.js'
import { AuditModule } from '../audit/audit.module.js'
import { AuthModule } from '../auth/auth.module.js'
import { BillingModule } from '../billing/billing.module.js'
import { MailModule } from '../mail/mail.module.js'
import { OneTimeTokensModule } from '../one-time-tokens/one-time-tokens.module.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { TokensModule } from '../tokens/tokens.module.js'
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
import { OptionalMainSessionGuard } from './optional-main-session.guard.js'
import { OwnedAccounts } from './owned-accounts.js'
import { PersonExport } from './person-export.js'
import { PersonRecords } from './person-records.js'
import { ProfileController } from './profile.controller.js'
import { ProfileService } from './profile.service.js'
import { CompletedTransfers } from './transfer/completed-transfers.js'
import { DueTransfers } from './transfer/due-transfers.js'
import { OwnershipTransfer } from './transfer/ownership-transfer.service.js'
import { TransferController } from './transfer/transfer.controller.js'
import { TransferAcceptance } from './transfer/transfer-acceptance.js'
import { TransferCancellation } from './transfer/transfer-cancellation.js'
import { TransferCompletion } from './transfer/transfer-completion.js'
import { TransferLinks } from './transfer/transfer-links.service.js'
import { TransferMails } from './transfer/transfer-mails.js'
import { TransferParties } from './transfer/transfer-parties.js'

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
    TokensModule,
  ],
  controllers: [
    ProfileController,
    EmailChangeController,
    AccountController,
    AccountDeletionController,
    TransferController,
  ],
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
    OptionalMainSessionGuard,
    AccountDeletion,
    AccountMails,
    AccountRemoval,
    AccountService,
    Accounts,
    DueAccounts,
    OwnedAccounts,
    CompletedTransfers,
    DueTransfers,
    OwnershipTransfer,
    TransferAcceptance,
    TransferCancellation,
    TransferCompletion,
    TransferLinks,
    TransferMails,
    TransferParties,
  ],
})
export class AccountSettingsModule {}
