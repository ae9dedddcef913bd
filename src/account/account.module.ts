// What was decided here, and why: docs/decisions/accounts-and-teams.md
import { Module } from '@nestjs/common'
import { AuditModule } from '../audit/audit.module.js'
import { AuthModule } from '../auth/auth.module.js'
import { BillingModule } from '../billing/billing.module.js'
import { LinksModule } from '../links/links.module.js'
import { MailModule } from '../mail/mail.module.js'
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { TokensModule } from '../tokens/tokens.module.js'
import { UsersModule } from '../users/users.module.js'
import { AccountController } from './account.controller.js'
import { AccountService } from './account.service.js'
import { AccountMails } from './account-mails.js'
import { Accounts } from './accounts.js'
import { AccountDeletionController } from './deletion/account-deletion.controller.js'
import { AccountDeletion } from './deletion/account-deletion.service.js'
import { AccountDeletionJob } from './deletion/account-removal.js'
import { AccountsDueForDeletion } from './deletion/due-accounts.js'
import { EmailChangeController } from './email-change/email-change.controller.js'
import { EmailChangeService } from './email-change/email-change.service.js'
import { EmailChangeMails } from './email-change/email-change-mails.js'
import { EmailChanges } from './email-change/email-changes.js'
import { EmailRevert } from './email-change/email-revert.js'
import { EmailUndoService } from './email-change/email-undo.service.js'
import { DataExport } from './export/data-export.js'
import { UserRecords } from './export/user-records.js'
import { OptionalMainSessionGuard } from './optional-main-session.guard.js'
import { OwnedAccounts } from './owned-accounts.js'
import { ProfileController } from './profile/profile.controller.js'
import { ProfileService } from './profile/profile.service.js'
import { PendingSignUps } from './sign-up/pending-sign-ups.js'
import { SignUpController } from './sign-up/sign-up.controller.js'
import { SignUpService } from './sign-up/sign-up.service.js'
import { SignUpMails } from './sign-up/sign-up-mails.js'
import { SignUpVerification } from './sign-up/sign-up-verification.service.js'
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
    UsersModule,
    RateLimitsModule,
    AuditModule,
    AuthModule,
    BillingModule,
    MailModule,
    LinksModule,
    SessionsModule,
    TokensModule,
  ],
  controllers: [
    SignUpController,
    ProfileController,
    EmailChangeController,
    AccountController,
    AccountDeletionController,
    TransferController,
  ],
  providers: [
    PendingSignUps,
    SignUpMails,
    SignUpService,
    SignUpVerification,
    ProfileService,
    DataExport,
    UserRecords,
    EmailChangeMails,
    EmailChangeService,
    EmailChanges,
    EmailRevert,
    EmailUndoService,
    OptionalMainSessionGuard,
    AccountDeletion,
    AccountMails,
    AccountDeletionJob,
    AccountService,
    Accounts,
    AccountsDueForDeletion,
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
export class AccountModule {}
